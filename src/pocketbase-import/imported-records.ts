import { Injectable } from '@nestjs/common';
import { StartError } from '../config/start.error.js';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { type CopiedTable, tableOf } from '../transfer/copied-table.js';
import { firstDifference, Repairs, RowsDigest } from '../transfer/copied-values.js';
import { CopyError } from '../transfer/copy.error.js';
import { TableRows } from '../transfer/table-rows.js';
import { type PocketBaseSource, type Row } from './pocketbase-source.js';

/** What was copied of the records of a collection. */
export interface CopiedRecords {
  readonly count: number;
  readonly checksum: string;
  /** `<record id>/<file name>` of every file a record names. */
  readonly files: readonly string[];
  /** Values that are not as they were. */
  readonly changed: readonly string[];
  readonly notCarriedOver: readonly string[];
}

/** Copies the rows of collections as they are stored, hashes of passwords and keys of tokens included. */
@Injectable()
export class ImportedRecords {
  constructor(private readonly database: Database) {}

  /** Runs in the ambient transaction. Throws when what was written does not read back the same. */
  async copy(collection: Collection, source: PocketBaseSource): Promise<CopiedRecords> {
    const present = await source.columns(collection.name);
    const table = withColumns(tableOf(collection), present);
    const columns = table.columns.map(({ name }) => name);
    const notCarriedOver = [...present]
      .filter((name) => !columns.includes(name))
      .map((name) => `collection ${collection.name}: column ${name}, which belongs to no field`);
    const zeros = new Zeros(collection);
    const repairs = new Repairs(table, this.database.dialect);
    const arrived = new TableRows(this.database, table);
    const original = new RowsDigest(table);
    const files: string[] = [];
    for await (const found of source.pages(collection.name, columns)) {
      const rows = repairs.of(zeros.fill(found));
      original.add(rows);
      files.push(...rows.flatMap((row) => filesOf(collection, row)));
      await arrived.add(rows).catch((error: unknown) => {
        throw error instanceof CopyError ? new StartError(error.message, { cause: error }) : error;
      });
    }
    const copied = new RowsDigest(table);
    for await (const rows of arrived.pages()) copied.add(rows);
    if (original.sum() !== copied.sum() || original.count !== copied.count) {
      const where = await firstDifference(table, source.pages(collection.name, columns), arrived.pages(), (rows) =>
        repairs.of(zeros.fill(rows)),
      );
      throw new StartError(`The records of the collection ${collection.name} did not arrive as they were: ${where}.`);
    }
    const withoutColumn = copied.count > 0 ? collection.fields.filter(({ name }) => !present.has(name)) : [];
    const changed = [
      ...zeros.lines(),
      ...repairs.lines(),
      ...withoutColumn.map(({ name }) => `collection ${collection.name}, field ${name}: no record has a value`),
    ];
    return { count: copied.count, checksum: copied.sum(), files, changed, notCarriedOver };
  }
}

function withColumns(table: CopiedTable, present: ReadonlySet<string>): CopiedTable {
  return { ...table, columns: table.columns.filter(({ name }) => present.has(name)) };
}

/** Old versions of PocketBase stored NULL where there is a zero value now; both mean no value (COL-53). */
class Zeros {
  private readonly empty: Row;
  private readonly filled = new Map<string, number>();

  constructor(private readonly collection: Collection) {
    this.empty = RecordModel.blank(collection).toRow();
  }

  fill(rows: readonly Row[]): readonly Row[] {
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => {
          if (value !== null) return [name, value];
          const zero = this.empty[name] ?? null;
          if (zero !== null) this.filled.set(name, (this.filled.get(name) ?? 0) + 1);
          return [name, zero];
        }),
      ),
    );
  }

  /** A line for each field that had NULL. */
  lines(): string[] {
    return [...this.filled].map(([name, times]) => {
      const zero = JSON.stringify(this.empty[name]);
      return `collection ${this.collection.name}, field ${name}: was NULL in ${times} records, is ${zero}`;
    });
  }
}

function filesOf(collection: Collection, row: Row): string[] {
  return collection.fields.flatMap((field) => {
    const type = collection.typeOf(field);
    if (!type.holdsFiles) return [];
    const value = type.fromColumn(row[field.name] ?? null, field);
    const names = Array.isArray(value) ? (value as string[]) : [value as string];
    return names.filter((name) => name !== '').map((name) => `${String(row['id'])}/${name}`);
  });
}
