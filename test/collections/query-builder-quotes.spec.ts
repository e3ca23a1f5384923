import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const COLLECTIONS = '/api/collections';
const FIELDS = [
  { name: 'a', type: 'text' },
  { name: 'b', type: 'text' },
  { name: 'total', type: 'number' },
];

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
});
afterAll(() => roost.close());

const send = (method: 'POST' | 'PATCH' | 'PUT', url: string, body: unknown) =>
  roost.inject({ method, url, body, token });
const create = (name: string, more: object) =>
  send('POST', COLLECTIONS, { name, type: 'base', fields: FIELDS, ...more });
const records = (name: string) => `${COLLECTIONS}/${name}/records`;
const get = async (url: string) => (await roost.inject({ url, token })).body;

describe("the quotes of PocketBase's query builder", () => {
  const INDEXES = [
    "CREATE UNIQUE INDEX idx_NAME_a ON {{NAME}} ([[a]] COLLATE NOCASE) WHERE [[a]] != ''",
    'CREATE INDEX `idx_NAME_b` ON {{NAME}} (lower([[b]]), [[total]] DESC)',
    "CREATE INDEX idx_NAME_c ON NAME (b || '[[a]] {{x}}')",
  ];
  const STORED = [
    "CREATE UNIQUE INDEX idx_NAME_a ON `NAME` (`a` COLLATE NOCASE) WHERE `a` != ''",
    'CREATE INDEX `idx_NAME_b` ON `NAME` (lower(`b`), `total` DESC)',
    "CREATE INDEX idx_NAME_c ON NAME (b || '[[a]] {{x}}')",
  ];
  const of = (texts: readonly string[], name: string) => texts.map((text) => text.replaceAll('NAME', name));

  async function expectIndexes(name: string): Promise<void> {
    const shown = await get(`${COLLECTIONS}/${name}`);
    expect(shown.indexes).toEqual(of(STORED, name));
    const rows = await send('POST', '/api/sql', {
      query: `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '${name}' AND sql IS NOT NULL`,
    });
    expect(rows.body.rows.flat().sort()).toEqual(['a', 'b', 'c'].map((end) => `idx_${name}_${end}`));
    expect((await send('POST', records(name), { a: 'x' })).status).toBe(200);
    const twice = await send('POST', records(name), { a: 'X' });
    expect(twice.body.data.a.code).toBe('validation_not_unique');
    for (const _each of [1, 2]) expect((await send('POST', records(name), { a: '' })).status).toBe(200);
  }

  it('COL-120 are taken in the indexes of a new collection', async () => {
    expect(await create('bills', { indexes: of(INDEXES, 'bills') })).toMatchObject({ status: 200 });
    await expectIndexes('bills');
  });

  it('COL-120 COL-121 are taken in the indexes of a change, and in a new name', async () => {
    await create('invoices', {});
    const changed = await send('PATCH', `${COLLECTIONS}/invoices`, { indexes: of(INDEXES, 'invoices') });
    expect(changed.status).toBe(200);
    await expectIndexes('invoices');
    expect((await send('PATCH', `${COLLECTIONS}/invoices`, { name: 'receipts' })).status).toBe(200);
    const { indexes } = await get(`${COLLECTIONS}/receipts`);
    expect(indexes[0]).toBe("CREATE UNIQUE INDEX `idx_invoices_a` ON `receipts` (`a` COLLATE NOCASE) WHERE `a` != ''");
  });

  it('COL-120 COL-93 are taken in what is imported, again and again', async () => {
    const collections = [
      { id: 'orders_of_today', name: 'orders', type: 'base', fields: FIELDS, indexes: of(INDEXES, 'orders') },
      {
        id: 'sums_of_today',
        name: 'sums',
        type: 'view',
        viewQuery: 'SELECT [[o.id]], [[o]].[[total]] AS [[sum]] FROM {{orders}} {{o}} WHERE [[o.a]] != ""',
      },
    ];
    for (const _each of [1, 2]) {
      expect(await send('PUT', `${COLLECTIONS}/import`, { collections })).toMatchObject({ status: 204 });
    }
    await expectIndexes('orders');
    expect((await get(records('sums'))).items).toMatchObject([{ sum: 0 }]);
    const exported = [await get(`${COLLECTIONS}/orders`), await get(`${COLLECTIONS}/sums`)];
    expect((await send('PUT', `${COLLECTIONS}/import`, { collections: exported })).status).toBe(204);
    const without = ({ updated: _updated, ...rest }: Record<string, unknown>) => rest;
    expect([await get(`${COLLECTIONS}/orders`), await get(`${COLLECTIONS}/sums`)].map(without)).toEqual(
      exported.map(without),
    );
  });

  it.each([
    ['SELECT [[id]], [[a]] FROM {{papers}}', 'SELECT `id`, `a` FROM `papers`'],
    ['SELECT [[p.id]], [[p]].[[a]] FROM {{papers}} {{p}}', 'SELECT `p`.`id`, `p`.`a` FROM `papers` `p`'],
    ['SELECT {{papers}}.[[id]], {{papers.a}} FROM papers', 'SELECT `papers`.`id`, `papers`.`a` FROM papers'],
    ["SELECT id, '{{x}}[[y]]' AS [[a]] FROM papers -- [[z]]", "SELECT id, '{{x}}[[y]]' AS `a` FROM papers -- [[z]]"],
  ])('COL-131 are taken in the view %j', async (viewQuery, stored) => {
    await create('papers', {});
    const [paper] = (await get(records('papers'))).items;
    if (!paper) await send('POST', records('papers'), { a: 'x' });
    const created = await send('POST', COLLECTIONS, { name: 'seen', type: 'view', viewQuery, listRule: '' });
    expect([created.status, created.body.viewQuery]).toEqual([200, stored]);
    expect(created.body.fields.map(({ name }: { name: string }) => name)).toEqual(['id', 'a']);
    const { items } = await get(`${records('seen')}?filter=${encodeURIComponent("a != ''")}`);
    expect(items).toMatchObject([{ a: stored.includes("'{{x}}[[y]]'") ? '{{x}}[[y]]' : 'x' }]);
    const changed = await send('PATCH', `${COLLECTIONS}/seen`, { viewQuery });
    expect([changed.status, changed.body.viewQuery]).toEqual([200, stored]);
    await roost.inject({ method: 'DELETE', url: `${COLLECTIONS}/seen`, token });
  });

  it.each([
    'CREATE INDEX i ON {{odd}} ([[nothing]])',
    'CREATE INDEX i ON {{odd}} ([[a)',
    'CREATE INDEX i ON {{odd ([[a]])',
    'CREATE INDEX i ON {{odd}} ([[]])',
  ])('COL-122 an index that cannot be made is an error at its place: %s', async (index) => {
    const { status, body } = await create('odd', { indexes: [index] });
    expect([status, Object.keys(body.data.indexes)]).toEqual([400, ['0']]);
  });
});
