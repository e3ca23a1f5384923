import { Menu } from '@mantine/core';
import {
  IconCopy,
  IconCopyPlus,
  IconKey,
  IconLogout,
  IconMailCheck,
  IconPuzzle,
  IconTrash,
  IconUserShare,
} from '@tabler/icons-react';
import { ClientResponseError, type RecordModel } from 'pocketbase';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useExtensions } from '../api/queries.js';
import { useConfirm } from '../design/confirm.js';
import { copyText } from '../design/copy-text.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { useFileToken } from '../api/file-token.js';
import { actionsFor } from '../extensions/actions.js';
import { useRunAction } from '../extensions/use-run-action.js';
import { formOf, type FileSelection, type FormValues } from './record-form.js';

interface RecordMenuProps {
  readonly collection: CollectionModel;
  readonly record: RecordModel;
  /** Called before and after whatever takes its time, which goes on when the menu is closed. */
  readonly onBusy: (busy: boolean) => void;
  readonly onDeleted: () => void;
  /** Opens a new record with these values; absent where none can be made. */
  readonly onDuplicate?: (values: FormValues) => void;
  /** Opens the dialog, which has to outlive the menu. */
  readonly onImpersonate: () => void;
  /** After an action of a module, which may have changed the record. */
  readonly onActed: () => Promise<void>;
}

/** A stored file under the name that it had before it was stored. */
async function fetchFile(record: RecordModel, name: string, token: string): Promise<File> {
  const url = api.files.getURL(record, name, { token });
  const answer = await fetch(url);
  if (!answer.ok)
    throw new ClientResponseError({ url, status: answer.status, data: await answer.json().catch(() => ({})) });
  return new File([await answer.blob()], name.replace(/_\w{10}(\.\w+)?$/, '$1'));
}

/**
 * What a copy of a record begins with, its files included. What belongs to one record alone is left out: ids, times,
 * passwords, and of accounts the address and that it was confirmed.
 */
async function copyOf(collection: CollectionModel, record: RecordModel, token: string): Promise<FormValues> {
  const own = collection.type === 'auth' ? ['id', 'tokenKey', 'email', 'verified'] : ['id'];
  const values: Record<string, unknown> = { ...formOf(record, collection) };
  for (const field of collection.fields) {
    if (own.includes(field.name) || field.type === 'password') delete values[field.name];
    else if (field.type === 'file') {
      const { stored } = values[field.name] as FileSelection;
      const added = await Promise.all(stored.map((name) => fetchFile(record, name, token)));
      values[field.name] = { stored: [], removed: [], added } satisfies FileSelection;
    }
  }
  return values;
}

/** The actions on a stored record (UI-27). */
export function RecordMenuItems({
  collection,
  record,
  onBusy,
  onDeleted,
  onDuplicate,
  onImpersonate,
  onActed,
}: RecordMenuProps) {
  const confirm = useConfirm();
  const token = useFileToken();
  const actions = actionsFor(collection, useExtensions());
  const runAction = useRunAction(collection, onBusy);
  const guarded = async (work: () => Promise<void>) => {
    onBusy(true);
    try {
      await work();
    } catch (error) {
      toastError(error);
    } finally {
      onBusy(false);
    }
  };
  const service = api.collection(collection.id);
  const remove = async () => {
    if (
      !(await confirm({
        title: 'Delete this record?',
        body: 'It and its files are gone for good, and so is what cascades from it.',
        action: 'Delete record',
        danger: true,
      }))
    )
      return;
    await guarded(async () => {
      await service.delete(record.id);
      toastSuccess('Record deleted.');
      onDeleted();
    });
  };
  const resetTokens = async () => {
    if (
      !(await confirm({
        title: 'Reset issued tokens?',
        body: 'Every session and every link mailed to this account stops working.',
        action: 'Reset tokens',
        danger: true,
      }))
    )
      return;
    await guarded(async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(64));
      const tokenKey = [...bytes]
        .map((byte) => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345678901'[byte & 63])
        .join('')
        .slice(0, 50);
      await service.update(record.id, { tokenKey });
      toastSuccess('All tokens of this account have ended.');
    });
  };
  const isAuth = collection.type === 'auth';
  const mails = isAuth && collection.name !== '_superusers' && record.email;
  return (
    <>
      <Menu.Item
        leftSection={<IconCopy size={16} />}
        onClick={() => {
          const { expand: _expand, ...plain } = record;
          void copyText(JSON.stringify(plain, null, 2), 'Copied as JSON.');
        }}
      >
        Copy JSON
      </Menu.Item>
      {onDuplicate ? (
        <Menu.Item
          leftSection={<IconCopyPlus size={16} />}
          onClick={() => void guarded(async () => onDuplicate(await copyOf(collection, record, token)))}
        >
          Duplicate
        </Menu.Item>
      ) : null}
      {mails && !record.verified ? (
        <Menu.Item
          leftSection={<IconMailCheck size={16} />}
          onClick={() =>
            void guarded(
              async () => (
                await service.requestVerification(String(record.email)),
                toastSuccess(`A verification mail was sent to ${record.email}.`)
              ),
            )
          }
        >
          Send verification e-mail
        </Menu.Item>
      ) : null}
      {isAuth && record.email ? (
        <Menu.Item
          leftSection={<IconKey size={16} />}
          onClick={() =>
            void guarded(
              async () => (
                await service.requestPasswordReset(String(record.email)),
                toastSuccess(`A password reset mail was sent to ${record.email}.`)
              ),
            )
          }
        >
          Send password reset e-mail
        </Menu.Item>
      ) : null}
      {isAuth ? (
        <>
          <Menu.Item leftSection={<IconUserShare size={16} />} onClick={onImpersonate}>
            Impersonate
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void resetTokens()}>
            Reset issued tokens
          </Menu.Item>
        </>
      ) : null}
      {actions.map((action) => (
        <Menu.Item
          key={`${action.script} ${action.run}`}
          leftSection={<IconPuzzle size={16} />}
          onClick={() => void runAction(action, [record.id]).then((isDone) => (isDone ? onActed() : undefined))}
        >
          {action.label}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item data-danger leftSection={<IconTrash size={16} />} onClick={() => void remove()}>
        Delete
      </Menu.Item>
    </>
  );
}
