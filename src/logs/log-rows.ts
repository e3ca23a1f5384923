import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AuxiliaryDatabase } from '../database/database.js';
import type { CompiledSql } from '../database/compiled-sql.js';
import type { RowsPart } from '../database/dialect.js';
import { ProcessUnavailableError } from '../database/process-unavailable.error.js';
import { formatDateTime } from '../kernel/date-time.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { timeOrderedIds } from '../kernel/ids.js';
import type { PreparedStatement } from '../kernel/sql/prepared-statement.js';
import type { SqlNode, SqlQuery } from '../kernel/sql/sql-node.js';
import { and, call, column, compare, param, table } from '../kernel/sql/sql.js';
import type { WaitingEntry } from './log-entry.js';
import { toJson, toText } from './log-json.js';

/** The table of the log entries. */
export const LOGS_TABLE = '_logs';

/** `YYYY-MM-DD HH` */
const HOUR_LENGTH = 13;

/** Rows deleted in one statement, so that nothing else of the process waits long for it. */
const CHUNK = 2_000;

/** Its columns. */
export const LOG_COLUMNS = { id: 'text', created: 'text', level: 'number', message: 'text', data: 'json' } as const;

const ID = column(LOGS_TABLE, 'id');
const CREATED = column(LOGS_TABLE, 'created');
const LEVEL = column(LOGS_TABLE, 'level', 'number');

/** OPS-87. So many entries are written at once; it is another process's work then, which the disk may hold up. */
export const BATCH = 200;

/** Rows of one statement; with one row each, a quarter of the time would go into the statements themselves. */
const TOGETHER = 50;

/** Writes and deletes log entries. */
@Injectable()
export class LogRows {
  constructor(private readonly database: AuxiliaryDatabase) {}

  /** Stores entries in one transaction, outside of any other. Many of them are written by another process. */
  async insert(entries: readonly WaitingEntry[]): Promise<void> {
    if (entries.length < BATCH) return this.insertHere(entries);
    try {
      await this.database.writes.runForRows({ writes: [LOGS_TABLE], parts: this.inParts(entries) });
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      await this.insertHere(entries);
    }
  }

  /** Deletes what is older than a moment, or below a level. */
  async delete(limits: { readonly before: string; readonly belowLevel?: number }): Promise<void> {
    const { before, belowLevel } = limits;
    // The first condition is the one with an index; the second is exact.
    await this.deleteWhere(
      and(
        compare(call('hour', CREATED), '<=', param(before.slice(0, HOUR_LENGTH))),
        compare(CREATED, '<', param(before)),
      ),
    );
    if (belowLevel !== undefined) await this.deleteWhere(compare(LEVEL, '<', param(belowLevel)));
  }

  /** Deletes everything and gives the space back. */
  async deleteAll(): Promise<void> {
    await this.database.run({ kind: 'delete', from: LOGS_TABLE });
    await this.database.upkeep.compact();
  }

  private async deleteWhere(condition: SqlNode): Promise<void> {
    const query: SqlQuery = {
      kind: 'select',
      columns: [{ value: ID, as: 'id' }],
      from: table(LOGS_TABLE),
      where: condition,
      limit: CHUNK,
    };
    for (;;) {
      const where: SqlNode = { kind: 'in', value: ID, query };
      const { changes } = await this.database.run({ kind: 'delete', from: LOGS_TABLE, where });
      if (changes < CHUNK) return;
      await nextTurn();
    }
  }

  private async insertHere(entries: readonly WaitingEntry[]): Promise<void> {
    const valuesOf = valuesMaker();
    const insert = this.insertOf(1);
    await this.database.transaction(async () => {
      for (const entry of entries) await this.database.writes.run(insert.with(valuesOf([entry])));
    });
  }

  /** Serializes the entries part by part: all at once would block the event loop. */
  private *inParts(entries: readonly WaitingEntry[]): Generator<RowsPart> {
    const valuesOf = valuesMaker();
    const together = entries.length - (entries.length % TOGETHER);
    for (let first = 0; first < together; first += TOGETHER) {
      const values = valuesOf(entries.slice(first, first + TOGETHER));
      const listed = this.listed(values);
      yield listed ? { sql: listed.sql, rows: [listed.params] } : { sql: this.insertOf(TOGETHER).sql, rows: [values] };
    }
    const rest = entries.slice(together).map((entry) => valuesOf([entry]));
    if (rest.length > 0) yield { sql: this.insertOf(1).sql, rows: rest };
  }

  private listed(values: readonly SqlValue[]): CompiledSql | undefined {
    const { dialect } = this.database;
    if (!dialect.insertOfRows) return undefined;
    const columns = Object.entries(LOG_COLUMNS).map(([name, type]) => ({ name, type }));
    const rows = Array.from({ length: TOGETHER }, (_, row) =>
      Object.fromEntries(columns.map(({ name }, at) => [name, values[row * columns.length + at]!])),
    );
    return dialect.insertOfRows(LOGS_TABLE, columns, rows);
  }

  private insertOf(count: number): PreparedStatement {
    return this.database.statements.of(LOG_COLUMNS, `insert ${count}`, (place) => ({
      kind: 'insert',
      into: LOGS_TABLE,
      columns: Object.keys(LOG_COLUMNS),
      rows: Array.from({ length: count }, () => Object.values(LOG_COLUMNS).map((type) => place(type))),
    }));
  }
}

/** Makes the values of entries in a row. When there are many entries, many are of the same millisecond. */
function valuesMaker(): (entries: readonly WaitingEntry[]) => SqlValue[] {
  const idOf = timeOrderedIds();
  let last = NaN;
  let created = '';
  return (entries) =>
    entries.flatMap(({ at, entry }) => {
      if (at !== last) created = formatDateTime((last = at));
      return [idOf(at), created, entry.level, toText(entry.message), toJson(entry.data)];
    });
}
