import type { ClientBase, Pool } from 'pg';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import { translatePostgresError } from './postgres-errors.js';

/** What a statement gave, and which command the server says it was. */
export interface PostgresResult<Row> extends StatementResult<Row> {
  readonly command: string;
}

/** Runs one statement, its values bound, on a connection or on any of the pool. */
export async function runOn<Row>(
  client: ClientBase | Pool,
  { sql, params }: CompiledSql,
): Promise<PostgresResult<Row>> {
  try {
    const { rows, rowCount, command } = await client.query({ text: sql, values: params as unknown[] });
    return { rows: rows as Row[], changes: rowCount ?? 0, lastInsertId: 0, command };
  } catch (error) {
    throw translatePostgresError(error);
  }
}
