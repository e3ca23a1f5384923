import type { CompiledSql } from '../compiled-sql.js';
import type { ColumnBytes } from './query-cost.js';
import { countItems } from './value-limits.js';
import { columnsWritten } from './written-values.js';

/** So many values are measured in some milliseconds. */
const MEASURED_HERE = 20_000;
/** Larger tables are not measured at all. */
const MEASURED_ROWS = 1_000_000;
/** Milliseconds, where no process was free to measure a table. */
const MEASURED_AGAIN_AFTER = 2000;
/** An estimate holds until so many rows have been written since. */
const SPARE_ROWS = 1000;
const FEW_ROWS = 16;
const FEW_BYTES = 8 * 1024;
/** A value may become twice as long as the longest, and so much longer, before the column is measured again. */
const SPARE_LENGTH = 256;
/** A list may have twice as many items as the longest, and so many more. */
const SPARE_ITEMS = 8;
/** Quotes, a comma and a character. */
export const LEAST_TEXT_ITEM = 4;

/** Of a column of which nothing is known. */
export const UNMEASURED: ColumnBytes = { total: Infinity, max: Infinity, leastItem: 1 };

/** A column of a table. */
export interface TableColumn {
  readonly name: string;
  /** Lists of texts, which have two quotes and a comma for each item. */
  readonly isList: boolean;
}

/** What was counted in a table at one time. */
export interface Measurement {
  readonly rows: number;
  readonly bytes: number;
  readonly columns: ReadonlyMap<string, ColumnBytes>;
}

/** What an estimate of a table rests on, and whether it still may. */
export interface Assumption {
  readonly isKept: boolean;
}

/** One table: what was measured, and what has been written to it since. */
export class MeasuredTable {
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
    readonly columns: readonly TableColumn[],
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
