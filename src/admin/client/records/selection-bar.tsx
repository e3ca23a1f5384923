import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDownload, IconEdit, IconPuzzle, IconTrash, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { isMissing } from '../api/failure.js';
import { useExtensions } from '../api/queries.js';
import { useConfirm } from '../design/confirm.js';
import { downloadCsv, downloadJson } from '../design/download.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { actionsFor, type ExtensionAction } from '../extensions/actions.js';
import { useRunAction } from '../extensions/use-run-action.js';
import { filterAfter, matchingIds } from './matching-ids.js';
import classes from './records.module.css';
import { totalQuery } from './use-records.js';

const BulkEditDialog = lazy(async () => ({ default: (await import('./bulk-edit-dialog.js')).BulkEditDialog }));

interface SelectionBarProps {
  readonly collection: CollectionModel;
  readonly ids: ReadonlySet<string>;
  /** The filter of the list. */
  readonly filter: string;
  readonly isAllLoaded: boolean;
  readonly onSelect: (ids: readonly string[]) => void;
  readonly onClear: () => void;
  readonly onDeleted: (ids: ReadonlySet<string>) => void;
  readonly onEdited: () => void;
}

/** Ids of one request. */
const IDS = 1000;
/** Whole records of one request. */
const RECORDS = 100;

/** Something that goes on over many records. */
interface Progress {
  readonly what: 'Selecting' | 'Exporting' | 'Deleting';
  readonly done: number;
  readonly of: number;
}

function counted(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;
}

/** What can be done with the selected records. */
export function SelectionBar(props: SelectionBarProps) {
  const { collection, ids, filter, isAllLoaded, onSelect, onClear, onDeleted, onEdited } = props;
  const confirm = useConfirm();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [editing, setEditing] = useState(false);
  const { data: total = 0 } = useQuery(totalQuery(collection, filter));
  const list = useMemo(() => [...ids], [ids]);
  const actions = actionsFor(collection, useExtensions());
  const [acting, setActing] = useState(false);
  const runAction = useRunAction(collection, setActing);
  const count = list.length;
  const stopped = useRef(false);
  // Who goes elsewhere stops what has not been done yet.
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  const guarded = async (what: Progress['what'], of: number, work: (tell: (done: number) => void) => Promise<void>) => {
    stopped.current = false;
    setProgress({ what, done: 0, of });
    try {
      await work((done) => setProgress({ what, done, of }));
    } catch (error) {
      toastError(error);
    } finally {
      setProgress(null);
    }
  };
  const selectMatching = () =>
    guarded('Selecting', total, async (tell) => {
      const found: string[] = [];
      const pageAfter = async (last: string) => {
        const { items } = await api
          .collection(collection.id)
          .getList(1, IDS, { filter: filterAfter(filter, last), sort: 'id', fields: 'id', skipTotal: true });
        return items.map(({ id }) => id);
      };
      for await (const page of matchingIds(pageAfter, IDS)) {
        if (stopped.current) return;
        found.push(...page);
        tell(found.length);
      }
      onSelect(found);
    });
  /** Whole records, as stored: the list itself holds shortened texts. */
  const exportWhole = (download: (records: readonly RecordModel[]) => void) =>
    guarded('Exporting', count, async (tell) => {
      const whole: RecordModel[] = [];
      for (let start = 0; start < count; start += RECORDS) {
        if (stopped.current) return;
        const page = list.slice(start, start + RECORDS);
        const wanted = page.map((id) => api.filter('id = {:id}', { id })).join(' || ');
        const options = { filter: wanted, skipTotal: true };
        const { items } = await api.collection(collection.id).getList(1, RECORDS, options);
        const order = new Map(page.map((id, index) => [id, index]));
        whole.push(...items.sort((a, b) => order.get(a.id)! - order.get(b.id)!));
        tell(whole.length);
      }
      download(whole);
    });
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${counted(count)}?`,
      body:
        count === 1
          ? 'It and its files are gone for good, and so is what cascades from it.'
          : 'They and their files are gone for good, and so is what cascades from them.',
      action: `Delete ${counted(count)}`,
      danger: true,
    });
    if (!sure) return;
    const gone = new Set<string>();
    await guarded('Deleting', count, async (tell) => {
      try {
        for (const id of list) {
          if (stopped.current) break;
          await api
            .collection(collection.id)
            .delete(id)
            .catch((error: unknown) => {
              // Somebody else was faster, or it has gone with one before it.
              if (!isMissing(error)) throw error;
            });
          gone.add(id);
          tell(gone.size);
        }
        toastSuccess(`Deleted ${counted(gone.size)}.`);
      } finally {
        onDeleted(gone);
      }
    });
  };
  const act = async (action: ExtensionAction) => {
    if (await runAction(action, list)) onEdited();
  };
  const exportJson = () =>
    exportWhole((records) =>
      downloadJson(
        `${collection.name}.json`,
        records.map(({ expand: _expand, ...rest }) => rest),
      ),
    );
  const exportCsv = () =>
    exportWhole((records) => {
      const names = collection.fields.filter((field) => field.type !== 'password').map((field) => field.name);
      downloadCsv(
        `${collection.name}.csv`,
        names,
        records.map((record) => names.map((name) => record[name] as unknown)),
      );
    });
  if (progress) {
    return (
      <div className={classes.selectionBar} role="region" aria-label="Selection" data-bar>
        <span className="tabular">
          {progress.what} {progress.done.toLocaleString('en')} of {progress.of.toLocaleString('en')}
        </span>
        <progress className={classes.progress} value={progress.done} max={progress.of} aria-label={progress.what} />
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            stopped.current = true;
          }}
        >
          Stop
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.selectionBar} role="region" aria-label="Selection" data-bar>
      <span className="tabular" aria-live="polite">
        <b>{count.toLocaleString('en')}</b> selected
      </span>
      <ActionIcon data-tip size={28} aria-label="Reset the selection" onClick={onClear}>
        <IconX size={15} />
      </ActionIcon>
      {isAllLoaded && total > count ? (
        <Button size="xs" variant="subtle" onClick={() => void selectMatching()}>
          Select all {total.toLocaleString('en')} that match
        </Button>
      ) : null}
      <Menu position="top">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void exportJson()}>Download as JSON</Menu.Item>
          <Menu.Item onClick={() => void exportCsv()}>Download as CSV</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {actions.length ? (
        <Menu position="top">
          <Menu.Target>
            <Button size="xs" variant="default" loading={acting} leftSection={<IconPuzzle size={14} />}>
              Actions
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {actions.map((action) => (
              <Menu.Item key={`${action.script} ${action.run}`} onClick={() => void act(action)}>
                {action.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
      {collection.type === 'view' ? null : (
        <>
          <Button size="xs" variant="default" leftSection={<IconEdit size={14} />} onClick={() => setEditing(true)}>
            Edit a field
          </Button>
          <Button size="xs" color="red.9" leftSection={<IconTrash size={14} />} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      )}
      {editing ? (
        <Suspense fallback={null}>
          <BulkEditDialog
            collection={collection}
            ids={list}
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
