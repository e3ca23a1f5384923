import { Button, Table } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { useMemo } from 'react';
import { api } from '../api/api.js';
import type { FieldModel } from '../api/collection-model.js';
import { errorAt, errorTreeOf, filterErrorOf, messageOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { CodeInput } from '../code/code-input.js';
import { FieldIcon } from '../fields/field-icon.js';
import type { DraftTabProps } from './draft-tab-props.js';
import classes from './collection-panel.module.css';

interface DryRun {
  fields: FieldModel[];
  sample: RecordModel[];
}

/** The query of a view, checked by the server while it is written, with the rows it gives (UI-43). */
export function QueryTab({ draft, setDraft, errors }: DraftTabProps) {
  const { data: collections = [] } = useCollections();
  const query = draft.collection.viewQuery ?? '';
  const [checked] = useDebouncedValue(query, 500);
  const run = useQuery({
    queryKey: ['dry-run', checked],
    queryFn: ({ signal }) => api.collections.dryRunViewQuery(checked, { signal }) as unknown as Promise<DryRun>,
    enabled: checked.trim() !== '',
    staleTime: 10_000,
    retry: false,
    // What was there stays until there is another.
    placeholderData: keepPreviousData,
  });
  const schema = useMemo(
    () => Object.fromEntries(collections.map((each) => [each.name, each.fields.map((field) => field.name)])),
    [collections],
  );
  const refused = filterErrorOf(run.error);
  const problem =
    errors.at('viewQuery') ?? (refused ? (errorAt(errorTreeOf(run.error), 'query') ?? refused) : undefined);
  return (
    <>
      <CodeInput
        language="sql"
        label="Query of the view"
        lineNumbers
        value={query}
        minHeight={180}
        maxHeight={420}
        sqlSchema={schema}
        placeholder={
          'SELECT posts.id, posts.title, count(comments.id) AS comments\nFROM posts LEFT JOIN comments ON comments.post = posts.id\nGROUP BY posts.id'
        }
        invalid={Boolean(problem)}
        onChange={(text) => {
          errors.clear('viewQuery');
          // Both spellings are kept equal: a difference between them would be refused (COL-3).
          setDraft((current) => ({
            ...current,
            collection: { ...current.collection, viewQuery: text, options: { query: text } } as never,
          }));
        }}
      />
      {problem ? (
        <p role="alert" style={{ margin: '6px 0 0', color: 'var(--danger)', fontSize: 12 }}>
          {problem}
        </p>
      ) : run.isError ? (
        <p role="alert" className="hint" style={{ margin: '6px 0 0' }}>
          The query could not be checked. {messageOf(run.error)}{' '}
          <Button size="compact-xs" variant="default" loading={run.isFetching} onClick={() => void run.refetch()}>
            Check again
          </Button>
        </p>
      ) : null}
      <ul className="hint" style={{ margin: '10px 0 16px', paddingLeft: 18 }}>
        <li>
          One SELECT with a column called <code>id</code>, unique in every row; <code>(ROW_NUMBER() OVER()) AS id</code>{' '}
          makes one.
        </li>
        <li>No * columns; every expression needs a name (AS).</li>
        <li>E-mails selected through a view are not protected by their visibility. Views send no realtime events.</li>
      </ul>
      {run.data && checked.trim() ? (
        <div
          className={classes.sample}
          style={{ opacity: run.isPlaceholderData ? 0.5 : undefined }}
          aria-busy={run.isPlaceholderData}
          tabIndex={0}
          role="region"
          aria-label="Sample of the result"
        >
          <Table>
            <Table.Thead>
              <Table.Tr>
                {run.data.fields.map((field) => (
                  <Table.Th key={field.name}>
                    <span style={{ display: 'inline-flex', gap: 5, alignItems: 'center', whiteSpace: 'nowrap' }}>
                      <FieldIcon type={field.type} name={field.name} /> {field.name}{' '}
                      <span className="hint">{field.type}</span>
                    </span>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {run.data.sample.map((row) => (
                <Table.Tr key={row.id}>
                  {run.data.fields.map((field) => (
                    <Table.Td key={field.name} className="mono truncate" maw={240} ta="left" dir="auto">
                      {typeof row[field.name] === 'object'
                        ? JSON.stringify(row[field.name])
                        : String(row[field.name] ?? '')}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          {run.data.sample.length ? null : (
            <p className="hint" style={{ padding: '0 12px' }}>
              The query is right and returns no rows now.
            </p>
          )}
        </div>
      ) : null}
    </>
  );
}
