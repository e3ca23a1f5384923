import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { pagesOf, type PocketBaseSource, quote, type Row } from './pocketbase-source.js';

/** SQLite takes 32,766 values in a statement. */
const MOST_VALUES = 30_000;

/** What was copied of the records of a collection. */
export interface CopiedRecords {
  readonly count: number;
  readonly checksum: string;
  /** `<record id>/<file name>` of every file a record names. */
  readonly files: readonly string[];
  readonly notCarriedOver: readonly string[];
}

/** Copies the rows of collections as they are stored, hashes of passwords and keys of tokens included. */
@Injectable()
export class ImportedRecords {
  constructor(private readonly database: Database) {}

  /** Runs in the ambient transaction. Throws when what was written does not read back the same. */
  async copy(collection: Collection, source: PocketBaseSource): Promise<CopiedRecords> {
    const present = await source.columns(collection.name);
    const columns = collection.fields.map(({ name }) => name).filter((name) => present.has(name));
    const notCarriedOver = [...present]
      .filter((name) => !columns.includes(name))
      .map((name) => `collection ${collection.name}: column ${name}, which belongs to no field`);
    const original = new Digest(columns);
    const files: string[] = [];
    for await (const found of source.pages(collection.name, columns)) {
      const rows = withZeros(found, collection);
      original.add(rows);
      files.push(...rows.flatMap((row) => filesOf(collection, row)));
      await this.insert(collection.name, columns, rows);
    }
    const copied = new Digest(columns);
    const read = (statement: Parameters<Database['all']>[0]) => this.database.all<Row>(statement);
    for await (const rows of pagesOf(read, collection.name, columns)) copied.add(rows);
    if (original.sum() !== copied.sum() || original.count !== copied.count) {
      throw new Error(`The records of ${collection.name} did not arrive as they were.`);
    }
    return { count: copied.count, checksum: copied.sum(), files, notCarriedOver };
  }

  private async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const most = Math.max(1, Math.floor(MOST_VALUES / columns.length));
    const group = `(${columns.map(() => '?').join(', ')})`;
    for (let from = 0; from < rows.length; from += most) {
      const part = rows.slice(from, from + most);
      await this.database.run({
        sql: `INSERT INTO ${quote(table)} (${columns.map(quote).join(', ')}) VALUES ${part.map(() => group).join(', ')}`,
        params: part.flatMap((row) => columns.map((column) => row[column] ?? null)),
        writes: [table],
      });
    }
  }
}

/** Tables of old versions hold NULL where there is a zero value now; both mean that there is none (COL-53). */
function withZeros(rows: readonly Row[], collection: Collection): readonly Row[] {
  const empty = RecordModel.blank(collection).toRow();
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? empty[name] ?? null])),
  );
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

/** Sums up rows, in their order. */
class Digest {
  count = 0;
  private readonly hash: Hash = createHash('sha256');
  private text: string | undefined;

  constructor(private readonly columns: readonly string[]) {}

  add(rows: readonly Row[]): void {
    this.count += rows.length;
    for (const row of rows)
      this.hash.update(`${JSON.stringify(this.columns.map((column) => printable(row[column])))}\n`);
  }

  sum(): string {
    return (this.text ??= this.hash.digest('hex'));
  }
}

function printable(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null);
}
