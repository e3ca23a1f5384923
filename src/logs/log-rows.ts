import { Injectable } from '@nestjs/common';
import { AuxiliaryDatabase } from '../database/auxiliary-database.js';
import type { LogEntry } from './log-entry.js';

/** The table of the log entries. */
export const LOGS_TABLE = '_logs';

/** Rows deleted in one statement, so that nothing else of the process waits long for it. */
const CHUNK = 2_000;

/** Rows written in one statement. */
const ROWS_PER_STATEMENT = 200;

/** Writes and deletes log entries. */
@Injectable()
export class LogRows {
  constructor(private readonly database: AuxiliaryDatabase) {}

  /** Stores entries in one transaction, outside of any other. */
  async insert(entries: readonly LogEntry[]): Promise<void> {
    await this.database.transaction(async () => {
      for (let start = 0; start < entries.length; start += ROWS_PER_STATEMENT) {
        await this.insertSome(entries.slice(start, start + ROWS_PER_STATEMENT));
      }
    });
  }

  /** Deletes what is older than a moment, or below a level. */
  async delete(limits: { readonly before: string; readonly belowLevel?: number }): Promise<void> {
    const { before, belowLevel } = limits;
    // The first condition is the one with an index; the second is exact.
    await this.deleteWhere(`substr("created", 1, 13) <= ? AND "created" < ?`, [before.slice(0, 13), before]);
    if (belowLevel !== undefined) await this.deleteWhere(`"level" < ?`, [belowLevel]);
  }

  /** Deletes everything and gives the space back. */
  async deleteAll(): Promise<void> {
    await this.database.run({ sql: `DELETE FROM "${LOGS_TABLE}"`, params: [], writes: [LOGS_TABLE] });
    await this.database.compact();
  }

  private async deleteWhere(condition: string, params: readonly (string | number)[]): Promise<void> {
    const sql = `DELETE FROM "${LOGS_TABLE}" WHERE "id" IN (SELECT "id" FROM "${LOGS_TABLE}" WHERE ${condition} LIMIT ${CHUNK})`;
    for (;;) {
      const { changes } = await this.database.run({ sql, params, writes: [LOGS_TABLE] });
      if (changes < CHUNK) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private async insertSome(entries: readonly LogEntry[]): Promise<void> {
    await this.database.run({
      sql:
        `INSERT INTO "${LOGS_TABLE}" ("id", "created", "level", "message", "data") VALUES ` +
        entries.map(() => '(?, ?, ?, ?, ?)').join(', '),
      params: entries.flatMap(({ id, created, level, message, data }) => [id, created, level, message, toJson(data)]),
      writes: [LOGS_TABLE],
    });
  }
}

/** What extensions attach may be anything; an entry that cannot be written must not hold up the others. */
function toJson(data: unknown): string {
  try {
    return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '{}';
  } catch (error) {
    return JSON.stringify({ unprintable: String(error) });
  }
}
