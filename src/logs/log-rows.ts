import { Injectable } from '@nestjs/common';
import { AuxiliaryDatabase } from '../database/auxiliary-database.js';
import type { RowsPart } from '../database/dialect.js';
import { ProcessUnavailableError } from '../database/process-unavailable.error.js';
import { formatDateTime } from '../kernel/date-time.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { timeOrderedIds } from '../kernel/ids.js';
import { type EntryPage, PAGE_LENGTH } from './entry-page.js';

/** The table of the log entries. */
export const LOGS_TABLE = '_logs';

/** Rows deleted in one statement, so that nothing else of the process waits long for it. */
const CHUNK = 2_000;

const ROW = '(?, ?, ?, ?, ?)';

const INSERT = `INSERT INTO "${LOGS_TABLE}" ("id", "created", "level", "message", "data") VALUES ${ROW}`;

/** From this number on writing is another process's work: it takes long enough to be felt, and the disk longer still. */
const MANY = PAGE_LENGTH;

/** Rows of one statement: a quarter of the time goes into beginning and ending statements otherwise. */
const TOGETHER = 50;

const INSERT_TOGETHER = INSERT + `, ${ROW}`.repeat(TOGETHER - 1);

/** Writes and deletes log entries. */
@Injectable()
export class LogRows {
  constructor(private readonly database: AuxiliaryDatabase) {}

  /** Stores entries in one transaction, outside of any other. Many of them are written by another process. */
  async insert(pages: readonly EntryPage[]): Promise<void> {
    const count = pages.reduce((sum, page) => sum + page.length, 0);
    if (count < MANY) return this.insertHere(pages);
    try {
      await this.database.writes.runForRows({ writes: [LOGS_TABLE], parts: inParts(pages) });
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      await this.insertHere(pages);
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
    await this.database.upkeep.compact();
  }

  private async deleteWhere(condition: string, params: readonly (string | number)[]): Promise<void> {
    const sql = `DELETE FROM "${LOGS_TABLE}" WHERE "id" IN (SELECT "id" FROM "${LOGS_TABLE}" WHERE ${condition} LIMIT ${CHUNK})`;
    for (;;) {
      const { changes } = await this.database.run({ sql, params, writes: [LOGS_TABLE] });
      if (changes < CHUNK) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private async insertHere(pages: readonly EntryPage[]): Promise<void> {
    const valuesOf = valuesMaker();
    await this.database.transaction(async () => {
      for (const page of pages) {
        for (let index = 0; index < page.length; index++) {
          await this.database.run({ sql: INSERT, params: valuesOf(page, index, 1), writes: [LOGS_TABLE] });
        }
      }
    });
  }
}

/** Entries are put into words only when their page is due: doing so with all at once would hold up requests. */
function* inParts(pages: readonly EntryPage[]): Generator<RowsPart> {
  const valuesOf = valuesMaker();
  for (const page of pages) {
    const rows: SqlValue[][] = [];
    let index = 0;
    for (; index + TOGETHER <= page.length; index += TOGETHER) rows.push(valuesOf(page, index, TOGETHER));
    if (rows.length > 0) yield { sql: INSERT_TOGETHER, rows };
    const rest: SqlValue[][] = [];
    for (; index < page.length; index++) rest.push(valuesOf(page, index, 1));
    if (rest.length > 0) yield { sql: INSERT, rows: rest };
  }
}

/** Makes the values of so many entries in a row. When there are many entries, many are of the same millisecond. */
function valuesMaker(): (page: EntryPage, first: number, count: number) => SqlValue[] {
  const idOf = timeOrderedIds();
  let last = NaN;
  let created = '';
  return (page, first, count) => {
    const values: SqlValue[] = [];
    for (let index = first; index < first + count; index++) {
      const { at, level, message, data } = page.at(index);
      if (at !== last) created = formatDateTime((last = at));
      values.push(idOf(at), created, level, message, data);
    }
    return values;
  };
}
