import { Menu } from '@mantine/core';
import {
  IconCopy,
  IconCopyPlus,
  IconKey,
  IconLogout,
  IconMailCheck,
  IconTrash,
  IconUserShare,
} from '@tabler/icons-react';
import { ClientResponseError, type RecordModel } from 'pocketbase';
import { api } from '../api/api.js';
import { isMultiple, type CollectionModel } from '../api/collection-model.js';
import { useConfirm } from '../design/confirm.js';
import { copyText } from '../design/copy-text.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { useFileToken } from '../api/file-token.js';

interface RecordMenuProps {
  readonly collection: CollectionModel;
  readonly record: RecordModel;
  /** Called before and after whatever takes its time, which goes on when the menu is closed. */
  readonly onBusy: (busy: boolean) => void;
  readonly onDeleted: () => void;
  readonly onDuplicated: (copy: RecordModel) => void;
  /** Opens the dialog, which has to outlive the menu. */
  readonly onImpersonate: () => void;
}

async function fetchFile(url: string): Promise<Blob> {
  const answer = await fetch(url);
  if (!answer.ok)
    throw new ClientResponseError({ url, status: answer.status, data: await answer.json().catch(() => ({})) });
  return answer.blob();
}

/** A copy of a record with its files; values that must be unique are for the user to change. */
async function duplicate(collection: CollectionModel, record: RecordModel, token: string): Promise<RecordModel> {
  const body: Record<string, unknown> = {};
  for (const field of collection.fields) {
    const value = record[field.name] as unknown;
    if (field.name === 'id' || field.type === 'autodate' || field.type === 'password' || value === undefined) continue;
    if (collection.type === 'auth' && field.name === 'tokenKey') continue;
    if (field.type !== 'file') body[field.name] = value;
    else {
      const names = [value as string | string[]].flat().filter(Boolean);
      const files = await Promise.all(
        names.map(
          async (name) =>
            new File(
              [await fetchFile(api.files.getURL(record, name, { token }))],
              name.replace(/_\w{10}(\.\w+)?$/, '$1'),
            ),
        ),
      );
      if (files.length) body[field.name] = isMultiple(field) ? files : files[0];
    }
  }
  if (collection.type === 'auth') {
    const password = `${[...crypto.getRandomValues(new Uint32Array(6))].map((each) => each.toString(36)).join('')}Aa1!`;
    body.password = password;
    body.passwordConfirm = password;
    body.email = `copy-${Date.now().toString(36)}-${String(record.email)}`;
    body.verified = collection.name === '_superusers';
  }
  return api.collection(collection.id).create(body);
}

/** The actions on a stored record (UI-27). */
export function RecordMenuItems({
  collection,
  record,
  onBusy,
  onDeleted,
  onDuplicated,
  onImpersonate,
}: RecordMenuProps) {
  const confirm = useConfirm();
  const token = useFileToken();
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
      <Menu.Item
        leftSection={<IconCopyPlus size={16} />}
        onClick={() =>
          void guarded(async () => {
            const copy = await duplicate(collection, record, token);
            toastSuccess('A copy was made and opened.');
            onDuplicated(copy);
          })
        }
      >
        Duplicate
      </Menu.Item>
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
      <Menu.Divider />
      <Menu.Item data-danger leftSection={<IconTrash size={16} />} onClick={() => void remove()}>
        Delete
      </Menu.Item>
    </>
  );
}
