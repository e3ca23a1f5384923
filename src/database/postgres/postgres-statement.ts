import pg, { type ClientBase, type Pool } from 'pg';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import { translatePostgresError } from './postgres-errors.js';

/** What a statement gave, and which command the server says it was. */
export interface PostgresResult<Row> extends StatementResult<Row> {
  readonly command: string;
}

/** Runs one statement, its values bound, on a connection or on any of the pool; by a name that the connection may know. */
export async function runOn<Row>(
  client: ClientBase | Pool,
  { sql, params, isNative }: CompiledSql,
  name?: string,
): Promise<PostgresResult<Row>> {
  try {
    // Several statements may stand in one text where none has values; the last one counts.
    const types = isNative ? pg.types : undefined;
    const given = await client.query(
      params.length === 0 && name === undefined
        ? { text: sql, types }
        : { name, text: sql, types, values: params as unknown[] },
    );
    const { rows, rowCount, command } = [given].flat().at(-1)!;
    return { rows: rows as Row[], changes: rowCount ?? 0, lastInsertId: 0, command };
  } catch (error) {
    throw translatePostgresError(error);
  }
}
