import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDownload, IconEdit, IconTrash, IconX } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useConfirm } from '../design/confirm.js';
import { downloadCsv, downloadJson } from '../design/download.js';
import { toastError, toastSuccess } from '../design/toast.js';
import classes from './records.module.css';

const BulkEditDialog = lazy(async () => ({ default: (await import('./bulk-edit-dialog.js')).BulkEditDialog }));

interface SelectionBarProps {
  readonly collection: CollectionModel;
  readonly records: readonly RecordModel[];
  readonly onClear: () => void;
  readonly onDeleted: (records: readonly RecordModel[]) => void;
  readonly onEdited: () => void;
}

/** Whole records, as stored, for a download: the list itself holds shortened texts. */
async function loadWhole(collection: CollectionModel, records: readonly RecordModel[]): Promise<RecordModel[]> {
  const whole: RecordModel[] = [];
  for (let start = 0; start < records.length; start += 100) {
    const filter = records
      .slice(start, start + 100)
      .map((record) => api.filter('id = {:id}', { id: record.id }))
      .join(' || ');
    whole.push(...(await api.collection(collection.id).getList(1, 100, { filter, skipTotal: true })).items);
  }
  const order = new Map(records.map((record, index) => [record.id, index]));
  return whole.sort((a, b) => order.get(a.id)! - order.get(b.id)!);
}

/** What can be done with the selected records. */
export function SelectionBar({ collection, records, onClear, onDeleted, onEdited }: SelectionBarProps) {
  const confirm = useConfirm();
  const [busy, setBusy] = useState<'export' | 'delete' | null>(null);
  const [editing, setEditing] = useState(false);
  const count = records.length;
  const noun = count === 1 ? 'record' : 'records';

  const guarded = async (what: 'export' | 'delete', work: () => Promise<void>) => {
    setBusy(what);
    try {
      await work();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${count} ${noun}?`,
      body:
        count === 1
          ? 'It and its files are gone for good, and so is what cascades from it.'
          : 'They and their files are gone for good, and so is what cascades from them.',
      action: `Delete ${count} ${noun}`,
      danger: true,
    });
    if (!sure) return;
    await guarded('delete', async () => {
      const gone: RecordModel[] = [];
      try {
        for (const record of records) {
          await api.collection(collection.id).delete(record.id);
          gone.push(record);
        }
        toastSuccess(`Deleted ${count} ${noun}.`);
      } finally {
        onDeleted(gone);
      }
    });
  };
  const exportJson = () =>
    guarded('export', async () =>
      downloadJson(
        `${collection.name}.json`,
        (await loadWhole(collection, records)).map(({ expand: _expand, ...rest }) => rest),
      ),
    );
  const exportCsv = () =>
    guarded('export', async () => {
      const names = collection.fields.filter((field) => field.type !== 'password').map((field) => field.name);
      downloadCsv(
        `${collection.name}.csv`,
        names,
        (await loadWhole(collection, records)).map((record) => names.map((name) => record[name] as unknown)),
      );
    });
  return (
    <div className={classes.selectionBar} role="region" aria-label="Selection" data-bar>
      <span className="tabular" aria-live="polite">
        <b>{count}</b> selected
      </span>
      <ActionIcon data-tip size={28} aria-label="Reset the selection" onClick={onClear}>
        <IconX size={15} />
      </ActionIcon>
      <Menu position="top">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            loading={busy === 'export'}
            disabled={busy !== null}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void exportJson()}>Download as JSON</Menu.Item>
          <Menu.Item onClick={() => void exportCsv()}>Download as CSV</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {collection.type === 'view' ? null : (
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconEdit size={14} />}
            disabled={busy !== null}
            onClick={() => setEditing(true)}
          >
            Edit a field
          </Button>
          <Button
            size="xs"
            color="red.9"
            leftSection={<IconTrash size={14} />}
            loading={busy === 'delete'}
            disabled={busy !== null}
            onClick={() => void remove()}
          >
            Delete
          </Button>
        </>
      )}
      {editing ? (
        <Suspense fallback={null}>
          <BulkEditDialog
            collection={collection}
            records={records}
            onClose={() => setEditing(false)}
            onDone={() => {
              setEditing(false);
              onEdited();
            }}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
