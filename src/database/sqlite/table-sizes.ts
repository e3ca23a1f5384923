import type { SqliteConnection } from './sqlite-driver.js';

/** A table without row numbers is counted up to here. */
const COUNT_LIMIT = 100_000;

/**
 * About how many rows each table has, by the root pages of the table and its indexes. Asked for when first needed
 * and kept until `forget()`; the row numbers at both ends are enough and cost two look-ups.
 */
export class TableSizes {
  private tables?: Promise<ReadonlyMap<number, string>>;
  private readonly sizes = new Map<string, Promise<number>>();

  constructor(private readonly reader: SqliteConnection) {}

  forget(): void {
    this.tables = undefined;
    this.sizes.clear();
  }

  /** The sizes behind these root pages. */
  async of(rootPages: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const tables = await (this.tables ??= this.loadTables());
    const entries = rootPages.map(async (page) => [page, await this.sizeOf(tables.get(page))] as const);
    return new Map(await Promise.all(entries));
  }

  private async loadTables(): Promise<ReadonlyMap<number, string>> {
    const rows = await this.reader.all<{ rootpage: number; tbl_name: string }>({
      sql: 'SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0',
      params: [],
    });
    return new Map(rows.map((row) => [row.rootpage, row.tbl_name]));
  }

  private sizeOf(table: string | undefined): Promise<number> {
    if (table === undefined) return Promise.resolve(0);
    let size = this.sizes.get(table);
    if (size === undefined) {
      size = this.measure(`"${table.replaceAll('"', '""')}"`);
      this.sizes.set(table, size);
    }
    return size;
  }

  private async measure(table: string): Promise<number> {
    try {
      return await this.number(
        `SELECT (SELECT max(_rowid_) FROM ${table}) - (SELECT min(_rowid_) FROM ${table}) + 1 AS n`,
      );
    } catch {
      // WITHOUT ROWID: there is no row number to ask for.
      return this.number(`SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT ${COUNT_LIMIT})`);
    }
  }

  private async number(sql: string): Promise<number> {
    const [row] = await this.reader.all<{ n: number | null }>({ sql, params: [] });
    return row.n ?? 0;
  }
}
