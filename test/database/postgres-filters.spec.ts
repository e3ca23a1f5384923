import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { PostgresDialect } from '../../src/database/postgres/postgres-dialect.js';
import { POSTGRES_FUNCTIONS } from '../../src/database/postgres/postgres-functions.js';
import { SchemaSync } from '../../src/database/schema-sync.js';
import { FilterCache } from '../../src/kernel/filter/filter-cache.js';
import { ExpressionCompiler } from '../../src/kernel/resolve/expression-compiler.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import type { Expression } from '../sql/oracle/evaluate.js';
import { entangled, expression, print, QUERY, SKETCHES, world } from '../sql/oracle/generate.js';
import { NOW, TestDatabase } from '../sql/test-database.js';
import { PostgresCluster } from '../support/postgres-cluster.js';

/** Filters on one world of random rows. */
const FILTERS = 100;

/** Worlds of each property: 20,000 filters in the whole suite on PostgreSQL, some of them elsewhere. */
const WORLDS =
  process.env['ROOST_TEST_DATABASE'] === 'postgres' ? { simple: 160, entangled: 40 } : { simple: 12, entangled: 6 };

type World = Readonly<Record<string, readonly Record<string, unknown>[]>>;

describe('filters on PostgreSQL against the same on SQLite', () => {
  const sqlite = new TestDatabase(SKETCHES);
  let cluster: PostgresCluster;
  let postgres: Database;
  let compiler: ExpressionCompiler;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    postgres = new Database(new PostgresDialect({ url: await cluster.newDatabase(), pool: 2, queryTimeout: 30 }));
    const filters = new FilterCache();
    compiler = new ExpressionCompiler(
      () => postgres.dialect.newCompiler(),
      (text) => filters.parse(text),
    );
    for (const sql of POSTGRES_FUNCTIONS) await postgres.run({ sql, params: [] });
    const schema = new SchemaSync(postgres);
    for (const collection of sqlite.all()) {
      const columns = collection.fields.map((field) => ({
        name: field.name,
        kind: collection.typeOf(field).column(field),
      }));
      await schema.apply([{ kind: 'createTable', table: collection.name, columns }]);
    }
  });

  afterAll(async () => {
    await postgres.lifecycle.close();
    await cluster.stop();
  });

  const store = async (rows: World): Promise<void> => {
    for (const [name, prefix] of [
      ['far', 'f'],
      ['back', 'c'],
      ['main', 'm'],
    ] as const) {
      sqlite.sqlite.exec(`DELETE FROM "${name}"`);
      await postgres.run({ sql: `DELETE FROM "${name}"`, params: [] });
      const records = Object.fromEntries(rows[name]!.map((row, index) => [`${prefix}${index + 1}`, row]));
      sqlite.insert(name, records);
      for (const [id, values] of Object.entries(records)) {
        const row = sqlite.record(name, { id, ...values }).toRow();
        const names = Object.keys(row);
        const columns = names.map((column) => `"${column}"`).join(', ');
        const places = names.map((_, index) => `$${index + 1}`).join(', ');
        const sql = `INSERT INTO "${name}" (${columns}) VALUES (${places})`;
        await postgres.run({ sql, params: Object.values(row) });
      }
    }
  };

  const found = async (filter: string): Promise<string[]> => {
    const caller = GUEST.withRequest({ query: QUERY });
    const query = { collection: sqlite.get('main'), catalog: sqlite, caller, now: NOW, filter, limit: 1000 };
    const rows = await postgres.all<{ id: string }>(compiler.list(query).page(0));
    return rows.map(({ id }) => id);
  };

  const check = async (rows: World, expressions: readonly Expression[]): Promise<void> => {
    await store(rows);
    for (const filter of expressions.map(print)) {
      const expected = sqlite.list('main', filter, { caller: GUEST.withRequest({ query: QUERY }) });
      const actual = await found(filter).catch((error: unknown) => [String(error)]);
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        throw new Error(`${filter}\nfinds    ${String(actual)}\nexpected ${String(expected)}\n${JSON.stringify(rows)}`);
      }
    }
  };

  it.each([
    ['whole expressions', expression, WORLDS.simple],
    ['conditions about the same rows and about others', entangled, WORLDS.entangled],
  ] as const)('SCALE-12 %s', { timeout: 600_000 }, async (_title, node, numRuns) => {
    const property = fc.asyncProperty(world, fc.array(node, { minLength: FILTERS, maxLength: FILTERS }), check);
    await fc.assert(property, { numRuns });
  });
});
