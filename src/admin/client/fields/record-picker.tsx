import { ActionIcon, Button, Checkbox, Radio } from '@mantine/core';
import { IconPencil, IconPlus } from '@tabler/icons-react';
import { Suspense, useMemo, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { filterErrorOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { LoadMore } from '../design/load-more.js';
import { EmptyState, FailedState, LoadingLines } from '../design/states.js';
import { toastInfo } from '../design/toast.js';
import { useRecordPanel } from '../records/record-panel-context.js';
import { RecordLabel } from '../records/record-label.js';
import { SearchBar } from '../records/search-bar.js';
import { useRecords } from '../records/use-records.js';
import classes from './fields.module.css';

interface RecordPickerProps {
  readonly collection: CollectionModel;
  readonly max: number;
  readonly selected: readonly string[];
  readonly onPick: (ids: string[]) => void;
  readonly onClose: () => void;
}

/** Chooses records of a collection: search, load more, make a new one, edit one (UI-33). */
export function RecordPicker({ collection, max, selected, onPick, onClose }: RecordPickerProps) {
  const RecordPanel = useRecordPanel();
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<readonly string[]>(selected);
  const [editing, setEditing] = useState<string | null>(null);
  const { data: collections = [] } = useCollections();
  const scope = useMemo(() => ({ collections, collection }), [collections, collection]);
  const { list, records, apply } = useRecords(collection, search, '');
  const filterError = search ? filterErrorOf(list.error) : undefined;
  const isView = collection.type === 'view';

  const toggle = (id: string) => {
    if (max === 1) setPicked(picked.includes(id) ? [] : [id]);
    else if (picked.includes(id)) setPicked(picked.filter((each) => each !== id));
    else if (picked.length < max) setPicked([...picked, id]);
    else toastInfo(`Max ${max} records can be chosen.`);
  };
  const Mark = max === 1 ? Radio : Checkbox;
  return (
    <Dialog
      opened
      onClose={onClose}
      size={640}
      flush
      title={`Choose from ${collection.name}`}
      footer={
        <>
          <span className="hint tabular" style={{ marginRight: 'auto' }} aria-live="polite">
            {picked.length} of {max} chosen
          </span>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => onPick([...picked])}>Use selection</Button>
        </>
      }
    >
      <div style={{ display: 'flex', paddingTop: 4 }}>
        <div style={{ flex: 1, minWidth: 0 }}>
          <SearchBar
            value={search}
            onSearch={setSearch}
            scope={scope}
            historyKey={collection.id}
            placeholder="Search, or filter"
            error={filterError}
          />
        </div>
        {isView ? null : (
          <Button variant="default" mr={16} leftSection={<IconPlus size={15} />} onClick={() => setEditing('new')}>
            New
          </Button>
        )}
      </div>
      <div style={{ minHeight: 240, maxHeight: 420, overflow: 'auto', borderTop: '1px solid var(--line)' }}>
        {list.isPending ? <LoadingLines /> : null}
        {list.isLoadingError && !filterError ? (
          <FailedState error={list.error} onRetry={() => void list.refetch()} />
        ) : null}
        {records.map((record) => (
          <div key={record.id} className={classes.pick}>
            <Mark
              size="xs"
              checked={picked.includes(record.id)}
              onChange={() => toggle(record.id)}
              onClick={() => {
                // A radio does not change when it is ticked already; here that unticks it.
                if (max === 1 && picked.includes(record.id)) setPicked([]);
              }}
              aria-label={`Choose ${record.id}`}
            />
            <span className={classes.pickLabel} onClick={() => toggle(record.id)} style={{ cursor: 'pointer' }}>
              <RecordLabel record={record} collection={collection} collections={collections} />
            </span>
            <span className="mono" style={{ color: 'var(--ink-3)' }}>
              {record.id}
            </span>
            {isView ? null : (
              <ActionIcon aria-label={`Edit ${record.id}`} onClick={() => setEditing(record.id)}>
                <IconPencil size={15} />
              </ActionIcon>
            )}
          </div>
        ))}
        {list.isSuccess && !records.length ? (
          <EmptyState title={search ? 'Nothing matches' : 'No records yet'} />
        ) : null}
        {list.hasNextPage ? (
          <div style={{ padding: 12, textAlign: 'center' }}>
            <LoadMore list={list} />
          </div>
        ) : null}
      </div>
      {editing ? (
        <Suspense fallback={null}>
          <RecordPanel
            collection={collection}
            id={editing === 'new' ? undefined : editing}
            onClose={() => setEditing(null)}
            onChange={(change) => {
              apply(change);
              if (change.action === 'create') {
                setEditing(null);
                setPicked((current) =>
                  max === 1 ? [change.record.id] : current.length < max ? [...current, change.record.id] : current,
                );
              }
              if (change.action === 'delete') {
                setEditing(null);
                setPicked((current) => current.filter((each) => each !== change.record.id));
              }
            }}
          />
        </Suspense>
      ) : null}
    </Dialog>
  );
}
