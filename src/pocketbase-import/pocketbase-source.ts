import { constants } from 'node:fs';
import { access, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseDriver } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { ForeignDatabase } from '../database/foreign-database.js';
import type { SqlValue } from '../kernel/fields/field-type.js';

/** A definition of a collection in the shape an import takes it, secrets included. */
export type SourceCollection = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly created: string;
  readonly updated: string;
  readonly system: boolean;
  readonly indexes: readonly string[];
};

type CollectionRow = Record<'id' | 'name' | 'type' | 'created' | 'updated' | 'fields' | 'indexes' | 'options', string> &
  Record<'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule', string | null> & { system: number };

/** Rows that are read at a time. */
export const PAGE = 500;

/**
 * A data directory of PocketBase 0.23 or newer. Its databases are copied before they are opened: SQLite writes beside
 * a file it reads, and nothing may be written there.
 */
export class PocketBaseSource {
  private constructor(
    readonly path: string,
    private readonly data: ForeignDatabase,
    private readonly auxiliary: ForeignDatabase | undefined,
  ) {}

  /** Throws a StartError when the directory holds no database; looks only. */
  static async require(path: string): Promise<void> {
    await access(join(path, 'data.db'), constants.R_OK).catch((error: Error) => {
      throw new StartError(`There is no data directory of PocketBase in ${path}: data.db cannot be read.`, {
        cause: error,
      });
    });
  }

  /** Throws a StartError when it is older than 0.23. `workshop` takes the copies. */
  static async open(path: string, workshop: string, driver: DatabaseDriver): Promise<PocketBaseSource> {
    await mkdir(workshop, { recursive: true, mode: 0o700 });
    await copyDatabase(path, workshop, 'data.db');
    const hasLogs = await copyDatabase(path, workshop, 'auxiliary.db');
    const data = await ForeignDatabase.open(join(workshop, 'data.db'), driver);
    try {
      await requireModern(data);
      const logs = hasLogs ? await ForeignDatabase.open(join(workshop, 'auxiliary.db'), driver) : undefined;
      return new PocketBaseSource(path, data, logs);
    } catch (error) {
      await data.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.data.close();
    await this.auxiliary?.close();
  }

  /** All definitions in order of creation. */
  async collections(): Promise<SourceCollection[]> {
    const rows = await this.data.all<CollectionRow>({ sql: 'SELECT * FROM "_collections" ORDER BY rowid', params: [] });
    return rows.map(({ fields, indexes, options, system, ...row }) => ({
      ...(JSON.parse(options || '{}') as object),
      ...row,
      system: system !== 0,
      fields: JSON.parse(fields || '[]') as unknown,
      indexes: JSON.parse(indexes || '[]') as string[],
    }));
  }

  /** The stored settings as they are, text or encrypted; undefined when there are none. */
  async settings(): Promise<string | undefined> {
    const rows = await this.data.all<{ value: string }>({
      sql: `SELECT CAST("value" AS TEXT) AS "value" FROM "_params" WHERE "id" = 'settings'`,
      params: [],
    });
    return rows[0]?.value;
  }

  async columns(table: string): Promise<ReadonlySet<string>> {
    const rows = await this.data.all<{ name: string }>({
      sql: 'SELECT name FROM pragma_table_info(?)',
      params: [table],
    });
    return new Set(rows.map(({ name }) => name));
  }

  /** The rows of a table in the order they were inserted in, a page at a time. The columns must exist. */
  pages(table: string, columns: readonly string[]): AsyncGenerator<readonly Row[]> {
    return pagesOf(this.data, table, columns);
  }

  /** How many logs there are; 0 when there is no database for them. */
  async countLogs(): Promise<number> {
    const rows = await this.auxiliary
      ?.all<{ total: number }>({ sql: 'SELECT COUNT(*) AS "total" FROM "_logs"', params: [] })
      .catch(() => []);
    return rows?.[0]?.total ?? 0;
  }
}

/** The values of a record by column. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A column with the row number in the rows that are read; no field has this name. */
export const PLACE = 'the place';

/** The rows of a table in the order they were inserted in, a page at a time: lists without a sort show it (SORT-5). */
async function* pagesOf(
  data: ForeignDatabase,
  table: string,
  columns: readonly string[],
): AsyncGenerator<readonly Row[]> {
  const names = [`_rowid_ AS ${quote(PLACE)}`, ...columns.map(quote)].join(', ');
  const sql = `SELECT ${names} FROM ${quote(table)} WHERE _rowid_ > ? ORDER BY _rowid_ LIMIT ${PAGE}`;
  for (let last: SqlValue = Number.MIN_SAFE_INTEGER; ;) {
    const rows: Row[] = await data.all<Row>({ sql, params: [last] });
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)![PLACE]!;
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Copies a database with its journal; false when there is none. */
async function copyDatabase(path: string, workshop: string, name: string): Promise<boolean> {
  for (const file of [name, `${name}-wal`]) {
    try {
      await copyFile(join(path, file), join(workshop, file), constants.COPYFILE_EXCL);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (file === name) return false;
    }
  }
  return true;
}

async function requireModern(data: ForeignDatabase): Promise<void> {
  const rows = await data
    .all<{ name: string }>({ sql: `SELECT name FROM pragma_table_info('_collections')`, params: [] })
    .catch((error: Error) => {
      throw new StartError(`data.db is not a database of PocketBase: ${error.message}`, { cause: error });
    });
  const names = new Set(rows.map(({ name }) => name));
  if (names.size === 0) throw new StartError('data.db is not a database of PocketBase: it has no collections.');
  if (!names.has('fields') || !names.has('options')) {
    throw new StartError(
      'The data directory is older than PocketBase 0.23: update PocketBase and start it once first.',
    );
  }
}
