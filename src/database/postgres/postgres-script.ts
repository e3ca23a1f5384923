import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { shownName } from '../../kernel/sql/postgres-names.js';
import { DatabaseError } from '../database.error.js';
import type { ScriptResult, SqlScript } from '../dialect.js';
import { translatePostgresError } from './postgres-errors.js';
import { withStoredNames } from './postgres-spelling.js';

/** Commands that tell how many rows they have changed. */
const CHANGING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Keeps of each statement what is wanted, whatever the server sends (OPS-39). */
class ScriptQuery extends pg.Query {
  fields: readonly pg.FieldDef[] = [];
  /** The driver means something else by `rows`. */
  shown: (string | null)[][] = [];
  command = '';
  changes = 0;
  private left = 0;
  declare callback: (error?: unknown) => void;

  private constructor(
    text: string,
    private readonly most: SqlScript['most'],
    done: (query: ScriptQuery) => void,
    failed: (error: unknown) => void,
  ) {
    super(text);
    this.callback = (error) => {
      if (error) failed(error);
      else if (this.left < 0) failed(tooLarge(most.bytes));
      else done(this);
    };
  }

  static run(client: pg.ClientBase, text: string, most: SqlScript['most']): Promise<ScriptQuery> {
    return new Promise((resolve, reject) => {
      client.query(new ScriptQuery(text, most, resolve, reject));
    });
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.fields = fields;
    this.shown = [];
    this.left = this.most.bytes;
  }

  /** What is shown to people has all its digits: as the server writes it. */
  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    if (this.shown.length >= this.most.rows || this.left < 0) return;
    for (const value of fields) this.left -= value?.length ?? 0;
    this.shown.push(fields);
    if (this.left < 0) this.shown = [];
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const words = text.split(' ');
    this.command = words[0]!;
    this.changes = Number(words.at(-1)) || 0;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}

function tooLarge(bytes: number): DatabaseError {
  return new DatabaseError(
    'other',
    `The rows are more than ${bytes / 2 ** 20} MiB. Ask for fewer, or for less of each.`,
  );
}

/** Runs a script on a connection, in the transaction that is open there. */
export async function runScriptOn(client: pg.ClientBase, { text, writes, most }: SqlScript): Promise<ScriptResult> {
  const started = performance.now();
  const { fields, shown, command, changes } = await ScriptQuery.run(client, withStoredNames(text), most).catch(
    (error: unknown) => {
      throw translatePostgresError(error);
    },
  );
  return {
    columns: writes
      ? []
      : fields.map(({ name, dataTypeID }) => ({ name: shownName(name), type: String(dataTypeID), nullable: true })),
    rows: writes ? [] : shown,
    // Of a reading statement it tells how many rows there are.
    changes: CHANGING.has(command) ? changes : 0,
    milliseconds: performance.now() - started,
  };
}
