import type { CompiledSql } from '../compiled-sql.js';
import type { ColumnBytes, StoredData } from './query-cost.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { countItems } from './value-limits.js';
import { columnsWritten } from './written-values.js';

/** Runs a statement where it holds up nobody; gives undefined where that is not possible now. */
export type ReadInBackground = <Row>(statement: CompiledSql) => Promise<Row[] | undefined>;

/** So many values are measured in some milliseconds. */
const MEASURED_HERE = 20_000;
/** So are so many bytes: to reach what stands behind a long value, all of that is read. */
const MEASURED_BYTES = 4 * 1024 * 1024;
/** Larger tables are not measured at all. */
const MEASURED_ROWS = 1_000_000;
/** Milliseconds, where no process was free to measure a table. */
const MEASURED_AGAIN_AFTER = 2000;
/** A table without row numbers is counted up to here. */
const COUNT_LIMIT = 100_000;
/** An estimate holds until so many rows have been written since. */
const SPARE_ROWS = 1000;
const FEW_ROWS = 16;
const FEW_BYTES = 8 * 1024;
/** A value may become twice as long as the longest before the column is measured again. */
const SPARE_LENGTH = 256;
/** The same of the items of a list. */
const SPARE_ITEMS = 8;
/** The items of longer lists are not counted: there are as many as there can be. */
const COUNTED_LENGTH = 2000;
/** Quotes, a comma and a character. */
const LEAST_TEXT_ITEM = 4;

const UNMEASURED: ColumnBytes = { total: Infinity, max: Infinity, leastItem: 1 };

interface Column {
  readonly name: string;
  /** Lists of texts, which have two quotes and a comma for each item. */
  readonly isList: boolean;
}

/** What was counted in a table at one time. */
interface Measurement {
  readonly rows: number;
  readonly bytes: number;
  readonly columns: ReadonlyMap<string, ColumnBytes>;
}

/** What an estimate of a table rests on, and whether it still may. */
export interface Assumption {
  readonly isKept: boolean;
}

/** One table: what was measured, and what has been written to it since. */
class Table {
  /** Other processes may have written to it. */
  mayBeStale = false;
  /** How large the file was when it was measured. */
  fileBytes = 0;
  private isMeasuring = false;
  /** The measurement is known to be outdated. */
  private isStale = false;
  private measurement: Measurement | undefined;
  private rowsWritten = 0;
  private bytesWritten = 0;
  /** How much of that is committed. */
  private rowsSettled = 0;
  private bytesSettled = 0;
  /** A value is longer than was allowed for. */
  private isTooLong = false;
  private assumption: { isKept: boolean; readonly rows: number; readonly bytes: number } | undefined;
  private readonly groups = new Map<string, { readonly size: number; readonly written: number } | undefined>();

  constructor(
    readonly name: string,
    readonly columns: readonly Column[],
    /** About how many rows there are, at most. */
    private span: number,
  ) {}

  get isSmall(): boolean {
    return this.span * this.columns.length <= MEASURED_HERE;
  }

  get isMeasurable(): boolean {
    return this.span <= MEASURED_ROWS;
  }

  /** So much has been written that it has to be measured again, unless that is being done. */
  get isOutgrown(): boolean {
    if (this.isMeasuring) return false;
    const { rows, bytes } = this.measurement ?? { rows: this.span, bytes: Infinity };
    const { rowsWritten, bytesWritten } = this;
    return this.isTooLong || rowsWritten > rows / 4 + FEW_ROWS || bytesWritten > bytes / 4 + FEW_BYTES;
  }

  get rows(): number {
    return (this.measurement?.rows ?? this.span) + this.rowsWritten + this.spareRows;
  }

  /** Rows and bytes as they are known to be, without what may still come. */
  get known(): { readonly rows: number; readonly bytes: number } {
    const { rows, bytes } = this.measurement ?? { rows: this.span, bytes: 0 };
    return { rows: rows + this.rowsWritten, bytes: bytes + this.bytesWritten };
  }

  /** Takes a new measure, which sees what is committed now. */
  measure(measuring: Promise<Measurement>, wasUnsure = false): Promise<void> {
    this.isMeasuring = true;
    this.isStale ||= wasUnsure || this.isTooLong;
    const { rowsSettled, bytesSettled } = this;
    this.isTooLong = false;
    return measuring
      .then((measurement) => {
        this.measurement = measurement;
        this.isStale = false;
        this.span = measurement.rows;
        this.rowsWritten -= rowsSettled;
        this.bytesWritten -= bytesSettled;
        this.rowsSettled -= rowsSettled;
        this.bytesSettled -= bytesSettled;
        this.groups.clear();
      })
      .catch(() => {
        // Without a measurement its statements keep running in child processes.
        this.measurement = undefined;
        setTimeout(() => this.markStale(), MEASURED_AGAIN_AFTER).unref();
      })
      .finally(() => {
        this.isMeasuring = false;
        this.end();
      });
  }

  /** About so many rows, of which nothing else is known. */
  guess(span: number): void {
    this.span = span;
    this.rowsWritten = this.rowsSettled = 0;
    this.bytesWritten = this.bytesSettled = 0;
  }

  assume(): Assumption {
    return (this.assumption ??= {
      isKept: true,
      rows: this.rowsWritten + this.spareRows,
      bytes: this.bytesWritten + this.spareBytes,
    });
  }

  /** Other processes may have written to it, or it could not be measured. */
  markStale(): void {
    this.mayBeStale = true;
    this.end();
  }

  get isMeasured(): boolean {
    return this.measurement !== undefined;
  }

  /** Nothing that rests on it holds any longer. */
  end(): void {
    if (this.assumption) this.assumption.isKept = false;
    this.assumption = undefined;
  }

  column(name: string | undefined): ColumnBytes {
    if (name === undefined) return { total: this.rows * 8, max: 8, leastItem: 1 };
    const known = this.measurement?.columns.get(name);
    if (!known || this.isTooLong || this.isStale) return UNMEASURED;
    const max = longestAllowed(known);
    // Each row that was or will be written has one value in this column.
    const added = Math.min(this.bytesWritten + this.spareBytes, (this.rowsWritten + this.spareRows) * max);
    return {
      total: known.total + added,
      max,
      leastItem: known.leastItem,
      mostItems: itemsAllowed(known),
    };
  }

  /** Rows that have the same values in these columns, at most; Infinity until somebody has counted. */
  group(columns: readonly string[], count: () => Promise<number>): number {
    const key = columns.join('\0');
    const known = this.groups.get(key);
    if (known) return known.size + this.rowsWritten - known.written + this.spareRows;
    if (!this.groups.has(key)) {
      this.groups.set(key, undefined);
      const written = this.rowsSettled;
      count().then(
        (size) => {
          if (!this.groups.has(key)) return;
          this.groups.set(key, { size, written });
          this.end();
        },
        () => {
          this.groups.delete(key);
          this.end();
        },
      );
    }
    return Infinity;
  }

  written({ sql, params }: CompiledSql, rows: number): void {
    const columns = columnsWritten(sql);
    this.rowsWritten += rows;
    params.forEach((value, index) => {
      const length = lengthOf(value);
      this.bytesWritten += length;
      if (this.isTooLong) return;
      if (length > SPARE_LENGTH)
        this.isTooLong = this.exceeds(columns[index], (column) => length > longestAllowed(column));
      if (typeof value === 'string' && value[0] === '[' && value.length > LEAST_TEXT_ITEM * SPARE_ITEMS) {
        const items = countItems(value);
        this.isTooLong ||= this.exceeds(columns[index], (column) => items > itemsAllowed(column));
      }
    });
    const { assumption } = this;
    if (!assumption) return;
    if (this.isTooLong || this.rowsWritten > assumption.rows || this.bytesWritten > assumption.bytes) this.end();
  }

  /** What has been written is committed, or undone. */
  settle(): void {
    this.rowsSettled = this.rowsWritten;
    this.bytesSettled = this.bytesWritten;
  }

  /** Is it too much for the column, or where nobody knows which one it is, for any? */
  private exceeds(name: string | undefined, isTooMuch: (column: ColumnBytes) => boolean): boolean {
    if (!this.measurement) return false;
    const { columns } = this.measurement;
    const possible = name === undefined ? [...columns.values()] : [columns.get(name)];
    return possible.some((known) => !known || isTooMuch(known));
  }

  private get spareRows(): number {
    return Math.min((this.measurement?.rows ?? this.span) / 4 + FEW_ROWS, SPARE_ROWS);
  }

  private get spareBytes(): number {
    return (this.measurement?.bytes ?? 0) / 4 + FEW_BYTES;
  }
}

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
  private readonly loading = new Map<string, Promise<Table>>();
  private readonly tables = new Map<string, Table>();
  private readonly indexes = new Map<string, Promise<readonly (string | undefined)[]>>();
  private readonly unsettled = new Set<Table>();

  /** Without `readAside` large tables stay unknown. */
  constructor(
    private readonly reader: SqliteConnection,
    private readonly aside?: ReadInBackground,
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
    const known = new Map<number, { readonly table: Table; readonly index?: readonly (string | undefined)[] }>();
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

  private async table(name: string): Promise<Table> {
    const known = this.tables.get(name);
    if (known && !known.mayBeStale && !known.isOutgrown) return known;
    let loading = this.loading.get(name);
    if (loading === undefined) {
      loading = (known ? this.refresh(known) : this.load(name)).finally(() => this.loading.delete(name));
      this.loading.set(name, loading);
    }
    return loading;
  }

  private async load(name: string): Promise<Table> {
    const table = new Table(name, await this.columns(name), await this.span(name));
    await this.measure(table);
    this.tables.set(name, table);
    return table;
  }

  private async refresh(table: Table): Promise<Table> {
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
  private async measure(table: Table, wasUnsure = false): Promise<void> {
    table.fileBytes = await this.fileBytes();
    if (table.isSmall) {
      const here: ReadInBackground = async (statement) => this.reader.all(statement);
      const items = table.fileBytes <= MEASURED_BYTES || (await this.bytes(table)) <= MEASURED_BYTES;
      return table.measure(this.totals(table, here, { items }), wasUnsure);
    }
    if (this.aside && table.isMeasurable) void table.measure(this.totals(table, this.aside), wasUnsure);
    else table.guess(await this.span(table.name));
  }

  /** Counting the `items` of lists reads the rows; lengths alone are found without that. */
  private async totals(
    { name, columns }: Table,
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
  private bytes({ name, columns }: Table): Promise<number> {
    const lengths = columns.map((column) => `total(octet_length(${quote(column.name)}))`);
    return this.number(`SELECT ${lengths.join(' + ')} AS n FROM ${quote(name)}`);
  }

  private async count(table: Table, columns: readonly string[]): Promise<number> {
    if (!this.aside || !table.isMeasurable) return Infinity;
    const keys = columns.map(quote).join(', ');
    const groups = `SELECT count(*) AS n FROM ${quote(table.name)} GROUP BY ${keys}`;
    const sql = `SELECT coalesce(max(n), 0) AS n FROM (${groups})`;
    const rows = await this.aside<{ n: number }>({ sql, params: [] });
    if (!rows) throw new Error('It cannot be counted now.');
    return rows[0]!.n;
  }

  private async columns(name: string): Promise<Column[]> {
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
function itemsOf({ name }: Column): string {
  const list = quote(name);
  const commas = `length(${list}) - length(replace(${list}, ',', ''))`;
  const most = `octet_length(${list}) / ${LEAST_TEXT_ITEM}`;
  return `1 + CASE WHEN octet_length(${list}) <= ${COUNTED_LENGTH} THEN ${commas} ELSE ${most} END`;
}

function itemsAllowed({ mostItems = Infinity }: ColumnBytes): number {
  return mostItems * 2 + SPARE_ITEMS;
}

function longestAllowed({ max }: ColumnBytes): number {
  return max * 2 + SPARE_LENGTH;
}

function lengthOf(value: unknown): number {
  // As UTF-8, of which three bytes stand for one unit at most.
  if (typeof value === 'string') return value.length * 3 > SPARE_LENGTH ? Buffer.byteLength(value) : value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
