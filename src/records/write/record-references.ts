import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { TimeSlices } from '../../database/time-slices.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { parseIndexes } from '../../kernel/collections/index-definition.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import { type ListDefinition, mostValues } from '../../kernel/fields/list-valued-field.js';
import { RecordModel, type RecordRow } from '../../kernel/records/record-model.js';
import { fieldColumn } from '../../kernel/resolve/columns.js';
import { longValueSizes } from '../../kernel/resolve/narrow-columns.js';
import type { ValuePlace } from '../../kernel/sql/prepared-statement.js';
import type { SqlNode, SqlQuery, SqlSelect } from '../../kernel/sql/sql-node.js';
import { and, call, column, compare, oneOf, table } from '../../kernel/sql/sql.js';
import { idOf, rowsOf } from '../record-rows.js';
import { FIRST_RUN, nextRun, RUN_BYTES, runColumns, runsOf } from './record-runs.js';

/** Rows that are looked through in one statement where no index tells which of them refer to a record. */
const SCANNED_AT_ONCE = 10_000;

/** Items of lists that are looked through in one statement, as long as all of them refer to a record. */
const ITEMS_AT_ONCE = 200_000;

/** So many records that refer to one are deleted without being read, at most: whoever begins to listen waits for it. */
const FEW = 2_000;

/** What is read of records that refer to another. */
interface HolderColumns {
  readonly name: string;
  readonly of: (collection: Collection) => SqlSelect['columns'];
}

const RECORDS: HolderColumns = { name: 'holders', of: runColumns };

const SIZES: HolderColumns = {
  name: 'sizes of holders',
  of: (collection) => [{ value: idOf(collection), as: 'id' }, ...longValueSizes(collection)],
};

/** A name no column can have, for the number of a row. */
const PLACE = 'the place';
/** A name no table can have, for the items of a list. */
const ITEM = 'the item';

/** A relation field that points at a collection. */
export interface Reference {
  readonly collection: Collection;
  readonly field: FieldDefinition;
}

/** A part of a table, by the numbers of its rows: those after the first and up to the last of them. */
type Section = readonly [after: number, upTo: number];

const WHOLE: Section = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Finds the records that refer to others. */
@Injectable()
export class RecordReferences {
  private readonly lists = new WeakMap<object, Map<string, readonly Reference[]>>();

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
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
        let most = Math.min(FIRST_RUN, mostHolders(reference));
        for (let after = start; ;) {
          const rows = await this.read(RECORDS, id, reference, [after, upTo], most);
          if (rows.length === 0) break;
          found = true;
          after = rows.at(-1)![PLACE];
          const isLast = rows.length < most;
          most = Math.min(nextRun(reference.collection, rows), mostHolders(reference));
          const [first, ...others] = runsOf(reference.collection, rows);
          yield typeof first === 'string' ? await this.stillHolding([first], id, reference) : first!;
          for (const run of others) {
            // Whoever took those before may have changed or deleted these.
            const ids = typeof run === 'string' ? [run] : run.map((record) => record.id);
            yield await this.stillHolding(ids, id, reference);
          }
          if (isLast) break;
        }
      }
      // Hooks may have created new references, so the holders are read once more.
    }
  }

  /** The ids of all records that refer to one, where they are few and small and an index leads to them. */
  async fewHolders(id: string, reference: Reference): Promise<readonly string[] | undefined> {
    const { collection, field } = reference;
    if (!isIndexed(collection, field)) return undefined;
    const rows = await this.read(SIZES, id, reference, WHOLE, FEW + 1);
    if (rows.length === 0) return [];
    const long = longValueSizes(collection);
    const bytes = rows.reduce((sum, row) => long.reduce((all, { as }) => all + Number(row[as]), sum), 0);
    return rows.length > FEW || bytes > RUN_BYTES ? undefined : rows.map((row) => row['id'] as string);
  }

  /** Does any record refer to one of these? */
  async isHeld(ids: readonly string[], reference: Reference): Promise<boolean> {
    const { collection, field } = reference;
    const slices = new TimeSlices();
    for (const section of await this.sections(reference)) {
      await slices.pause();
      const isWhole = section === WHOLE;
      const shape = `held ${field.name} ${ids.length} ${isWhole}`;
      const held = this.database.statements.of(collection, shape, (place) => {
        const refers = refersTo(
          ids.map(() => place()),
          reference,
        );
        const where = isWhole ? refers : and(refers, isWithin(collection, place));
        return { kind: 'select', columns: [], from: table(collection.name), where, limit: 1 };
      });
      const rows = await this.database.reads.rows(held.with(isWhole ? ids : [...ids, ...section]));
      if (rows.length > 0) return true;
    }
    return false;
  }

  /** The record with this id, as long as it refers to the other one. */
  async holder(id: string, to: string, reference: Reference): Promise<RecordModel | undefined> {
    const { collection, field } = reference;
    const holder = this.database.statements.of(collection, `holder ${field.name}`, (place) => ({
      ...rowsOf(collection),
      where: and(compare(idOf(collection), '=', place()), refersTo([place()], reference)),
      lock: 'change',
    }));
    const [row] = await this.database.reads.rows<RecordRow>(holder.with([id, to]));
    return row && RecordModel.fromRow(collection, row);
  }

  private async stillHolding(ids: readonly string[], to: string, reference: Reference): Promise<RecordModel[]> {
    const found: RecordModel[] = [];
    for (const id of ids) {
      const holder = await this.holder(id, to, reference);
      if (holder) found.push(holder);
    }
    return found;
  }

  private async read(
    what: HolderColumns,
    id: string,
    reference: Reference,
    section: Section,
    most: number,
  ): Promise<(RecordRow & { [PLACE]: number })[]> {
    const { collection, field } = reference;
    const holders = this.database.statements.of(collection, `${what.name} ${field.name} ${most}`, (place) => {
      return {
        ...rowsOf(collection),
        columns: [{ value: placeOf(collection), as: PLACE }, ...what.of(collection)],
        where: and(refersTo([place()], reference), isWithin(collection, place)),
        order: [{ value: placeOf(collection), descending: false }],
        limit: most,
        lock: 'change',
      };
    });
    return this.database.reads.rows(holders.with([id, ...section]));
  }

  /** The parts in which a table is looked through, so that no statement takes long (OPS-39). */
  private async sections({ collection, field }: Reference): Promise<readonly Section[]> {
    if (isIndexed(collection, field)) return [WHOLE];
    // Two statements, because MIN and MAX in one would read the whole table.
    const ends = this.database.statements.of(collection, 'ends', () => ({
      kind: 'select',
      columns: [
        { value: endOf(collection, 'min'), as: 'first' },
        { value: endOf(collection, 'max'), as: 'last' },
      ],
    }));
    const [found] = await this.database.reads.rows<{ first: number | null; last: number | null }>(ends.with([]));
    const { first, last } = found!;
    if (first === null || last === null) return [];
    const count = Math.ceil((last - first + 1) / SCANNED_AT_ONCE);
    if (count <= 1) return [WHOLE];
    return Array.from({ length: count }, (_, index) => {
      const after = first - 1 + index * SCANNED_AT_ONCE;
      return [after, after + SCANNED_AT_ONCE] as const;
    });
  }
}

/** How many records one statement finds that refer to another, at most. */
function mostHolders({ collection, field }: Reference): number {
  if (!collection.typeOf(field).isMultiple(field)) return Infinity;
  return Math.ceil(ITEMS_AT_ONCE / mostValues(field as ListDefinition));
}

/** True for rows that refer to one of these. */
function refersTo(ids: readonly SqlNode[], { collection, field }: Reference): SqlNode {
  const value = fieldColumn(collection, field, collection.name);
  if (!collection.typeOf(field).isMultiple(field)) return oneOf(value, ids);
  const query: SqlQuery = {
    kind: 'select',
    columns: [],
    from: { kind: 'items', of: value, as: ITEM },
    where: oneOf(column(ITEM, 'value'), ids),
  };
  return { kind: 'exists', query };
}

/** True for rows of a section, whose bounds it asks for. */
function isWithin(collection: Collection, place: ValuePlace): SqlNode {
  return and(compare(placeOf(collection), '>', place('number')), compare(placeOf(collection), '<=', place('number')));
}

function placeOf({ name }: Collection): SqlNode {
  return { kind: 'rowid', alias: name };
}

function endOf(collection: Collection, end: 'min' | 'max'): SqlNode {
  const columns = [{ value: call(end, placeOf(collection)), as: end }];
  return { kind: 'scalar', query: { kind: 'select', columns, from: table(collection.name) } };
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
  return parseIndexes(collection.indexes).some(({ where, columns: [first] }) => {
    return where === '' && !first!.expression && first!.name.toLowerCase() === field.name.toLowerCase();
  });
}
