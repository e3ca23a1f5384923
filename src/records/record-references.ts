import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import { TimeSlices } from '../database/time-slices.js';
import type { Collection } from '../kernel/collections/collection.js';
import { parseIndex } from '../kernel/collections/index-definition.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { marks, quoteName, RecordRows } from './record-rows.js';

/** Referring records read at a time, so that any number of them fits in memory (REL-5). */
const CHUNK = 200;

/** Rows that are looked through in one statement where no index tells which of them refer to a record. */
const SCANNED_AT_ONCE = 10_000;

/** A name no column can have, for the number of a row. */
const PLACE = 'the place';

/** A relation field that points at a collection. */
export interface Reference {
  readonly collection: Collection;
  readonly field: FieldDefinition;
}

/** A part of a table, by the numbers of its rows: those after the first and up to the last of them. */
type Section = readonly [after: number, upTo: number];

const WHOLE: Section = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** A condition on rows, with its values. */
interface RowCondition {
  readonly sql: string;
  readonly params: readonly string[];
}

/** Finds the records that refer to others. */
@Injectable()
export class RecordReferences {
  private readonly lists = new WeakMap<object, Map<string, readonly Reference[]>>();

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
  ) {}

  /** The relation fields that point at a collection, collections in the order of their names. */
  to(target: Collection): readonly Reference[] {
    const { catalog } = this.store;
    const lists = this.lists.get(catalog) ?? new Map<string, readonly Reference[]>();
    this.lists.set(catalog, lists);
    let references = lists.get(target.id);
    if (!references) lists.set(target.id, (references = findReferences(catalog.all(), target)));
    return references;
  }

  /**
   * The records that refer to one, some at a time, until there are none: whoever asks for the next ones has changed or
   * deleted the ones before.
   */
  async *holdersOf(id: string, reference: Reference): AsyncGenerator<readonly RecordModel[]> {
    const slices = new TimeSlices();
    for (let found = true; found;) {
      found = false;
      for (const [start, upTo] of await this.sections(reference)) {
        await slices.pause();
        for (let after = start; ;) {
          const rows = await this.read(id, reference, [after, upTo]);
          if (rows.length === 0) break;
          found = true;
          after = rows.at(-1)![PLACE] as number;
          yield rows.map((row) => RecordModel.fromRow(reference.collection, row));
          if (rows.length < CHUNK) break;
        }
      }
      // What was done about them may have made others refer to it: it is looked once more.
    }
  }

  /** Does any record refer to one of these? */
  async isHeld(ids: readonly string[], reference: Reference): Promise<boolean> {
    const table = quoteName(reference.collection.name);
    const refers = this.refersTo(ids, reference);
    const within = ` AND ${table}._rowid_ > ? AND ${table}._rowid_ <= ?`;
    const slices = new TimeSlices();
    for (const section of await this.sections(reference)) {
      await slices.pause();
      const [also, bounds] = section === WHOLE ? ['', []] : [within, section];
      const sql = `SELECT 1 FROM ${table} WHERE ${refers.sql}${also} LIMIT 1`;
      if (await this.database.get({ sql, params: [...refers.params, ...bounds] })) return true;
    }
    return false;
  }

  /** The record with this id, as long as it refers to the other one. */
  async holder(id: string, to: string, { collection, field }: Reference): Promise<RecordModel | undefined> {
    const refers = this.refersTo([to], { collection, field });
    const sql = `SELECT ${this.rows.columnsOf(collection)} FROM ${quoteName(collection.name)} WHERE "id" = ? AND ${refers.sql}`;
    const row = await this.database.get<RecordRow>({ sql, params: [id, ...refers.params] });
    return row && RecordModel.fromRow(collection, row);
  }

  /** True for rows that refer to one of these. */
  private refersTo(ids: readonly string[], { collection, field }: Reference): RowCondition {
    // Without its table, a field called "key", "path" or "parent" would be a column of json_each.
    const column = `${quoteName(collection.name)}.${quoteName(field.name)}`;
    const isOne = ids.length === 1 ? '= ?' : `IN (${marks(ids.length)})`;
    if (!collection.typeOf(field).isMultiple(field)) return { sql: `${column} ${isOne}`, params: ids };
    const list = `CASE WHEN json_valid(${column}) AND json_type(${column}) = 'array' THEN ${column} ELSE json_array(${column}) END`;
    return {
      sql: `EXISTS (SELECT 1 FROM json_each(${list}) AS "the item" WHERE "the item".value ${isOne})`,
      params: ids,
    };
  }

  private read(id: string, reference: Reference, section: Section): Promise<(RecordRow & { [PLACE]: number })[]> {
    const { collection } = reference;
    const refers = this.refersTo([id], reference);
    const place = `${quoteName(collection.name)}._rowid_`;
    const sql =
      `SELECT ${place} AS "${PLACE}", ${this.rows.columnsOf(collection)} FROM ${quoteName(collection.name)}` +
      ` WHERE ${refers.sql} AND ${place} > ? AND ${place} <= ? ORDER BY ${place} LIMIT ${CHUNK}`;
    return this.database.all({ sql, params: [...refers.params, ...section] });
  }

  /** The parts in which a table is looked through, so that no statement takes long (OPS-39). */
  private async sections({ collection, field }: Reference): Promise<readonly Section[]> {
    if (isIndexed(collection, field)) return [WHOLE];
    const table = quoteName(collection.name);
    // Both in one would read the whole table.
    const sql = `SELECT (SELECT min(_rowid_) FROM ${table}) AS "first", (SELECT max(_rowid_) FROM ${table}) AS "last"`;
    const { first, last } = (await this.database.get<{ first: number | null; last: number | null }>({
      sql,
      params: [],
    }))!;
    if (first === null || last === null) return [];
    const count = Math.ceil((last - first + 1) / SCANNED_AT_ONCE);
    if (count <= 1) return [WHOLE];
    return Array.from({ length: count }, (_, index) => {
      const after = first - 1 + index * SCANNED_AT_ONCE;
      return [after, after + SCANNED_AT_ONCE] as const;
    });
  }
}

function findReferences(collections: readonly Collection[], target: Collection): Reference[] {
  return collections
    .filter((collection) => !collection.isView)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((collection) =>
      collection.fields
        .filter((field) => field.type === 'relation' && field['collectionId'] === target.id)
        .map((field) => ({ collection, field })),
    );
}

/** Does an index lead from a record to those that refer to it with this field? Lists have none. */
function isIndexed(collection: Collection, field: FieldDefinition): boolean {
  if (collection.typeOf(field).isMultiple(field)) return false;
  return collection.indexes.some((text) => {
    const index = parseIndex(text);
    const first = index?.columns[0];
    return index?.where === '' && !first!.expression && first!.name.toLowerCase() === field.name.toLowerCase();
  });
}
