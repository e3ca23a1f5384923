import { Button, Stack } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { copyText } from '../design/copy-text.js';
import { downloadJson } from '../design/download.js';
import { LoadingForm } from '../design/loading-shapes.js';
import { SidePanel } from '../design/side-panel.js';
import { FailedState } from '../design/states.js';
import { FieldFrame } from '../fields/field-frame.js';
import { RecordCell } from './record-cell.js';
import { recordLabel } from './record-label.js';
import { expandOf } from './record-query.js';

/** The values of a record that cannot be edited: a row of a view (UI-29). */
export function RecordPreview({
  collection,
  id,
  onClose,
}: {
  collection: CollectionModel;
  id: string;
  onClose: () => void;
}) {
  const { data: collections = [] } = useCollections();
  const record = useQuery({
    queryKey: ['record', collection.id, id],
    queryFn: ({ signal }) =>
      api.collection(collection.id).getOne(id, { expand: expandOf(collection, collections), signal }),
    staleTime: 0,
  });
  const json = () => {
    const { expand: _expand, ...plain } = record.data!;
    return plain;
  };
  return (
    <SidePanel
      opened
      isText
      onClose={onClose}
      title={record.data ? recordLabel(record.data, collection, collections) : id}
      footer={
        record.isLoadingError ? null : (
          <>
            <Button
              variant="default"
              disabled={!record.data}
              leftSection={<IconDownload size={15} />}
              onClick={() => downloadJson(`${collection.name}-${id}.json`, json())}
            >
              Download JSON
            </Button>
            <Button
              variant="default"
              disabled={!record.data}
              leftSection={<IconCopy size={15} />}
              onClick={() => void copyText(JSON.stringify(json(), null, 2), 'Copied as JSON.')}
            >
              Copy JSON
            </Button>
          </>
        )
      }
    >
      {record.isPending ? <LoadingForm inputs={collection.fields.length} /> : null}
      {record.isLoadingError ? (
        <FailedState what="record" error={record.error} onRetry={() => void record.refetch()} />
      ) : null}
      {record.data ? (
        <Stack gap={16}>
          {collection.fields.map((field) => (
            <FieldFrame key={field.id} field={{ ...field, required: false }}>
              <div
                style={{
                  display: 'flex',
                  minWidth: 0,
                  padding: '6px 10px',
                  background: 'var(--sunken)',
                  borderRadius: 6,
                  overflowWrap: 'anywhere',
                }}
              >
                {field.type === 'json' ? (
                  <pre className="mono" style={{ margin: 0, whiteSpace: 'pre-wrap' }}>
                    {JSON.stringify(record.data[field.name], null, 2)}
                  </pre>
                ) : field.type === 'text' ? (
                  <span dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
                    {String(record.data[field.name] ?? '')}
                  </span>
                ) : (
                  <RecordCell record={record.data} field={field} collections={collections} />
                )}
              </div>
            </FieldFrame>
          ))}
        </Stack>
      ) : null}
    </SidePanel>
  );
}
