import { Alert, Badge, Button, FileButton, Group, Stack, Switch } from '@mantine/core';
import { IconAlertTriangle, IconFileUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { CollectionBody } from '../../../kernel/collections/collection-body.js';
import { modernCollection } from '../../../kernel/collections/legacy-collection.js';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { errorAt, errorTreeOf, messageOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { useChanged } from '../api/use-changed.js';
import { CodeInput } from '../code/code-input.js';
import { useConfirm } from '../design/confirm.js';
import { Section } from '../design/section.js';
import { ShowHide } from '../design/show-hide.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { toastSuccess } from '../design/toast.js';
import { ErrorNote } from '../login/error-note.js';
import { importChanges, renamedIds, sorted, withOriginalIds, type ImportChange } from './import-changes.js';
import { lineDiff } from './line-diff.js';
import { propertyChanges } from './property-changes.js';
import classes from './settings.module.css';

function parseEntries(text: string): CollectionModel[] | string {
  if (!text.trim()) return [];
  try {
    const value: unknown = JSON.parse(text);
    const entries = Array.isArray(value) ? value : (value as { collections?: unknown } | null)?.collections;
    if (
      !Array.isArray(entries) ||
      entries.some(
        (each) => typeof each !== 'object' || each === null || typeof (each as CollectionModel).name !== 'string',
      )
    ) {
      return 'This is not a list of collections.';
    }
    return entries.map((entry) => modernCollection(entry as CollectionBody) as unknown as CollectionModel);
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}`;
  }
}

const COLOURS = { added: 'green.8', changed: 'yellow.9', deleted: 'red.8' } as const;

/** Two definitions as texts, line beside line. */
function TextDiff({ change, name }: { change: ImportChange; name: string }) {
  const before = change.kind === 'added' ? '' : sorted(change.before, 2);
  const after = change.kind === 'deleted' ? '' : sorted(change.after, 2);
  const rows = useMemo(() => lineDiff(before, after), [before, after]);
  return (
    <div className={classes.diff} tabIndex={0} role="region" aria-label={`Differences of ${name}`}>
      {rows.flatMap((row, index) => [
        // Rows have no identity but their place.
        // eslint-disable-next-line react/no-array-index-key
        <div
          key={`l${index}`}
          className={classes.diffLine}
          data-kind={row.left !== null && row.right === null ? 'removed' : undefined}
        >
          {row.left}
        </div>,
        // eslint-disable-next-line react/no-array-index-key
        <div
          key={`r${index}`}
          className={classes.diffLine}
          data-kind={row.right !== null && row.left === null ? 'added' : undefined}
        >
          {row.right}
        </div>,
      ])}
    </div>
  );
}

function Properties({ change }: { change: ImportChange & { kind: 'changed' } }) {
  const changes = useMemo(() => propertyChanges(change.before, change.after), [change]);
  return (
    <table className={classes.properties} aria-label={`Properties of ${change.after.name} that change`}>
      <thead>
        <tr>
          <th scope="col">Property</th>
          <th scope="col">Now</th>
          <th scope="col">After the import</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, property, from, to }) => (
          <tr key={`${field}.${property}.${from}.${to}`}>
            <th scope="row" className="mono">
              {[field, property].filter(Boolean).join('.')}
            </th>
            <td data-kind={from === undefined ? undefined : 'removed'}>{from ?? '–'}</td>
            <td data-kind={to === undefined ? undefined : 'added'}>{to ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChangeView({ change }: { change: ImportChange }) {
  const [shown, setShown] = useState(false);
  const name =
    change.kind === 'added'
      ? change.after.name
      : change.kind === 'changed' && change.before.name !== change.after.name
        ? `${change.before.name} → ${change.after.name}`
        : change.before.name;
  return (
    <Section title={name} state={change.kind}>
      {change.kind === 'changed' ? (
        <>
          <Properties change={change} />
          <p style={{ margin: 0 }}>
            <ShowHide what="it as JSON" shown={shown} onChange={setShown} />
          </p>
        </>
      ) : null}
      {shown || change.kind !== 'changed' ? <TextDiff change={change} name={name} /> : null}
    </Section>
  );
}

/** Brings collections in from JSON, after showing what will be different (UI-69). */
export function ImportScreen() {
  const collections = useCollections();
  const stored = useMemo(() => collections.data ?? [], [collections.data]);
  const [text, setText] = useState('');
  const [merge, setMerge] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLDivElement>(null);
  const confirm = useConfirm();
  const changed = useChanged();
  const queries = useQueryClient();
  const parsed = useMemo(() => parseEntries(text), [text]);
  const entries = typeof parsed === 'string' ? [] : parsed;
  const changes = useMemo(
    () => (entries.length ? importChanges(stored, entries, !merge) : []),
    [stored, entries, merge],
  );
  const otherIds = useMemo(() => renamedIds(stored, entries), [stored, entries]);
  const lostCollections = changes.filter((each) => each.kind === 'deleted').map((each) => each.before.name);
  const lostFields = changes.flatMap((each) =>
    each.kind === 'changed' ? each.lostFields.map((field) => `${each.before.name}.${field}`) : [],
  );
  const count = (kind: ImportChange['kind']) => changes.filter((each) => each.kind === kind).length;

  const run = async () => {
    if (lostCollections.length || lostFields.length) {
      const sure = await confirm({
        title: 'Some data will be lost',
        body: (
          <ul>
            {lostCollections.map((name) => (
              <li key={name}>
                The collection <b>{name}</b> with all its records
              </li>
            ))}
            {lostFields.map((name) => (
              <li key={name}>
                The field <b>{name}</b> with all its values
              </li>
            ))}
          </ul>
        ),
        action: 'Import and delete these',
        danger: true,
      });
      if (!sure) return;
    }
    setBusy(true);
    setError(null);
    try {
      await api.collections.import(entries as never, !merge);
      toastSuccess('The collections were imported.');
      setText('');
      // There is nothing to import any more: the button cannot be used, and the next text goes here.
      input.current?.querySelector<HTMLElement>('[role="textbox"], textarea')?.focus();
      await changed('collections');
      await queries.invalidateQueries({ queryKey: ['records'] });
    } catch (failure) {
      setError(errorAt(errorTreeOf(failure), 'collections') ?? messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const load = (file: File | null) => {
    if (file) void file.text().then(setText);
  };
  // Without them nobody could say what an import changes or deletes.
  if (collections.isPending) return <LoadingLines />;
  if (collections.isLoadingError)
    return <FailedState error={collections.error} onRetry={() => void collections.refetch()} />;
  return (
    <Stack gap={14}>
      <Group gap={8}>
        <FileButton onChange={load} accept="application/json,.json">
          {(props) => (
            <Button {...props} size="xs" variant="default" leftSection={<IconFileUpload size={15} />}>
              Load from a JSON file
            </Button>
          )}
        </FileButton>
        <span className="hint">or paste it below</span>
      </Group>
      <div ref={input}>
        <CodeInput
          language="json"
          label="Collections to import"
          value={text}
          onChange={setText}
          placeholder='[{ "name": "posts", "type": "base", "fields": [ … ] }]'
          minHeight={160}
          maxHeight={320}
          invalid={typeof parsed === 'string'}
        />
      </div>
      {typeof parsed === 'string' ? (
        <p role="alert" style={{ margin: 0, color: 'var(--danger)' }}>
          {parsed}
        </p>
      ) : null}
      <Switch
        label="Merge with existing collections"
        description="Otherwise collections and fields that are not in the import are deleted with their data."
        checked={merge}
        onChange={(event) => setMerge(event.currentTarget.checked)}
      />
      {otherIds.length ? (
        <Alert color="yellow.9" icon={<IconAlertTriangle size={18} />} role="status" title="Same names, other ids">
          <Stack gap={8} align="flex-start">
            <span style={{ color: 'var(--ink)' }}>
              {otherIds.map(({ entry }) => entry.name).join(', ')} exist here under other ids and would be taken for new
              collections.
            </span>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setText(JSON.stringify(withOriginalIds(stored, entries), null, 2))}
            >
              Replace with original ids
            </Button>
          </Stack>
        </Alert>
      ) : null}
      <ErrorNote message={error} />
      {entries.length ? (
        <section aria-label="Detected changes">
          <Group gap={8} mb={10}>
            <h2 style={{ margin: 0, fontSize: 14 }}>Detected changes</h2>
            {(['added', 'changed', 'deleted'] as const).map((kind) =>
              count(kind) ? (
                <Badge key={kind} variant="outline" color={COLOURS[kind]} styles={{ label: { color: 'var(--ink)' } }}>
                  {count(kind)} {kind}
                </Badge>
              ) : null,
            )}
          </Group>
          {changes.length ? null : <p className="hint">Everything is like this already.</p>}
          {changes.map((change) => (
            <ChangeView key={change.kind === 'added' ? `+${change.after.name}` : change.before.id} change={change} />
          ))}
          {lostFields.length || lostCollections.length ? (
            <p style={{ color: 'var(--danger)', overflowWrap: 'anywhere' }}>
              Will be lost with all data: {[...lostCollections, ...lostFields].join(', ')}
            </p>
          ) : null}
        </section>
      ) : null}
      <Group justify="flex-end">
        <Button variant="default" disabled={!text || busy} onClick={() => setText('')}>
          Clear
        </Button>
        <Button disabled={!changes.length} loading={busy} onClick={() => void run()}>
          Import
        </Button>
      </Group>
    </Stack>
  );
}
