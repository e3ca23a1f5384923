import { Injectable } from '@nestjs/common';
import { AuxiliaryDatabase } from '../database/auxiliary-database.js';
import type { RowsPart } from '../database/dialect.js';
import { ProcessUnavailableError } from '../database/process-unavailable.error.js';
import { formatDateTime } from '../kernel/date-time.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { timeOrderedIds } from '../kernel/ids.js';
import type { WaitingEntry } from './log-entry.js';

/** The table of the log entries. */
export const LOGS_TABLE = '_logs';

/** Rows deleted in one statement, so that nothing else of the process waits long for it. */
const CHUNK = 2_000;

const ROW = '(?, ?, ?, ?, ?)';

const INSERT = `INSERT INTO "${LOGS_TABLE}" ("id", "created", "level", "message", "data") VALUES ${ROW}`;

/** From this number on writing is another process's work: it takes long enough to be felt, and the disk longer still. */
const MANY = 200;

/** Rows handed over at a time. */
const PART = 250;

/** Rows of one statement: a quarter of the time goes into beginning and ending statements otherwise. */
const TOGETHER = 50;

const INSERT_TOGETHER = INSERT + `, ${ROW}`.repeat(TOGETHER - 1);

/** Writes and deletes log entries. */
@Injectable()
export class LogRows {
  constructor(private readonly database: AuxiliaryDatabase) {}

  /** Stores entries in one transaction, outside of any other. Many of them are written by another process. */
  async insert(entries: readonly WaitingEntry[]): Promise<void> {
    if (entries.length < MANY) return this.insertHere(entries);
    try {
      await this.database.writeRows({ writes: [LOGS_TABLE], parts: inParts(entries) });
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      await this.insertHere(entries);
    }
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

  private async insertHere(entries: readonly WaitingEntry[]): Promise<void> {
    const toRow = rowMaker();
    await this.database.transaction(async () => {
      for (const entry of entries) {
        await this.database.run({ sql: INSERT, params: toRow(entry), writes: [LOGS_TABLE] });
      }
    });
  }
}

/** Entries become rows only when their part is due: making all at once would hold up requests. */
function* inParts(entries: readonly WaitingEntry[]): Generator<RowsPart> {
  const toRow = rowMaker();
  const whole = entries.length - (entries.length % TOGETHER);
  for (let start = 0; start < whole; start += PART) {
    const rows: SqlValue[][] = [];
    for (let first = start; first < Math.min(start + PART, whole); first += TOGETHER) {
      rows.push(entries.slice(first, first + TOGETHER).flatMap(toRow));
    }
    yield { sql: INSERT_TOGETHER, rows };
  }
  if (whole < entries.length) yield { sql: INSERT, rows: entries.slice(whole).map(toRow) };
}

/** When there are many entries, many are of the same millisecond. */
function rowMaker(): (waiting: WaitingEntry) => SqlValue[] {
  const idOf = timeOrderedIds();
  let last = NaN;
  let created = '';
  return ({ at, entry: { level, message, data } }) => {
    if (at !== last) created = formatDateTime((last = at));
    return [idOf(at), created, level, message, toJson(data)];
  };
}

/** What extensions attach may be anything; an entry that cannot be written must not hold up the others. */
function toJson(data: unknown): string {
  try {
    return JSON.stringify(data) ?? '{}';
  } catch {
    return toJsonWithBigInts(data);
  }
}

/** A replacer costs several times as much as what it is applied to, so it comes in only where it is needed. */
function toJsonWithBigInts(data: unknown): string {
  try {
    return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '{}';
  } catch (error) {
    return JSON.stringify({ unprintable: String(error) });
  }
}
