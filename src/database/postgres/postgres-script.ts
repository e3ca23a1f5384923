import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { shownName } from '../../kernel/sql/postgres-names.js';
import type { ScriptResult, SqlScript } from '../dialect.js';
import { translatePostgresError } from './postgres-errors.js';
import { withStoredNames } from './postgres-spelling.js';

/** Commands that tell how many rows they have changed. */
const CHANGING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** What is shown to people has all its digits. */
const AS_WRITTEN = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** Runs a script on a connection, in the transaction that is open there. */
export async function runScriptOn(client: pg.ClientBase, { text, writes, maxRows }: SqlScript): Promise<ScriptResult> {
  const started = performance.now();
  const results = await client
    .query({ text: withStoredNames(text), rowMode: 'array', types: AS_WRITTEN })
    .catch((error: unknown) => {
      throw translatePostgresError(error);
    });
  const { fields, rows, rowCount, command } = [results].flat().at(-1)!;
  return {
    columns: writes
      ? []
      : fields.map(({ name, dataTypeID }) => ({ name: shownName(name), type: String(dataTypeID), nullable: true })),
    rows: writes ? [] : (rows.slice(0, maxRows) as ScriptResult['rows']),
    // Of a reading statement it tells how many rows there are.
    changes: CHANGING.has(command) ? (rowCount ?? 0) : 0,
    milliseconds: performance.now() - started,
  };
}
