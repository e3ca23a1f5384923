import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { andThen, eachInOrder, type MaybePromise } from '../kernel/maybe-promise.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { readingView } from './readable-view.js';

/** Ids of one `IN` list; far below the parameter limit of any database. */
const ID_CHUNK = 500;

/** The texts of a collection's statements, made once per version of the collection. */
interface RowStatements {
  readonly columns: string;
  readonly byId: string;
  readonly insert: string;
  readonly table: readonly string[];
}

/** Rows of collection tables: read by id, inserted, updated, deleted. Knows nothing of rules. */
@Injectable()
export class RecordRows {
  private readonly statements = new WeakMap<Collection, RowStatements>();

  constructor(private readonly database: Database) {}

  /** The columns of a collection's table, quoted, in the order of its fields. */
  columnsOf(collection: Collection): string {
    return this.of(collection).columns;
  }

  find(collection: Collection, id: string): MaybePromise<RecordModel | undefined> {
    const statement = { sql: this.of(collection).byId, params: [id] };
    const rows = readingView(collection, () => this.database.reads.rows<RecordRow>(statement));
    return andThen(rows, ([row]) => row && RecordModel.fromRow(collection, row));
  }

  /** The records that were stored first, in that order. */
  async first(collection: Collection, count: number): Promise<RecordModel[]> {
    const sql = `SELECT ${this.columnsOf(collection)} FROM ${quoteName(collection.name)} ORDER BY "_rowid_" LIMIT ?`;
    const rows = await this.database.all<RecordRow>({ sql, params: [count] });
    return rows.map((row) => RecordModel.fromRow(collection, row));
  }

  /** The records with these ids, in no particular order. */
  async findMany(collection: Collection, ids: readonly string[]): Promise<RecordModel[]> {
    const records: RecordModel[] = [];
    for (const chunk of chunksOf(ids)) {
      const sql = `SELECT ${this.columnsOf(collection)} FROM ${quoteName(collection.name)} WHERE "id" IN (${marks(chunk.length)})`;
      const rows = await this.database.all<RecordRow>({ sql, params: chunk });
      for (const row of rows) records.push(RecordModel.fromRow(collection, row));
    }
    return records;
  }

  /** Those of the ids that exist. */
  existingIds(collection: Collection, ids: readonly string[]): MaybePromise<Set<string>> {
    const found = new Set<string>();
    const find = (chunk: readonly string[]): MaybePromise<void> => {
      const sql = `SELECT "id" FROM ${quoteName(collection.name)} WHERE "id" IN (${marks(chunk.length)})`;
      return andThen(this.database.reads.rows<{ id: string }>({ sql, params: chunk }), (rows) => {
        for (const row of rows) found.add(row.id);
      });
    };
    return andThen(eachInOrder([...chunksOf(ids)], find), () => found);
  }

  /** Stores a new record. Throws the database's own error when an index refuses it. */
  insert(record: RecordModel): MaybePromise<void> {
    const { collection } = record;
    const row = record.toRow();
    const { insert, table } = this.of(collection);
    const params = collection.fields.map((field) => row[field.name]!);
    return andThen(this.database.writes.run({ sql: insert, params, writes: table }), () => record.markStored(row));
  }

  /** Stores the changed columns of a record. */
  update(record: RecordModel): MaybePromise<void> {
    const { collection } = record;
    const names = record.changedFields();
    const row = record.toRow();
    if (names.length === 0) return record.markStored(row);
    const assignments = names.map((name) => `${quoteName(name)} = ?`).join(', ');
    const statement = {
      sql: `UPDATE ${quoteName(collection.name)} SET ${assignments} WHERE "id" = ?`,
      params: [...names.map((name) => row[name]!), record.id],
      writes: this.of(collection).table,
    };
    return andThen(this.database.writes.run(statement), () => record.markStored(row));
  }

  /** Deletes rows of one collection, as many as fit one statement; gives the records that were still there. */
  async remove(collection: Collection, records: readonly RecordModel[]): Promise<readonly RecordModel[]> {
    const { table } = this.of(collection);
    const ids = records.map(({ id }) => id);
    const sql = `DELETE FROM ${quoteName(collection.name)} WHERE "id" IN (${marks(ids.length)}) RETURNING "id"`;
    const { rows } = await this.database.writes.run<{ id: string }>({ sql, params: ids, writes: table });
    const removed = new Set(rows.map(({ id }) => id));
    return records.filter(({ id }) => removed.has(id));
  }

  /** Records whose column is this text, which is not empty; at most `limit` of them, by insertion order. */
  async findWhere(
    collection: Collection,
    column: string,
    value: string,
    options: { readonly limit?: number; readonly ignoreCase?: boolean } = {},
  ): Promise<RecordModel[]> {
    const collate = options.ignoreCase ? ' COLLATE NOCASE' : '';
    // Otherwise an index that leaves out what is empty, as that of `email`, would not be used.
    const filled = `${quoteName(column)} <> ''`;
    const rows = await this.database.all<RecordRow>({
      sql:
        `SELECT ${this.columnsOf(collection)} FROM ${quoteName(collection.name)}` +
        ` WHERE ${quoteName(column)} = ?${collate} AND ${filled} LIMIT ${options.limit ?? 1000}`,
      params: [value],
    });
    return rows.map((row) => RecordModel.fromRow(collection, row));
  }

  private of(collection: Collection): RowStatements {
    let statements = this.statements.get(collection);
    if (!statements) {
      const names = collection.fields.map((field) => quoteName(field.name));
      const table = quoteName(collection.name);
      statements = {
        columns: names.join(', '),
        byId: `SELECT ${names.join(', ')} FROM ${table} WHERE "id" = ?`,
        insert: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks(names.length)})`,
        table: [collection.name],
      };
      this.statements.set(collection, statements);
    }
    return statements;
  }
}

/** An identifier of the schema as SQL. Only ever given validated names. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Placeholders for this many values. */
export function marks(count: number): string {
  return count === 1 ? '?' : Array.from({ length: count }, () => '?').join(', ');
}

/** Ids in portions that fit one statement. */
function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += ID_CHUNK) yield ids.slice(start, start + ID_CHUNK);
}
