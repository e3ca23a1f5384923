import type { CollectionCatalog } from '../../src/kernel/collections/collection-catalog.js';
import { Collection, type CollectionData } from '../../src/kernel/collections/collection.js';
import { builtinFieldTypes } from '../../src/kernel/fields/builtin-field-types.js';
import { FieldTypeRegistry } from '../../src/kernel/fields/field-type-registry.js';
import type { ColumnKind } from '../../src/kernel/fields/field-type.js';
import { normalizeFieldDefinition } from '../../src/kernel/fields/normalize-field-definition.js';
import { FilterCache } from '../../src/kernel/filter/filter-cache.js';
import { Caller, GUEST } from '../../src/kernel/records/caller.js';
import { RecordModel } from '../../src/kernel/records/record-model.js';
import type { RequestInfo } from '../../src/kernel/records/request-info.js';
import type { CandidateCheck } from '../../src/kernel/resolve/candidate-compiler.js';
import { ExpressionCompiler } from '../../src/kernel/resolve/expression-compiler.js';
import type { ListQuery } from '../../src/kernel/resolve/list-compiler.js';
import type { BoundSql } from '../../src/kernel/sql/bound-sql.js';
import type { SqlCompiler } from '../../src/kernel/sql/sql-compiler.js';
import { SqliteCompiler } from '../../src/kernel/sql/sqlite-compiler.js';
import { Sqlite } from '../support/sqlite.js';

const COLUMNS: Readonly<Record<ColumnKind, string>> = {
  primaryKey: 'TEXT PRIMARY KEY NOT NULL',
  text: "TEXT DEFAULT '' NOT NULL",
  number: 'NUMERIC DEFAULT 0 NOT NULL',
  boolean: 'BOOLEAN DEFAULT FALSE NOT NULL',
  json: 'JSON DEFAULT NULL',
  jsonArray: "JSON DEFAULT '[]' NOT NULL",
  geoPoint: `JSON DEFAULT '{"lon":0,"lat":0}' NOT NULL`,
};

/** A field as a test writes it: its type, or its type with options. */
type FieldSketch = string | Readonly<Record<string, unknown>>;

/** A collection as a test writes it. Its id is its name with `_id` behind it. */
export interface CollectionSketch extends Partial<Omit<CollectionData, 'fields' | 'name'>> {
  readonly fields: Readonly<Record<string, FieldSketch>>;
}

type Sketches = Readonly<Record<string, CollectionSketch>>;
type Values = Readonly<Record<string, unknown>>;

/** An instant for macros: Wednesday, 2026-03-04 05:06:07.089Z. */
export const NOW = Date.UTC(2026, 2, 4, 5, 6, 7, 89);

/** Collections with real tables in memory, and what compiled expressions find in them. */
export class TestDatabase implements CollectionCatalog {
  readonly sqlite = new Sqlite(':memory:');
  readonly compiler: ExpressionCompiler;
  private readonly types = new FieldTypeRegistry(builtinFieldTypes());
  private readonly collections = new Map<string, Collection>();

  constructor(sketches: Sketches, newCompiler: () => SqlCompiler = () => new SqliteCompiler()) {
    const filters = new FilterCache();
    this.compiler = new ExpressionCompiler(newCompiler, (text) => filters.parse(text));
    for (const [name, sketch] of Object.entries(sketches)) this.define(name, sketch);
  }

  find(nameOrId: string): Collection | undefined {
    const lower = nameOrId.toLowerCase();
    return this.all().find(({ id, name }) => id === nameOrId || name.toLowerCase() === lower);
  }

  all(): readonly Collection[] {
    return [...this.collections.values()];
  }

  get(name: string): Collection {
    return this.collections.get(name)!;
  }

  /** Stores records, by default with the ids they are given under. */
  insert(name: string, records: Readonly<Record<string, Values>>): void {
    for (const [id, values] of Object.entries(records)) {
      const row = this.record(name, { id, ...values }).toRow();
      const names = Object.keys(row);
      const columns = names.map((column) => `"${column}"`).join(', ');
      const places = names.map(() => '?').join(', ');
      this.sqlite.prepare(`INSERT INTO "${name}" (${columns}) VALUES (${places})`).run(Object.values(row));
    }
  }

  /** A record of the collection with these values. */
  record(name: string, values: Values): RecordModel {
    const record = RecordModel.blank(this.get(name));
    for (const [field, value] of Object.entries(values)) record.set(field, value);
    record.markStored();
    return record;
  }

  /** Who acts, with what request. */
  caller(auth: RecordModel | null, request: Partial<RequestInfo> = {}): Caller {
    return new Caller(auth).withRequest(request);
  }

  run<Row = Record<string, unknown>>({ sql, params }: BoundSql): Row[] {
    return this.sqlite.prepare(sql).all(...params) as Row[];
  }

  /** Ids of the records a filter finds, in the order of the sort. */
  list(name: string, filter: string, options: Partial<ListQuery> = {}): string[] {
    const statements = this.statements(name, filter, options);
    const ids = this.run<{ id: string }>(statements.page(0)).map(({ id }) => id);
    const [{ total }] = this.run<{ total: number }>(statements.count()) as [{ total: number }];
    if (total !== ids.length) throw new Error(`${total} counted, ${ids.length} listed`);
    return ids;
  }

  statements(name: string, filter: string, options: Partial<ListQuery> = {}) {
    return this.compiler.list({
      collection: this.get(name),
      catalog: this,
      caller: GUEST,
      now: NOW,
      filter,
      limit: 1000,
      ...options,
    });
  }

  /** Ids of the records that pass a rule. */
  passing(name: string, rule: string, caller: Caller = GUEST): string[] {
    const { sql, params, tables } = this.compiler.condition({
      collection: this.get(name),
      catalog: this,
      caller,
      now: NOW,
      rule,
    });
    const rows = this.run<{ id: string }>({ sql: `SELECT "id" FROM "${name}" WHERE ${sql}`, params, tables });
    return rows.map(({ id }) => id);
  }

  /** Indexes of the checks that a record with these values passes. */
  passed(name: string, values: Values, checks: readonly CandidateCheck[], unstored = false): number[] {
    const row = this.record(name, values).toRow();
    const query = { collection: this.get(name), catalog: this, now: NOW, row, unstored, checks };
    const { statement } = this.compiler.candidates(query);
    const indexes = statement ? this.run<{ index: number }>(statement).map(({ index }) => index) : [];
    return indexes.sort((a, b) => a - b);
  }

  private define(name: string, { fields, ...more }: CollectionSketch): void {
    const idField = this.field('id', { type: 'text', primaryKey: true, system: true, required: true });
    const definitions = Object.entries(fields).map(([field, sketch]) =>
      this.field(field, typeof sketch === 'string' ? { type: sketch } : sketch),
    );
    const collection = new Collection(
      {
        id: `${name}_id`,
        name,
        type: 'base',
        system: false,
        indexes: [],
        listRule: '',
        viewRule: '',
        createRule: '',
        updateRule: '',
        deleteRule: '',
        created: '',
        updated: '',
        ...more,
        fields: [idField, ...definitions],
      },
      this.types,
    );
    this.collections.set(name, collection);
    if (collection.isView) this.sqlite.exec(`CREATE VIEW "${name}" AS ${collection.viewQuery}`);
    else this.createTable(collection);
  }

  private createTable(collection: Collection): void {
    const columns = collection.fields.map(
      (field) => `"${field.name}" ${COLUMNS[collection.typeOf(field).column(field)]}`,
    );
    this.sqlite.exec(`CREATE TABLE "${collection.name}" (${columns.join(', ')})`);
    for (const index of collection.indexes) this.sqlite.exec(index);
  }

  private field(name: string, sketch: Values) {
    const { definition, errors } = normalizeFieldDefinition({ id: `f_${name}`, name, ...sketch }, this.types);
    if (!definition) throw new Error(`${name}: ${JSON.stringify(errors)}`);
    return definition;
  }
}

/** A relation field to one record, or with `maxSelect` to several. */
export function relation(target: string, maxSelect = 1): FieldSketch {
  return { type: 'relation', collectionId: `${target}_id`, maxSelect };
}
