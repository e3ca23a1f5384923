import { ActionIcon, Button } from '@mantine/core';
import { IconExternalLink, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, useState } from 'react';
import { api } from '../api/api.js';
import { isMultiple, type CollectionModel } from '../api/collection-model.js';
import { messageOf } from '../api/failure.js';
import { useCollection, useCollections } from '../api/queries.js';
import { useRecordPanel } from '../records/record-panel-context.js';
import { RecordLabel } from '../records/record-label.js';
import { expandOf } from '../records/record-query.js';
import { AddButton } from './add-button.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import classes from './fields.module.css';
import { RecordPicker } from './record-picker.js';
import { SortableList } from './sortable-list.js';

const RecordPreview = lazy(async () => ({ default: (await import('../records/record-preview.js')).RecordPreview }));

/** The records behind ids, in pieces that fit a filter. Ids without a record are missing from the result. */
export async function loadByIds(
  collection: CollectionModel,
  ids: readonly string[],
  expand: string,
): Promise<Map<string, RecordModel>> {
  const found = new Map<string, RecordModel>();
  for (let start = 0; start < ids.length; start += 80) {
    const filter = ids
      .slice(start, start + 80)
      .map((id) => api.filter('id = {:id}', { id }))
      .join(' || ');
    const { items } = await api.collection(collection.id).getList(1, 80, { filter, expand, skipTotal: true });
    for (const record of items) found.set(record.id, record);
  }
  return found;
}

/** Related records: shown by what stands for them, sorted by drag, opened, removed, picked (UI-33). */
export function RelationInput({ field, value, onChange, error }: FieldInputProps) {
  const RecordPanel = useRecordPanel();
  const target = useCollection(field.collectionId as string);
  const { data: collections = [] } = useCollections();
  const [picking, setPicking] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const multiple = isMultiple(field);
  const max = multiple ? Number(field.maxSelect) : 1;
  const ids = [value as string | string[]].flat().filter(Boolean);
  const set = (next: readonly string[]) => onChange(multiple ? [...next] : (next.at(-1) ?? ''));
  const related = useQuery({
    queryKey: ['related', target?.id, ids],
    queryFn: () => loadByIds(target!, ids, expandOf(target!, collections)),
    enabled: Boolean(target) && ids.length > 0,
    placeholderData: (previous) => previous,
  });
  // Until the answer to these very ids is here, none of them is missing.
  const settled = related.isSuccess && !related.isPlaceholderData;
  return (
    <FieldFrame
      field={field}
      error={error}
      hint={
        multiple
          ? `${ids.length} of max ${max}${Number(field.minSelect) ? `, min ${String(field.minSelect)}` : ''}`
          : undefined
      }
    >
      <div className={classes.box}>
        <SortableList items={ids} idOf={(id) => id} nameOf={(id) => id} onSort={set} disabled={ids.length < 2}>
          {(id, handle) => {
            const record = related.data?.get(id);
            return (
              <div className={classes.itemRow}>
                {handle}
                <span
                  className={classes.itemName}
                  style={{ paddingLeft: handle ? 0 : 8 }}
                  data-peek={record ? `${record.collectionId}/${id}` : undefined}
                >
                  {record ? (
                    <RecordLabel record={record} collection={target} collections={collections} />
                  ) : (
                    <span className="mono">
                      {id} {settled ? <span className="hint">(missing)</span> : null}
                    </span>
                  )}
                </span>
                <ActionIcon aria-label={`Open ${id}`} disabled={!record} onClick={() => setOpen(id)}>
                  <IconExternalLink size={15} />
                </ActionIcon>
                <ActionIcon aria-label={`Remove ${id}`} onClick={() => set(ids.filter((each) => each !== id))}>
                  <IconX size={15} />
                </ActionIcon>
              </div>
            );
          }}
        </SortableList>
        {related.isError && ids.length ? (
          <div className={classes.itemRow} role="alert">
            <span className="hint" style={{ flex: 1, minWidth: 0, padding: '6px 8px' }}>
              What these records are called could not be loaded. {messageOf(related.error)}
            </span>
            <Button
              size="compact-xs"
              variant="default"
              mr={8}
              loading={related.isFetching}
              onClick={() => void related.refetch()}
            >
              Try again
            </Button>
          </div>
        ) : null}
        <AddButton disabled={!target} onClick={() => setPicking(true)}>
          {target
            ? ids.length && !multiple
              ? 'Choose another record'
              : 'Choose records'
            : 'The related collection is missing'}
        </AddButton>
      </div>
      {picking && target ? (
        <RecordPicker
          collection={target}
          max={max}
          selected={ids}
          onClose={() => setPicking(false)}
          onPick={(next) => {
            set(next);
            setPicking(false);
          }}
        />
      ) : null}
      <Suspense fallback={null}>
        {open && target && target.type === 'view' ? (
          <RecordPreview collection={target} id={open} onClose={() => setOpen(null)} />
        ) : null}
        {open && target && target.type !== 'view' ? (
          <RecordPanel
            collection={target}
            id={open}
            onClose={() => setOpen(null)}
            onChange={(change) => {
              void related.refetch();
              if (change.action === 'delete') {
                set(ids.filter((each) => each !== change.record.id));
                setOpen(null);
              }
            }}
          />
        ) : null}
      </Suspense>
    </FieldFrame>
  );
}
