import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { StartError } from '../config/start.error.js';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { columnType, fieldColumn } from '../kernel/resolve/columns.js';
import type { SqlNode } from '../kernel/sql/sql-node.js';
import { compare, table } from '../kernel/sql/sql.js';
import { PAGE, PLACE, type PocketBaseSource, type Row } from './pocketbase-source.js';

/** SQLite takes 32,766 values in a statement. */
const MOST_VALUES = 30_000;

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
    const columns = collection.fields.map(({ name }) => name).filter((name) => present.has(name));
    const notCarriedOver = [...present]
      .filter((name) => !columns.includes(name))
      .map((name) => `collection ${collection.name}: column ${name}, which belongs to no field`);
    const zeros = new Zeros(collection);
    const original = new Digest(columns);
    const files: string[] = [];
    for await (const found of source.pages(collection.name, columns)) {
      const rows = zeros.fill(found);
      original.add(rows);
      files.push(...rows.flatMap((row) => filesOf(collection, row)));
      await this.insert(collection, columns, rows);
    }
    const copied = new Digest(columns);
    for await (const rows of this.copies(collection, columns)) copied.add(rows);
    if (original.sum() !== copied.sum() || original.count !== copied.count) {
      const where = await firstDifference(
        columns,
        source.pages(collection.name, columns),
        this.copies(collection, columns),
        (rows) => zeros.fill(rows),
      );
      throw new StartError(`The records of the collection ${collection.name} did not arrive as they were: ${where}.`);
    }
    const withoutColumn = copied.count > 0 ? collection.fields.filter(({ name }) => !present.has(name)) : [];
    const changed = [
      ...zeros.lines(),
      ...withoutColumn.map(({ name }) => `collection ${collection.name}, field ${name}: no record has a value`),
    ];
    return { count: copied.count, checksum: copied.sum(), files, changed, notCarriedOver };
  }

  /** What has arrived, in the order of its insertion. */
  private async *copies(collection: Collection, columns: readonly string[]): Pages {
    const rowid: SqlNode = { kind: 'rowid', alias: collection.name };
    const page = this.database.statements.of(collection, `copied ${columns.join(' ')}`, (place) => ({
      kind: 'select',
      columns: [
        { value: rowid, as: PLACE },
        ...columns.map((name) => ({ value: columnOf(collection, name), as: name })),
      ],
      from: table(collection.name),
      where: compare(rowid, '>', place('number')),
      order: [{ value: rowid, descending: false }],
      limit: PAGE,
    }));
    for (let after = Number.MIN_SAFE_INTEGER; ;) {
      const rows = await this.database.all<Row>(page.with([after]));
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1)![PLACE] as number;
    }
  }

  private async insert(collection: Collection, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const most = Math.max(1, Math.floor(MOST_VALUES / columns.length));
    for (let from = 0; from < rows.length; from += most) {
      const part = rows.slice(from, from + most);
      const insert = this.database.statements.of(collection, `insert ${part.length} ${columns.join(' ')}`, (place) => ({
        kind: 'insert',
        into: collection.name,
        columns,
        rows: part.map(() => columns.map((name) => place(columnType(collection, collection.field(name)!)))),
      }));
      await this.database.run(insert.with(part.flatMap((row) => columns.map((column) => row[column] ?? null))));
    }
  }
}

function columnOf(collection: Collection, name: string): SqlNode {
  return fieldColumn(collection, collection.field(name)!, collection.name);
}

/** Tables of old versions hold NULL where there is a zero value now; both mean that there is none (COL-53). */
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

type Pages = AsyncGenerator<readonly Row[]>;

/** Says which value of which record is not the same on both sides. The values are not told: some are secret. */
async function firstDifference(
  columns: readonly string[],
  sources: Pages,
  copies: Pages,
  asCopied: (rows: readonly Row[]) => readonly Row[],
): Promise<string> {
  for await (const page of sources) {
    const copied = ((await copies.next()).value ?? []) as readonly Row[];
    for (const [index, row] of asCopied(page).entries()) {
      const copy = copied[index];
      if (!copy) return `the record ${String(row['id'])} is missing`;
      const column = columns.find(
        (name) => JSON.stringify(printable(row[name])) !== JSON.stringify(printable(copy[name])),
      );
      if (column) return `field ${column} of the record ${String(row['id'])} has another value`;
    }
  }
  return 'there are more records than before';
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
