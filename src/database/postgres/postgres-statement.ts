import pg, { type ClientBase } from 'pg';
import { ConflictError } from '../../kernel/errors/conflict.error.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult } from '../dialect.js';
import { translatePostgresError } from './postgres-errors.js';
import { type NamedStatement, PostgresQuery } from './postgres-query.js';

/** What a statement gave, and which command the server says it was. */
export interface PostgresResult<Row> extends StatementResult<Row> {
  readonly command: string;
}

/** Runs one statement, its values bound, on a connection; by a name that the connection may know. */
export async function runOn<Row>(
  client: ClientBase,
  { sql, params, isNative }: CompiledSql,
  named?: NamedStatement,
): Promise<PostgresResult<Row>> {
  try {
    if (isNative) return await runNatively(client, sql, params, named);
    const { rows, changes, command } = await PostgresQuery.run(client, sql, params, named);
    return { rows: rows as Row[], changes, lastInsertId: 0, command };
  } catch (error) {
    throw translatePostgresError(error);
  }
}

/** Whoever begins again judges before it writes. */
export function requireChange({ isConditional }: CompiledSql, changes: number): void {
  if (isConditional && changes === 0)
    throw new DatabaseError('busy', 'What a write depends on does not hold.', {}, { answer: new ConflictError() });
}

/**
 * Has what is written on a connection meanwhile sent at once: each time that something is sent costs more than most of
 * what a statement does.
 */
export function sendTogether<T>(client: ClientBase, write: () => T): T {
  const { stream } = (client as unknown as { readonly connection: pg.Connection }).connection;
  stream.cork();
  try {
    return write();
  } finally {
    stream.uncork();
  }
}

/** With the values as the driver makes them. */
async function runNatively<Row>(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
  named?: NamedStatement,
): Promise<PostgresResult<Row>> {
  const { types } = pg;
  const isPlain = values.length === 0 && !named;
  const given = await client.query(isPlain ? { text, types } : { name: named?.name, text, types, values: [...values] });
  // Several statements may stand in one text where none has values; the last one counts.
  const { rows, rowCount, command } = [given].flat().at(-1)!;
  return { rows: rows as Row[], changes: rowCount ?? 0, lastInsertId: 0, command };
}
