import type { CompiledSql } from '../compiled-sql.js';
import {
  type Assumption,
  LEAST_TEXT_ITEM,
  MeasuredTable,
  type Measurement,
  type TableColumn,
  UNMEASURED,
} from './measured-table.js';
import type { ColumnBytes, StoredData } from './query-cost.js';
import type { SqliteConnection } from './sqlite-driver.js';

/** Runs a statement where it holds up nobody; gives undefined where that is not possible now. */
export type ReadInBackground = <Row>(statement: CompiledSql) => Promise<Row[] | undefined>;

/** So many bytes are measured in some milliseconds: to reach what stands behind a long value, all of that is read. */
const MEASURED_BYTES = 4 * 1024 * 1024;
/** A table without row numbers is counted up to here. */
const COUNT_LIMIT = 100_000;
/** The items of longer lists are not counted: there are as many as there can be. */
const COUNTED_LENGTH = 2000;

/** What a set of tables is known to hold. */
export interface Statistics {
  readonly data: StoredData;
  readonly assumptions: readonly Assumption[];
}

/**
 * Statistics of the tables: rows, bytes of columns, rows with the same values in an index. Small tables are measured
 * when they are first asked about, larger ones in the background, and until then nothing is known of them. Later writes
 * are counted; when there were too many, estimates end and the table is measured again.
 */
export class TableStatistics {
  private pages?: Promise<ReadonlyMap<number, StoredAt>>;
  private readonly loading = new Map<string, Promise<MeasuredTable>>();
  private readonly tables = new Map<string, MeasuredTable>();
  private readonly indexes = new Map<string, Promise<readonly (string | undefined)[]>>();
  private readonly unsettled = new Set<MeasuredTable>();

  /** Without `inBackground` large tables stay unknown. */
  constructor(
    private readonly reader: SqliteConnection,
    private readonly inBackground?: ReadInBackground,
  ) {}

  /** The schema has changed. */
  forget(): void {
    for (const table of this.tables.values()) table.end();
    this.pages = undefined;
    this.loading.clear();
    this.indexes.clear();
    this.tables.clear();
  }

  /** Something else may have written to any table. */
  markStale(): void {
    for (const table of this.tables.values()) table.markStale();
  }

  /** What is stored behind these root pages. */
  async of(rootPages: readonly number[]): Promise<Statistics> {
    const pages = await (this.pages ??= this.loadPages());
    const known = new Map<
      number,
      { readonly table: MeasuredTable; readonly index?: readonly (string | undefined)[] }
    >();
    for (const page of rootPages) {
      const found = pages.get(page);
      if (!found) continue;
      const index = found.index === undefined ? undefined : await this.index(found.index);
      known.set(page, { table: await this.table(found.table), index });
    }
    const tables = new Set([...known.values()].map(({ table }) => table));
    return {
      data: {
        rows: (page) => known.get(page)?.table.rows ?? 0,
        column: (page, place) => {
          const found = known.get(page);
          if (!found) return UNMEASURED;
          const { table, index } = found;
          return table.column(index ? index[place] : table.columns[place]?.name);
        },
        largestGroup: (page, count) => {
          const { table, index } = known.get(page) ?? {};
          const columns = index?.slice(0, count).filter((name) => name !== undefined) ?? [];
          return table && columns.length === count ? table.group(columns, () => this.count(table, columns)) : Infinity;
        },
      },
      assumptions: [...tables].map((table) => table.assume()),
    };
  }

  /** A statement of this process has changed so many rows. */
  written(statement: CompiledSql, rows: number): void {
    if (!statement.writes) {
      if (rows > 0) this.markStale();
      return;
    }
    for (const name of statement.writes) {
      const table = this.tables.get(name);
      if (!table) continue;
      table.written(statement, rows);
      this.unsettled.add(table);
      if (table.isOutgrown) table.end();
    }
  }

  /** No transaction of this process is open at this moment. */
  settle(): void {
    if (this.unsettled.size === 0) return;
    for (const table of this.unsettled) table.settle();
    this.unsettled.clear();
  }

  private async loadPages(): Promise<ReadonlyMap<number, StoredAt>> {
    const rows = await this.reader.all<{ rootpage: number; tbl_name: string; name: string; type: string }>({
      sql: 'SELECT rootpage, tbl_name, name, type FROM sqlite_schema WHERE rootpage > 0',
      params: [],
    });
    return new Map(
      rows.map((row) => [row.rootpage, { table: row.tbl_name, index: row.type === 'index' ? row.name : undefined }]),
    );
  }

  private async table(name: string): Promise<MeasuredTable> {
    const known = this.tables.get(name);
    if (known && !known.mayBeStale && !known.isOutgrown) return known;
    let loading = this.loading.get(name);
    if (loading === undefined) {
      loading = (known ? this.refresh(known) : this.load(name)).finally(() => this.loading.delete(name));
      this.loading.set(name, loading);
    }
    return loading;
  }

  private async load(name: string): Promise<MeasuredTable> {
    const table = new MeasuredTable(name, await this.columns(name), await this.span(name));
    await this.measure(table);
    this.tables.set(name, table);
    return table;
  }

  private async refresh(table: MeasuredTable): Promise<MeasuredTable> {
    const wasUnsure = table.mayBeStale;
    table.mayBeStale = false;
    if (!table.isSmall && wasUnsure && table.isMeasured && !table.isOutgrown) {
      const { rows, bytes } = table.known;
      const isAsLarge = (await this.span(table.name)) <= rows * 1.25;
      if (isAsLarge && (await this.fileBytes()) - table.fileBytes <= bytes / 4) return table;
    }
    await this.measure(table, wasUnsure);
    return table;
  }

  /** Waits only for what is quick. */
  private async measure(table: MeasuredTable, wasUnsure = false): Promise<void> {
    table.fileBytes = await this.fileBytes();
    if (table.isSmall) {
      const here: ReadInBackground = async (statement) => this.reader.all(statement);
      const items = table.fileBytes <= MEASURED_BYTES || (await this.bytes(table)) <= MEASURED_BYTES;
      return table.measure(this.totals(table, here, { items }), wasUnsure);
    }
    if (this.inBackground && table.isMeasurable) void table.measure(this.totals(table, this.inBackground), wasUnsure);
    else table.guess(await this.span(table.name));
  }

  /** Counting the `items` of lists reads the rows; lengths alone are found without that. */
  private async totals(
    { name, columns }: MeasuredTable,
    read: ReadInBackground,
    { items = true }: { readonly items?: boolean } = {},
  ): Promise<Measurement> {
    const sums = columns.flatMap((column, index) => {
      const bytes = `octet_length(${quote(column.name)})`;
      const lengths = [`total(${bytes}) AS t${index}`, `coalesce(max(${bytes}), 0) AS m${index}`];
      return items && column.isList ? [...lengths, `coalesce(max(${itemsOf(column)}), 0) AS i${index}`] : lengths;
    });
    const sql = `SELECT ${['count(*) AS n', ...sums].join(', ')} FROM ${quote(name)}`;
    const row = (await read<Record<string, number>>({ sql, params: [] }))?.[0];
    if (!row) throw new Error('It cannot be measured now.');
    const entries = columns.map((column, index): [string, ColumnBytes] => [
      column.name,
      {
        total: row[`t${index}`]!,
        max: row[`m${index}`]!,
        leastItem: column.isList ? LEAST_TEXT_ITEM : 2,
        mostItems: row[`i${index}`],
      },
    ]);
    const bytes = entries.reduce((sum, [, { total }]) => sum + total, 0);
    return { rows: row['n']!, bytes, columns: new Map(entries) };
  }

  /** The bytes of all values. */
  private bytes({ name, columns }: MeasuredTable): Promise<number> {
    const lengths = columns.map((column) => `total(octet_length(${quote(column.name)}))`);
    return this.number(`SELECT ${lengths.join(' + ')} AS n FROM ${quote(name)}`);
  }

  private async count(table: MeasuredTable, columns: readonly string[]): Promise<number> {
    if (!this.inBackground || !table.isMeasurable) return Infinity;
    const keys = columns.map(quote).join(', ');
    const groups = `SELECT count(*) AS n FROM ${quote(table.name)} GROUP BY ${keys}`;
    const sql = `SELECT coalesce(max(n), 0) AS n FROM (${groups})`;
    const rows = await this.inBackground<{ n: number }>({ sql, params: [] });
    if (!rows) throw new Error('It cannot be counted now.');
    return rows[0]!.n;
  }

  private async columns(name: string): Promise<TableColumn[]> {
    const rows = await this.reader.all<{ name: string; value: string | null }>({
      sql: 'SELECT name, dflt_value AS value FROM pragma_table_info(?) ORDER BY cid',
      params: [name],
    });
    return rows.map((row) => ({ name: row.name, isList: row.value === "'[]'" }));
  }

  /** Names of the columns an index holds, in order; undefined for an expression and for the row number. */
  private index(name: string): Promise<readonly (string | undefined)[]> {
    let index = this.indexes.get(name);
    if (index === undefined) {
      const sql = 'SELECT name FROM pragma_index_xinfo(?) ORDER BY seqno';
      const rows = Promise.resolve(this.reader.all<{ name: string | null }>({ sql, params: [name] }));
      index = rows.then((found) => found.map((row) => row.name ?? undefined));
      this.indexes.set(name, index);
    }
    return index;
  }

  /** About how many rows a table has. The row numbers at both ends are enough and cost two look-ups. */
  private async span(name: string): Promise<number> {
    const table = quote(name);
    try {
      return await this.number(
        `SELECT (SELECT max(_rowid_) FROM ${table}) - (SELECT min(_rowid_) FROM ${table}) + 1 AS n`,
      );
    } catch {
      // WITHOUT ROWID: there is no row number to ask for.
      return this.number(`SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT ${COUNT_LIMIT})`);
    }
  }

  private fileBytes(): Promise<number> {
    return this.number('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
  }

  private async number(sql: string): Promise<number> {
    const [row] = await this.reader.all<{ n: number | null }>({ sql, params: [] });
    return row?.n ?? 0;
  }
}

/** Which table or index a root page is that of. */
interface StoredAt {
  readonly table: string;
  readonly index?: string;
}

/** How many items a list has, or could have, in SQL. */
function itemsOf({ name }: TableColumn): string {
  const list = quote(name);
  const commas = `length(${list}) - length(replace(${list}, ',', ''))`;
  const most = `octet_length(${list}) / ${LEAST_TEXT_ITEM}`;
  return `1 + CASE WHEN octet_length(${list}) <= ${COUNTED_LENGTH} THEN ${commas} ELSE ${most} END`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
