import { Button, Group, Select } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import { Suspense, useMemo, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { filterErrorOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { LoadMore } from '../design/load-more.js';
import { EmptyState, FailedState, LoadingLines } from '../design/states.js';
import { useRecordPanel } from '../records/record-panel-context.js';
import { SearchBar } from '../records/search-bar.js';
import { useRecords } from '../records/use-records.js';
import { fileKind, type FileKind } from './file-kind.js';
import { FileThumb } from './file-thumb.js';
import classes from './files.module.css';

export interface PickedFile {
  readonly url: string;
  readonly name: string;
  readonly kind: FileKind;
}

interface FilePickerProps {
  readonly kinds: readonly FileKind[];
  readonly onPick: (file: PickedFile) => void;
  readonly onClose: () => void;
}

interface StoredFile {
  readonly record: RecordModel;
  readonly field: FieldModel;
  readonly name: string;
}

function filesOf(record: RecordModel, fields: readonly FieldModel[], kinds: readonly FileKind[]): StoredFile[] {
  return fields.flatMap((field) =>
    [record[field.name] as string | string[]]
      .flat()
      .filter((name) => name && kinds.includes(fileKind(name)))
      .map((name) => ({ record, field, name })),
  );
}

function Choice({
  collection,
  kinds,
  picked,
  onPick,
}: {
  collection: CollectionModel;
  kinds: readonly FileKind[];
  picked: StoredFile | null;
  onPick: (file: StoredFile) => void;
}) {
  const RecordPanel = useRecordPanel();
  const { data: collections = [] } = useCollections();
  const [search, setSearch] = useState('');
  const [creating, setCreating] = useState(false);
  const scope = useMemo(() => ({ collections, collection }), [collections, collection]);
  const fields = collection.fields.filter((field) => field.type === 'file');
  const withFiles = fields
    .map(({ name, maxSelect }) => (Number(maxSelect) > 1 ? `${name}:length > 0` : `${name} != ""`))
    .join(' || ');
  const { list, records, apply } = useRecords(collection, search, '', withFiles);
  const filterError = search ? filterErrorOf(list.error) : undefined;
  const files = records.flatMap((record) => filesOf(record, fields, kinds));
  return (
    <>
      <Group gap={0} wrap="nowrap" align="flex-start">
        <div style={{ flex: 1, minWidth: 0 }}>
          <SearchBar
            value={search}
            onSearch={setSearch}
            scope={scope}
            historyKey={collection.id}
            placeholder="Search records"
            error={filterError}
          />
        </div>
        <Button variant="default" mr={16} leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
          New record
        </Button>
      </Group>
      <div className={classes.choice}>
        {list.isPending ? <LoadingLines /> : null}
        {list.isLoadingError && !filterError ? (
          <FailedState error={list.error} onRetry={() => void list.refetch()} />
        ) : null}
        <div className={classes.grid}>
          {files.map((file) => (
            <button
              key={`${file.record.id}/${file.name}`}
              type="button"
              className={classes.tile}
              aria-pressed={picked?.record.id === file.record.id && picked.name === file.name}
              onClick={() => onPick(file)}
            >
              <FileThumb record={file.record} name={file.name} size={72} />
              <span className={`${classes.tileName} truncate`}>{file.name}</span>
            </button>
          ))}
        </div>
        {list.isSuccess && !files.length ? <EmptyState title="No such files here" /> : null}
        {list.hasNextPage ? (
          <Group justify="center" mt="md">
            <LoadMore list={list} />
          </Group>
        ) : null}
      </div>
      {creating ? (
        <Suspense fallback={null}>
          <RecordPanel
            collection={collection}
            onClose={() => setCreating(false)}
            onChange={(change) => apply(change)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** Chooses a stored file of any collection, and the size of an image (UI-34). */
export function FilePickerDialog({ kinds, onPick, onClose }: FilePickerProps) {
  const { data: collections = [] } = useCollections();
  const withFiles = collections.filter(
    (each) => each.type !== 'view' && each.fields.some((field) => field.type === 'file' && !field.protected),
  );
  const [id, setId] = useState<string | null>(null);
  const [picked, setPicked] = useState<StoredFile | null>(null);
  const [thumb, setThumb] = useState('');
  const collection = withFiles.find((each) => each.id === id) ?? withFiles[0];
  const sizes = ['', ...((picked?.field.thumbs as string[] | null) ?? [])];
  const use = () => {
    if (!picked) return;
    onPick({
      url: api.files.getURL(picked.record, picked.name, thumb ? { thumb } : {}),
      name: picked.name,
      kind: fileKind(picked.name),
    });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      size={760}
      flush
      title="Choose a file"
      footer={
        <>
          {picked && fileKind(picked.name) === 'image' ? (
            <Select
              aria-label="Size"
              size="xs"
              w={180}
              mr="auto"
              value={thumb}
              data={sizes.map((size) => ({ value: size, label: size || 'Original size' }))}
              onChange={(next) => setThumb(next ?? '')}
            />
          ) : null}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={!picked} onClick={use}>
            Insert
          </Button>
        </>
      }
    >
      {collection ? (
        <>
          <div style={{ padding: '4px 16px 10px' }}>
            <Select
              label="Collection"
              searchable
              value={collection.id}
              data={withFiles.map((each) => ({ value: each.id, label: each.name }))}
              onChange={(next) => {
                setId(next);
                setPicked(null);
              }}
            />
          </div>
          <Choice key={collection.id} collection={collection} kinds={kinds} picked={picked} onPick={setPicked} />
        </>
      ) : (
        <EmptyState title="No collection has a public file field" />
      )}
    </Dialog>
  );
}
