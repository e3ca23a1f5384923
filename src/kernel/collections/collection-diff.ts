import type { ColumnKind } from '../fields/field-type.js';
import type { Collection } from './collection.js';
import { type IndexDefinition, mentionedNames, parseIndex } from './index-definition.js';
import { executableIndex } from './index-upkeep.js';

/** A column of a collection's table. */
export interface ColumnDefinition {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** One step of bringing tables in line with definitions. Steps are applied in the order of their list. */
export type SchemaChange =
  | { readonly kind: 'dropIndex'; readonly name: string }
  | { readonly kind: 'dropTable'; readonly table: string }
  | { readonly kind: 'renameTable'; readonly table: string; readonly to: string }
  | { readonly kind: 'createTable'; readonly table: string; readonly columns: readonly ColumnDefinition[] }
  | { readonly kind: 'dropColumn'; readonly table: string; readonly column: string }
  | { readonly kind: 'renameColumn'; readonly table: string; readonly column: string; readonly to: string }
  | { readonly kind: 'addColumn'; readonly table: string; readonly column: ColumnDefinition }
  | {
      readonly kind: 'convertColumn';
      readonly table: string;
      readonly column: ColumnDefinition;
      readonly from: ColumnKind;
    }
  | {
      readonly kind: 'createIndex';
      readonly sql: string;
      /** The collection of the index and its position there, for error messages. */
      readonly collection: string;
      readonly position: number;
    };

/** A collection before and after a change; undefined where it does not exist. Views are no part of this. */
export interface CollectionChange {
  readonly before?: Collection;
  readonly after?: Collection;
}

/**
 * The steps from the tables of one set of definitions to those of another. Collections and fields are matched by id;
 * names may be swapped, in any circle, because a name that is still in use is reached through a temporary one.
 */
export function collectionDiff(changes: readonly CollectionChange[]): SchemaChange[] {
  const tables = changes.filter(({ before, after }) => !(before ?? after)!.isView);
  const updates = tables.filter(isUpdate).map((change) => new TableUpdate(change.before, change.after));
  return [
    ...updates.flatMap((update) => update.dropIndexes()),
    ...tables.flatMap(({ before, after }) =>
      before && !after ? [{ kind: 'dropTable' as const, table: before.name }] : [],
    ),
    ...renamesInOrder(updates.map(({ before, after }) => [before.name, after.name])).map(
      ([table, to]) => ({ kind: 'renameTable', table, to }) as const,
    ),
    ...tables.flatMap(({ before, after }) => (!before && after ? [createTable(after)] : [])),
    ...updates.flatMap((update) => update.columns()),
    ...updates.flatMap((update) => update.createIndexes()),
    ...tables.flatMap(({ before, after }) => (!before && after ? createIndexes(after, after.indexes) : [])),
  ];
}

/** The columns of a collection's table. */
function tableColumns(collection: Collection): ColumnDefinition[] {
  return collection.fields.map((field) => ({ name: field.name, kind: collection.typeOf(field).column(field) }));
}

function isUpdate(change: CollectionChange): change is Required<CollectionChange> {
  return change.before !== undefined && change.after !== undefined;
}

function createTable(collection: Collection): SchemaChange {
  return { kind: 'createTable', table: collection.name, columns: tableColumns(collection) };
}

function createIndexes(collection: Collection, statements: readonly string[]): SchemaChange[] {
  const names = collection.fields.map((field) => field.name);
  return statements.map((sql) => ({
    kind: 'createIndex',
    sql: executableIndex(sql, names),
    collection: collection.name,
    position: collection.indexes.indexOf(sql),
  }));
}

/**
 * Renames in an order in which they can be done; those whose target is in use, or differs in letter case only, go
 * through a temporary name.
 */
function renamesInOrder(pairs: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const renames = pairs.filter(([from, to]) => from !== to);
  const inUse = new Set(renames.map(([from]) => from.toLowerCase()));
  const direct = renames.filter(([, to]) => !inUse.has(to.toLowerCase()));
  const detours = renames.filter(([, to]) => inUse.has(to.toLowerCase()));
  return [
    ...detours.map(([from], index) => [from, temporaryName(index)] as const),
    ...direct,
    ...detours.map(([, to], index) => [temporaryName(index), to] as const),
  ];
}

/** A name that no collection and no field can have. */
function temporaryName(index: number): string {
  return `roost:${index}`;
}

/** The change of one table that stays. */
class TableUpdate {
  private readonly touched: ReadonlySet<string>;

  constructor(
    readonly before: Collection,
    readonly after: Collection,
  ) {
    this.touched = new Set(this.touchedColumns());
  }

  /** Indexes that are gone or changed, and those that stand in the way of a change of their columns. */
  dropIndexes(): SchemaChange[] {
    const kept = new Set(this.after.indexes);
    return this.before.indexes.flatMap((sql) => {
      const index = parseIndex(sql);
      return index && (!kept.has(sql) || this.isTouched(index)) ? [{ kind: 'dropIndex', name: index.name }] : [];
    });
  }

  createIndexes(): SchemaChange[] {
    const present = new Set(this.before.indexes);
    const missing = this.after.indexes.filter((sql) => {
      const index = parseIndex(sql);
      return !present.has(sql) || (index !== undefined && this.isTouched(index));
    });
    return createIndexes(this.after, missing);
  }

  columns(): SchemaChange[] {
    const table = this.after.name;
    const kept = this.after.fields.filter((field) => this.before.fieldById(field.id));
    const dropped = this.before.fields.filter((field) => !this.after.fieldById(field.id));
    const added = this.after.fields.filter((field) => !this.before.fieldById(field.id));
    const renames = renamesInOrder(kept.map((field) => [this.before.fieldById(field.id)!.name, field.name]));
    return [
      ...dropped.map((field) => ({ kind: 'dropColumn' as const, table, column: field.name })),
      ...renames.map(([column, to]) => ({ kind: 'renameColumn' as const, table, column, to })),
      ...added.map((field) => ({ kind: 'addColumn' as const, table, column: this.column(field.id) })),
      ...kept.flatMap((field) => {
        const [from, column] = [this.kindBefore(field.id), this.column(field.id)];
        return from === column.kind ? [] : [{ kind: 'convertColumn' as const, table, column, from }];
      }),
    ];
  }

  /** Old names of the columns that are dropped, renamed or stored in another way. */
  private touchedColumns(): string[] {
    return this.before.fields
      .filter((field) => {
        const after = this.after.fieldById(field.id);
        return !after || after.name !== field.name || this.kindBefore(field.id) !== this.column(field.id).kind;
      })
      .map((field) => field.name.toLowerCase());
  }

  private isTouched(index: IndexDefinition): boolean {
    if (this.touched.size === 0) return false;
    const names = new Set(mentionedNames(index.where));
    for (const column of index.columns) {
      if (!column.expression) names.add(column.name.toLowerCase());
      else for (const name of mentionedNames(column.name)) names.add(name);
    }
    return [...names].some((name) => this.touched.has(name));
  }

  private kindBefore(fieldId: string): ColumnKind {
    const field = this.before.fieldById(fieldId)!;
    return this.before.typeOf(field).column(field);
  }

  private column(fieldId: string): ColumnDefinition {
    const field = this.after.fieldById(fieldId)!;
    return { name: field.name, kind: this.after.typeOf(field).column(field) };
  }
}
