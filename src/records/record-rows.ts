import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { chunksOf } from '../kernel/chunks-of.js';
import type { Collection } from '../kernel/collections/collection.js';
import { parseIndex } from '../kernel/collections/index-definition.js';
import { StaleRecordError } from '../kernel/errors/stale-record.error.js';
import { andThen, forEachSeries, type MaybePromise } from '../kernel/maybe-promise.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { columnType, fieldColumn, rowColumns } from '../kernel/resolve/columns.js';
import { longValueSizes } from '../kernel/resolve/narrow-columns.js';
import type { PreparedStatement, ValuePlace } from '../kernel/sql/prepared-statement.js';
import type { SqlNode, SqlSelect, SqlStatement } from '../kernel/sql/sql-node.js';
import { and, column, compare, isFilled, oneOf, table } from '../kernel/sql/sql.js';
import type { AssumedReferences } from './write/assumed-references.js';
import { explainBrokenView } from './read/broken-view.js';

/** What all tokens of an account are signed with. */
const TOKEN_KEY = 'tokenKey';

/** Ids of one `IN` list; far below the parameter limit of any database. */
const ID_CHUNK = 500;

/** How a new record is stored. */
interface InsertOptions {
  /** Nothing follows in the transaction. */
  readonly isLast?: boolean;
  readonly assumed?: AssumedReferences;
}

/** Rows of collection tables: read by id, inserted, updated, deleted. Knows nothing of rules. */
@Injectable()
export class RecordRows {
  constructor(private readonly database: Database) {}

  find(collection: Collection, id: string): MaybePromise<RecordModel | undefined> {
    const byId = this.statement(collection, 'by id', (place) => ({
      ...rowsOf(collection),
      where: compare(idOf(collection), '=', place()),
    }));
    const { reads } = this.database;
    // The id of a row of a view is no key of a table.
    const rows = collection.isView
      ? explainBrokenView(collection, () => reads.rows<RecordRow>(byId.with([id])))
      : reads.rowsByKey<RecordRow>(byId.with([id]));
    return andThen(rows, ([row]) => row && RecordModel.fromRow(collection, row));
  }

  /** How many bytes the long values of the record with this id have, without reading them. */
  longBytes(collection: Collection, id: string): MaybePromise<number> {
    const sizes = this.statement(collection, 'long bytes', (place) => ({
      kind: 'select',
      columns: longValueSizes(collection),
      from: table(collection.name),
      where: compare(idOf(collection), '=', place()),
    }));
    const rows = this.database.reads.rowsByKey<Readonly<Record<string, number | null>>>(sizes.with([id]));
    return andThen(rows, ([row]) => Object.values(row ?? {}).reduce<number>((sum, size) => sum + Number(size), 0));
  }

  /**
   * As `find`, for a write: nobody else changes or deletes the record before the transaction is over. Outside of one it
   * is as `find`.
   */
  findToWrite(collection: Collection, id: string): MaybePromise<RecordModel | undefined> {
    if (!this.database.hasConcurrentWriters || collection.isView) return this.find(collection, id);
    const byId = this.statement(collection, 'by id to write', (place) => ({
      ...rowsOf(collection),
      where: compare(idOf(collection), '=', place()),
      lock: 'change',
    }));
    const rows = this.database.reads.rows<RecordRow>(byId.with([id]));
    return andThen(rows, ([row]) => row && RecordModel.fromRow(collection, row));
  }

  /** Keeps others from changing or deleting a record that is about to be judged. */
  async lock(collection: Collection, id: string): Promise<void> {
    if (this.database.hasConcurrentWriters) await this.findToWrite(collection, id);
  }

  /** Keeps others from making a record with an id that somebody has chosen, before the transaction is over. */
  lockId(collection: Collection, id: string): MaybePromise<void> {
    return this.database.lock(`record ${collection.id} ${id}`);
  }

  /** The records with these ids, in no particular order. */
  async findMany(collection: Collection, ids: readonly string[]): Promise<RecordModel[]> {
    const records: RecordModel[] = [];
    for (const chunk of chunksOf(ids, ID_CHUNK)) {
      const ofChunk = this.statement(collection, `by ids ${chunk.length}`, (place) => ({
        ...rowsOf(collection),
        where: oneOf(
          idOf(collection),
          chunk.map(() => place()),
        ),
      }));
      const rows = await this.database.reads.rows<RecordRow>(ofChunk.with(chunk));
      for (const row of rows) records.push(RecordModel.fromRow(collection, row));
    }
    return records;
  }

  /** Those of the ids that exist, and inside a transaction go on doing so to its end. */
  existingIds(collection: Collection, ids: readonly string[]): MaybePromise<Set<string>> {
    const found = new Set<string>();
    const lock = this.database.hasConcurrentWriters && !collection.isView ? 'removal' : undefined;
    const find = (chunk: readonly string[]): MaybePromise<void> => {
      const existing = this.statement(collection, `existing ${chunk.length} ${lock}`, (place) => ({
        kind: 'select',
        columns: [{ value: idOf(collection), as: 'id' }],
        from: table(collection.name),
        where: oneOf(
          idOf(collection),
          chunk.map(() => place()),
        ),
        lock,
      }));
      return andThen(this.database.reads.rows<{ id: string }>(existing.with(chunk)), (rows) => {
        for (const row of rows) found.add(row.id);
      });
    };
    return andThen(forEachSeries([...chunksOf(ids, ID_CHUNK)], find), () => found);
  }

  /** Has a record of one of the collections this id, or one that differs only in the case of letters? */
  isIdTaken(
    id: string,
    collections: readonly Collection[],
    { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
  ): MaybePromise<boolean> {
    const find = (collection: Collection): MaybePromise<boolean> => {
      const taken = this.statement(collection, `taken ${ignoreCase}`, (place) => ({
        kind: 'select',
        columns: [],
        from: table(collection.name),
        where: ignoreCase
          ? { kind: 'sameText', left: idOf(collection), right: place() }
          : compare(idOf(collection), '=', place()),
        limit: 1,
      }));
      return andThen(this.database.reads.rows(taken.with([id])), (rows) => rows.length > 0);
    };
    return someInOrder(collections, find);
  }

  /**
   * Stores a new record. Throws the database's own error when an index refuses it; for one that is the last to be done
   * in a transaction, the commit may do that. Where something is assumed that does not hold, the transaction begins
   * again.
   */
  insert(record: RecordModel, { isLast = false, assumed }: InsertOptions = {}): MaybePromise<void> {
    const { collection } = record;
    const { fields } = collection;
    const row = record.toRow();
    const references = assumed?.all ?? [];
    const shape = references.map(({ collection: { name }, ids }) => ` ${name} ${ids.length}`);
    const insert = this.statement(collection, `insert${shape.join('')}`, (place) => {
      const values = fields.map((field) => place(columnType(collection, field)));
      const exist = references.flatMap(({ collection: target, ids }) => ids.map(() => exists(target, place())));
      return {
        kind: 'insert',
        into: collection.name,
        columns: fields.map(({ name }) => name),
        rows: [values],
        where: exist.length > 0 ? and(...exist) : undefined,
        neverWaits: !collection.indexes.some((index) => parseIndex(index)?.unique !== false),
      };
    });
    const values = [...fields.map(({ name }) => row[name]!), ...references.flatMap(({ ids }) => ids)];
    const { writes } = this.database;
    const ready = insert.with(values);
    const written: MaybePromise<unknown> = isLast ? writes.runLast(ready) : writes.run(ready);
    return andThen(written, () => record.markStored(row));
  }

  /**
   * Stores the changed columns of a record. Throws a StaleRecordError when its row is gone, or when its tokens are to
   * end and have ended already since it was read: whoever was shown a token that works once is not let in by it twice.
   */
  update(record: RecordModel): MaybePromise<void> {
    const { collection } = record;
    const names = record.changedFields();
    const row = record.toRow();
    if (names.length === 0) return record.markStored(row);
    const endsTokens = collection.isAuth && names.includes(TOKEN_KEY);
    const update = this.statement(collection, `update ${names.join(' ')}`, (place) => {
      const set = names.map((name) => ({
        column: name,
        value: place(columnType(collection, collection.field(name)!)),
      }));
      const isRecord = compare(idOf(collection), '=', place());
      const where = endsTokens ? and(isRecord, compare(column(collection.name, TOKEN_KEY), '=', place())) : isRecord;
      return { kind: 'update', table: collection.name, set, where };
    });
    const values = [...names.map((name) => row[name]!), record.id];
    if (endsTokens) values.push(record.original(TOKEN_KEY) as string);
    return andThen(this.database.writes.run(update.with(values)), ({ changes }) => {
      if (changes === 0) throw new StaleRecordError();
      record.markStored(row);
    });
  }

  /** Deletes rows of one collection, as many as fit one statement; gives the ids of those that were still there. */
  async remove(collection: Collection, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const remove = this.statement(collection, `delete ${ids.length}`, (place) => ({
      kind: 'delete',
      from: collection.name,
      where: oneOf(
        idOf(collection),
        ids.map(() => place()),
      ),
      returning: [{ value: idOf(collection), as: 'id' }],
    }));
    const { rows } = await this.database.writes.run<{ id: string }>(remove.with(ids));
    return new Set(rows.map(({ id }) => id));
  }

  /** Records whose column is this text, which is not empty; at most `limit` of them, by insertion order. */
  async findWhere(
    collection: Collection,
    name: string,
    value: string,
    { limit = 1000, ignoreCase = false }: { readonly limit?: number; readonly ignoreCase?: boolean } = {},
  ): Promise<RecordModel[]> {
    const found = this.statement(collection, `where ${name} ${limit} ${ignoreCase}`, (place) => {
      const field = fieldColumn(collection, collection.field(name)!, collection.name);
      const isValue: SqlNode = ignoreCase
        ? { kind: 'sameText', left: field, right: place() }
        : { kind: 'compare', operator: '=', left: field, right: place(), numericText: true };
      // Says that the column is filled, because SQLite uses a partial index such as that of `email` only then.
      return { ...rowsOf(collection), where: and(isValue, isFilled(field)), limit };
    });
    const rows = await this.database.reads.rows<RecordRow>(found.with([value]));
    return rows.map((row) => RecordModel.fromRow(collection, row));
  }

  private statement(
    collection: Collection,
    shape: string,
    build: (place: ValuePlace) => SqlStatement,
  ): PreparedStatement {
    return this.database.statements.of(collection, shape, build);
  }
}

/**
 * True where a record with this id is there, which stays so to the end of the transaction, and nobody is deleting it.
 */
function exists(collection: Collection, id: SqlNode): SqlNode {
  const query: SqlSelect = {
    kind: 'select',
    columns: [],
    from: table(collection.name),
    where: compare(idOf(collection), '=', id),
    lock: 'removal',
    freeOnly: true,
  };
  return { kind: 'exists', query };
}

/** All rows of a collection, as records are made of them. */
export function rowsOf(collection: Collection): SqlSelect {
  return { kind: 'select', columns: rowColumns(collection), from: table(collection.name) };
}

/** The column `id` of a collection's rows. */
export function idOf(collection: Collection): SqlNode {
  return column(collection.name, 'id');
}

/** Whether a condition holds for one of the items. They are asked one after another, until one does. */
function someInOrder<Item>(
  items: readonly Item[],
  isTrue: (item: Item) => MaybePromise<boolean>,
  from = 0,
): MaybePromise<boolean> {
  if (from === items.length) return false;
  return andThen(isTrue(items[from]!), (found) => found || someInOrder(items, isTrue, from + 1));
}
