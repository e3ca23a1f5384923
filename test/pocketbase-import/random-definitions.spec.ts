import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { type Definition, ID, plain, text, TIME, TIMES } from '../support/pocketbase-directory.js';
import { startRoost } from '../support/roost.js';
import { carriedOver, type Shown } from './support/carried-over.js';

type Json = Record<string, unknown>;

const [CREATED, UPDATED] = TIMES as [Json, Json];

/** What applications make of the times of a collection, and what is in one of its records. */
const TIME_FIELDS: readonly (readonly [fields: readonly Json[], values: Json])[] = [
  [TIMES, { created: TIME, updated: TIME }],
  [[], {}],
  [
    [
      { ...CREATED, system: false },
      { ...UPDATED, system: false },
    ],
    { created: TIME, updated: TIME },
  ],
  [[{ ...CREATED, name: 'createdAt', system: false }, UPDATED], { createdAt: TIME, updated: TIME }],
  [
    [
      { ...CREATED, name: 'createdAt', system: false },
      { ...UPDATED, name: 'updatedAt', system: false },
    ],
    { createdAt: TIME, updatedAt: TIME },
  ],
  [[CREATED, plain('number', 'updated', { onlyInt: true, min: null, max: null })], { created: TIME, updated: 17e11 }],
  [[text('created', { max: 20 }), UPDATED], { created: 'long ago', updated: TIME }],
  [[plain('date', 'updated', { min: '', max: '' })], { updated: TIME }],
  [[CREATED, { ...UPDATED, onCreate: false }], { created: TIME, updated: TIME }],
  [[CREATED, { ...UPDATED, onUpdate: false }], { created: TIME, updated: TIME }],
  [
    [plain('autodate', 'seen', { onCreate: true, onUpdate: true }), ...TIMES],
    { seen: TIME, created: TIME, updated: TIME },
  ],
];

const MORE_FIELDS: readonly Json[] = [
  plain('bool', 'done'),
  plain('number', 'views', { min: 1.5, max: null, onlyInt: false }),
  plain('select', 'tags', { values: ['a', 'b'], maxSelect: 2 }),
  plain('json', 'extra', { maxSize: 10 }),
  plain('email', 'mail', { exceptDomains: null, onlyDomains: ['example.com'] }),
  plain('editor', 'text', { maxSize: 0, convertURLs: true }),
  plain('url', 'home', { exceptDomains: null, onlyDomains: null, hidden: true }),
  text('code', { min: 1, max: 5, pattern: '^[a-z]+$', autogeneratePattern: '[a-z]{3}', presentable: true }),
];

const INDEXES: readonly string[] = [
  "CREATE UNIQUE INDEX idx_NAME_1 ON {{NAME}} ([[a]] COLLATE NOCASE) WHERE [[a]] != ''",
  'CREATE INDEX idx_NAME_2 ON {{NAME}} (lower([[b]]), [[a]] DESC)',
  'CREATE INDEX `idx_NAME_3` ON `NAME` (`b`)',
  'CREATE INDEX "idx_NAME_4" ON "NAME" ("b", "a")',
  "CREATE INDEX idx_NAME_5 ON NAME (b || '[[a]]')",
];

const VIEWS: readonly string[] = [
  'SELECT [[id]], [[a]] FROM {{NAME}}',
  'SELECT `n`.`id`, [[n.a]] AS [[title]] FROM NAME {{n}}',
  'SELECT id, count(*) AS total FROM "NAME" GROUP BY id',
];

const part = fc.record({
  times: fc.constantFrom(...TIME_FIELDS),
  more: fc.subarray([...MORE_FIELDS]),
  indexes: fc.subarray([...INDEXES]),
  system: fc.boolean(),
  listRule: fc.constantFrom(null, '', `a = "x" && b != ''`),
  viewRule: fc.constantFrom(null, '', '@request.auth.id != ""'),
  view: fc.option(fc.constantFrom(...VIEWS), { nil: undefined }),
});

/** Collections with their views; what is written in the place of NAME is the name of each. */
const schema = (length: number) =>
  fc.array(part, { minLength: length, maxLength: length }).map((parts) =>
    parts.flatMap(({ times: [times, values], more, indexes, view, ...rest }, index): Definition[] => {
      const name = `part${index}`;
      const named = (sql: string) => sql.replaceAll('NAME', name);
      const table: Definition = {
        ...rest,
        id: `pbc_100000000${index}`,
        name,
        type: 'base',
        fields: [ID, text('a'), ...more, text('b'), ...times],
        indexes: indexes.map(named),
        rows: [{ id: `record000000${String(index).padStart(3, '0')}`, a: 'x', b: 'y', ...values }],
      };
      const options = { viewQuery: view && named(view) };
      const shown = { id: `pbc_200000000${index}`, name: `view${index}`, type: 'view', fields: [], options };
      return view === undefined
        ? [table]
        : [table, { ...shown, listRule: rest.listRule && 'id != ""', viewRule: null }];
    }),
  );

/** Quotes say nothing about what a statement does, unless they are those of texts. */
const bare = (sql: unknown) => String(sql).replace(/[`"{}[\]]/g, '');

interface Difference {
  readonly field?: string;
  readonly key: string;
}

/** In what a definition that was brought differs from its source, by field and key. */
function differences(source: Definition, shown: Shown): Difference[] {
  const found: Difference[] = [];
  const { fields, indexes, options, rows: _rows, ...rest } = { indexes: [], options: {}, system: false, ...source };
  const compare = (key: string, before: unknown, after: unknown, field?: string) => {
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ key, ...(field !== undefined && { field }) });
  };
  for (const [key, value] of Object.entries(rest)) compare(key, value, shown[key]);
  compare('indexes', (indexes as string[]).map(bare), (shown['indexes'] as string[]).map(bare));
  if (source.type === 'view') {
    compare('viewQuery', bare((options as Json)['viewQuery']), bare(shown['viewQuery']));
    return found;
  }
  for (const field of fields) {
    const after = shown.fields.find(({ id }) => id === field['id']) ?? {};
    for (const [key, value] of Object.entries(field))
      compare(key, value ?? [], after[key] ?? [], String(field['name']));
  }
  const known = new Set(fields.map(({ id }) => id));
  for (const { id, name } of shown.fields)
    if (!known.has(id)) found.push({ field: String(name), key: 'was not there' });
  return found;
}

describe('random definitions of PocketBase', () => {
  let source: TestRoost;
  let target: TestRoost;
  beforeAll(async () => {
    source = await startRoost();
    target = await startRoost();
  });
  afterAll(async () => {
    await source.close();
    await target.close();
  });

  it('OPS-165 COL-45 COL-97 come through import-pocketbase as they are, or the report names what is different', async () => {
    await fc.assert(
      fc.asyncProperty(schema(10), async (collections) => {
        const { report, definitions, records } = await carriedOver(...collections);
        const lines = [...report.changed, ...report.notCarriedOver];
        for (const collection of collections) {
          const { name, rows = [] } = collection;
          for (const { field, key } of differences(collection, definitions[name]!)) {
            const begin = field === undefined ? `collection ${name}: ` : `collection ${name}, field ${field}: `;
            const told = lines.filter((line) => line.startsWith(begin) && line.includes(key));
            expect(told, `${begin}${key} of ${JSON.stringify(collection)}`).not.toEqual([]);
          }
          expect(records[name]).toMatchObject(rows.length > 0 ? rows : [{}]);
        }
      }),
      { numRuns: 3 },
    );
  });

  it('COL-45 COL-93 COL-97 come through the import endpoint as they are, but for what COL-43 says of times', async () => {
    const [from, to] = [await source.createSuperuser(), await target.createSuperuser()];
    const exported = async (roost: TestRoost, token: string): Promise<Shown[]> => {
      const { body } = await roost.inject({ url: '/api/collections?perPage=500&sort=id', token });
      return body.items.map(({ updated: _updated, created: _created, ...rest }: Shown) => rest);
    };
    const imported = (roost: TestRoost, token: string, collections: readonly unknown[]) =>
      roost.inject({ method: 'PUT', url: '/api/collections/import', body: { collections }, token });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(schema(3), async (parts) => {
        // System collections stay, so every run has names and ids of its own.
        const own = JSON.stringify(parts).replace(/part(?=\d)|view(?=\d)|pbc_/g, `$&${++run}x`);
        const collections = JSON.parse(own) as Definition[];
        const entries = collections.map(({ rows: _rows, options, ...rest }) => ({ ...rest, ...options }));
        expect(await imported(source, from, entries)).toMatchObject({ status: 204 });
        const definitions = await exported(source, from);
        for (const collection of collections) {
          const found = differences(
            collection,
            definitions.find(({ name }) => name === collection.name)!,
          );
          const isTime = ({ field, key }: Difference) =>
            /^(created|updated)$/.test(field ?? '') && /^(system|onCreate|onUpdate|was not there)$/.test(key);
          expect(found.filter((each) => !isTime(each))).toEqual([]);
        }
        expect(await imported(target, to, definitions)).toMatchObject({ status: 204 });
        expect(await exported(target, to)).toEqual(definitions);
        expect(await imported(source, from, definitions)).toMatchObject({ status: 204 });
        expect(await exported(source, from)).toEqual(definitions);
      }),
      { numRuns: 20 },
    );
  });
});
