import { Button, Group, Menu, Stack } from '@mantine/core';
import { IconBinaryTree, IconDownload, IconHistory, IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { ClientResponseError } from 'pocketbase';
import { useMemo, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { SqlAnswer } from '../api/models.js';
import { messageOf } from '../api/failure.js';
import { useCollections, useHideControls } from '../api/queries.js';
import { useChanged } from '../api/use-changed.js';
import { useStored } from '../app/use-stored.js';
import { CodeInput } from '../code/code-input.js';
import { useConfirm } from '../design/confirm.js';
import { downloadCsv } from '../design/download.js';
import { EmptyState } from '../design/states.js';
import { ErrorNote } from '../login/error-note.js';
import { explained } from './plan-tree.js';
import { SqlResult } from './sql-result.js';
import { SqlSnippets } from './sql-snippets.js';
import classes from './settings.module.css';

const WRITING = /^\s*(INSERT|CREATE|UPDATE|DELETE|DROP|DETACH|ALTER|REPLACE)\b/i;

function rowsText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}${count === 1000 ? ', the max that is returned,' : ''}`;
}

/** SQL by hand, with care (UI-70). */
export function SqlScreen() {
  const { data: collections = [] } = useCollections();
  const hideControls = useHideControls();
  const confirm = useConfirm();
  const changed = useChanged();
  const queries = useQueryClient();
  const warned = useRef(false);
  const [history, setHistory] = useStored<string[]>('roost_sql_history', []);
  const [query, setQuery] = useState(history[0] ?? '');
  const [answer, setAnswer] = useState<SqlAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [runs, setRuns] = useState(0);
  const [off, setOff] = useState(false);
  const [busy, setBusy] = useState(false);
  const schema = useMemo(
    () => Object.fromEntries(collections.map((each) => [each.name, each.fields.map((field) => field.name)])),
    [collections],
  );
  const run = async (statements: string, isKept = true) => {
    const text = statements.trim();
    if (!text || busy) return;
    const writes = WRITING.test(text);
    if (writes || (hideControls && !warned.current)) {
      const sure = await confirm({
        title: writes ? 'Run a writing statement?' : 'Run SQL here?',
        body: writes
          ? 'It changes the database directly: no rules, no hooks, no realtime events, no way back.'
          : 'Controls are hidden in this installation, which usually means that it is in production.',
        action: 'Run',
        danger: writes,
      });
      if (!sure) return;
      warned.current = true;
    }
    setBusy(true);
    setError(null);
    try {
      setAnswer((await api.sql.run(text)) as unknown as SqlAnswer);
      setRuns((count) => count + 1);
      if (isKept) setHistory((current) => [text, ...current.filter((each) => each !== text)].slice(0, 10));
      if (writes) {
        await changed('collections');
        await queries.invalidateQueries({ queryKey: ['records'] });
      }
    } catch (failure) {
      setAnswer(null);
      if (failure instanceof ClientResponseError && failure.status === 404) setOff(true);
      else setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const explain = () => {
    const statement = explained(query);
    if (statement) void run(statement, false);
    else {
      setAnswer(null);
      setError('One statement at a time can be explained.');
    }
  };
  if (off) return <EmptyState title="The SQL console is switched off">This server was started without it.</EmptyState>;
  return (
    <Stack gap={12}>
      <CodeInput
        language="sql"
        label="SQL"
        value={query}
        onChange={setQuery}
        onSubmit={(text) => void run(text)}
        sqlSchema={schema}
        minHeight={150}
        maxHeight={360}
        lineNumbers
        placeholder="SELECT id, name FROM _collections"
      />
      <Group gap={8}>
        <Button
          leftSection={<IconPlayerPlay size={15} />}
          loading={busy}
          disabled={!query.trim()}
          onClick={() => void run(query)}
        >
          Run
        </Button>
        <Button
          variant="default"
          leftSection={<IconBinaryTree size={15} />}
          disabled={!query.trim() || busy}
          onClick={explain}
        >
          Explain
        </Button>
        <span className={`hint ${classes.keys}`}>Ctrl/⌘ Enter</span>
        <SqlSnippets query={query} onPick={setQuery} />
        <Menu position="bottom-start" width={420}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconHistory size={15} />}>
              History
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {history.length ? (
              history.map((each) => (
                <Menu.Item key={each} onClick={() => setQuery(each)}>
                  <span className="mono truncate" style={{ display: 'block' }}>
                    {each.replaceAll(/\s+/g, ' ')}
                  </span>
                </Menu.Item>
              ))
            ) : (
              <Menu.Label>Nothing was run yet</Menu.Label>
            )}
          </Menu.Dropdown>
        </Menu>
        <Button
          variant="default"
          leftSection={<IconDownload size={15} />}
          disabled={!answer?.columns.length}
          onClick={() =>
            answer &&
            downloadCsv(
              'result.csv',
              answer.columns.map((column) => column.name),
              answer.rows,
            )
          }
        >
          CSV
        </Button>
      </Group>
      <ErrorNote message={error} />
      {answer ? (
        <p className="hint tabular" role="status" style={{ margin: 0 }}>
          {answer.columns.length ? rowsText(answer.rows.length) : `${answer.affectedRows} rows affected`} in{' '}
          {answer.execTime} ms
        </p>
      ) : null}
      {answer?.columns.length ? <SqlResult key={runs} answer={answer} /> : null}
      <ul className="hint" style={{ margin: '8px 0 0', paddingLeft: 18 }}>
        <li>Max 1000 rows are returned; of several statements the result is that of the last.</li>
        <li>
          A writing statement runs in one transaction, without hooks and realtime events. After three minutes a
          statement is cut off.
        </li>
        <li>Changing tables of collections by hand can leave them unusable. Make a backup first.</li>
      </ul>
    </Stack>
  );
}
