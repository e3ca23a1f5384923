import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER } from '../support/postgres-databases.js';
import { CollectionsApp } from './support/collections-app.js';
import {
  applied,
  firstModel,
  type ModelTable,
  type SchemaModel,
  shownField,
  steps,
  toCollections,
} from './support/schema-model.js';
import { actualShape, expectedShape } from './support/table-shape.js';

const VALUES: Readonly<Record<string, string | number>> = {
  text: 'some text',
  editor: '<p>text</p>',
  email: 'a@example.com',
  url: 'https://example.com',
  number: 4.5,
  bool: 1,
  json: '{"a":[1,2]}',
  geoPoint: '{"lon":1,"lat":2}',
  date: '2026-01-02 03:04:05.678Z',
};
const ROWS = [0, 1, 2];

/** A table that was made again has another number. */
const POSTGRES_TABLES = `SELECT relname, relkind, CASE relkind WHEN 'v' THEN 0 ELSE oid END AS number FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace ORDER BY relname`;

/** JSON is kept as a value, not as it was written. */
function read(value: unknown): unknown {
  return CLUSTER !== undefined && typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value;
}

type Field = ModelTable['fields'][number];

/** What is stored for a field: a value that tells tables, fields and rows apart, in the form its options call for. */
function sample(table: ModelTable, field: Field, row: number): string | number {
  const { maxSelect } = field.options as { maxSelect?: number };
  if (maxSelect === undefined) return field.type === 'text' ? `${table.id}.${field.id}.${row}` : VALUES[field.type]!;
  const value = field.type === 'select' ? ['a', 'b', 'c'][row]! : `${table.id}.${field.id}.${row}`;
  return maxSelect > 1 ? JSON.stringify([value]) : value;
}

describe('random schemas', () => {
  let app: CollectionsApp;
  let mirror: CollectionsApp;
  let run = 0;
  let unique = 0;
  beforeAll(async () => {
    app = await CollectionsApp.start();
    mirror = await CollectionsApp.start();
  });
  afterAll(async () => {
    await app.stop();
    await mirror.stop();
  });

  const imported = (model: SchemaModel) => app.collections.import(toCollections(model), { deleteMissing: true });
  const timeless = (of: CollectionsApp) =>
    of
      .exported()
      .map(({ created: _created, updated: _updated, ...rest }) => rest)
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  const schema = () =>
    CLUSTER === undefined
      ? app.sql('SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema ORDER BY type, name')
      : app.sql(POSTGRES_TABLES);

  async function fill({ tables }: SchemaModel): Promise<void> {
    for (const table of tables) {
      const keys = table.type === 'auth' ? ['tokenKey'] : [];
      const columns = ['id', ...keys, ...table.fields.map(({ name }) => name)].map((name) => `"${name}"`);
      await app.sql(`DELETE FROM "${table.name}"`);
      for (const row of ROWS) {
        const values = [
          `r${row}`,
          ...keys.map(() => `k${row}`),
          ...table.fields.map((field) => sample(table, field, row)),
        ];
        const marks = values.map(() => '?').join(', ');
        await app.sql(`INSERT INTO "${table.name}" (${columns.join(', ')}) VALUES (${marks})`, ...values);
      }
    }
  }

  async function expectTables(before: SchemaModel, after: SchemaModel): Promise<void> {
    for (const table of after.tables) {
      const collection = app.collections.get(table.id);
      expect(collection.name).toBe(table.name);
      expect(await actualShape(app, table.name)).toEqual(expectedShape(collection));
      const known = before.tables.find(({ id }) => id === table.id);
      const rows = await app.sql(`SELECT * FROM "${table.name}" ORDER BY id`);
      expect(rows).toHaveLength(known ? ROWS.length : 0);
      for (const field of table.fields.filter(({ id }) => known?.fields.some((each) => each.id === id))) {
        const values = rows.map((row) => read(row[field.name]));
        expect(values, `${table.name}.${field.name}`).toEqual(ROWS.map((row) => read(sample(table, field, row))));
      }
    }
  }

  async function expectViews(before: SchemaModel, after: SchemaModel): Promise<void> {
    for (const view of after.views) {
      const collection = app.collections.get(view.id);
      expect(collection.fields.map(({ name }) => name)).toEqual(['id', ...view.columns.map(({ as }) => as)]);
      const rows = await app.sql(`SELECT * FROM "${view.name}" ORDER BY id`);
      for (const { as } of view.columns) {
        const { table, field } = shownField(after, view, as);
        expect(collection.field(as)!.type).toBe(field.type);
        expect(collection.field(as)!.maxSelect).toBe(field.options.maxSelect);
        const known = before.tables.find(({ id }) => id === table.id)?.fields.some(({ id }) => id === field.id);
        if (!known) continue;
        expect(rows.map((row) => read(row[as]))).toEqual(ROWS.map((row) => read(sample(table, field, row))));
      }
    }
  }

  it('COL-93 COL-95 COL-98 COL-112 COL-113 COL-118 become what an import says, however names and options change places', async () => {
    const done: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), async (rounds) => {
        let model = firstModel(run++);
        await imported(model);
        for (const round of rounds) {
          await fill(model);
          const before = model;
          for (const step of round) {
            const next = applied(model, step, unique++);
            if (next !== model) done[step.kind] = (done[step.kind] ?? 0) + 1;
            model = next;
          }
          await imported(model);
          expect(app.collections.all().filter(({ system }) => !system)).toHaveLength(
            model.tables.length + model.views.length,
          );
          await expectTables(before, model);
          await expectViews(before, model);

          // What it exports changes nothing when it is imported again.
          const [exported, tables] = [timeless(app), await schema()];
          await app.collections.import(structuredClone(app.exported()), { deleteMissing: true });
          expect(timeless(app)).toEqual(exported);
          expect(await schema()).toEqual(tables);
        }
        await mirror.collections.import([{ name: 'only' }], { deleteMissing: true });
        await mirror.collections.import(structuredClone(app.exported()), { deleteMissing: true });
        expect(timeless(mirror)).toEqual(timeless(app));
      }),
      { numRuns: 20 },
    );
    // A property of changes that do not happen would say nothing.
    expect(Object.keys(done)).toHaveLength(12);
  }, 300_000);
});
