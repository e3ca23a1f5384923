import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('the types of view columns', () => {
  let roost: TestRoost;
  let root: string;
  beforeAll(async () => {
    roost = await startRoost();
    root = await roost.createSuperuser();
    await roost.createCollections({
      name: 'shops',
      type: 'base',
      listRule: '',
      createRule: '',
      fields: [{ name: 'zip', type: 'text' }],
    });
    const { body: shops } = await roost.inject({ url: '/api/collections/shops', token: root });
    await roost.createCollections({
      name: 'sales',
      type: 'base',
      listRule: '',
      createRule: '',
      fields: [
        { name: 'code', type: 'text', max: 20 },
        { name: 'day', type: 'date' },
        { name: 'paid', type: 'date' },
        { name: 'price', type: 'number' },
        { name: 'pieces', type: 'number', onlyInt: true },
        { name: 'gift', type: 'bool' },
        { name: 'tags', type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
        { name: 'kind', type: 'select', values: ['1', '2'], maxSelect: 1 },
        { name: 'shop', type: 'relation', collectionId: shops.id, maxSelect: 1 },
        { name: 'note', type: 'json' },
        { name: 'site', type: 'url' },
      ],
    });
    const shop = await create('shops', { zip: '01234' });
    await create('sales', {
      code: '12345',
      day: '2026-01-29T12:00:00Z',
      price: 2.5,
      pieces: 2,
      gift: true,
      tags: ['a', 'b'],
      kind: '1',
      shop,
      note: { a: 1 },
      site: 'https://x.io',
    });
    await create('sales', { code: '00777', day: '2026-01-30 08:30:00.000Z', paid: '2026-02-01', price: 4, pieces: 3 });
  });
  afterAll(() => roost.close());

  async function create(collection: string, body: object): Promise<string> {
    const created = await roost.inject({ url: `/api/collections/${collection}/records`, body });
    expect([created.status, created.text]).toEqual([200, created.text]);
    return created.body.id;
  }

  let views = 0;
  async function view(viewQuery: string) {
    const body = { name: `view${++views}`, type: 'view', listRule: '', viewQuery };
    const created = await roost.inject({ url: '/api/collections', token: root, body });
    expect([created.status, created.text]).toEqual([200, created.text]);
    return created.body;
  }

  async function records(name: string, query = '') {
    const { status, body } = await roost.inject({ url: `/api/collections/${name}/records?${query}` });
    expect([status, body.message]).toEqual([200, undefined]);
    return body.items;
  }

  it.each([
    ['max(day)', 'date', '2026-01-30 08:30:00.000Z'],
    ['min(s.day)', 'date', '2026-01-29 12:00:00.000Z'],
    ['max(price)', 'number', 4],
    ['min(pieces)', 'number', 2],
    ['max(gift)', 'bool', true],
    ['max(code)', 'text', '12345'],
    ["coalesce(max(code), '')", 'text', '12345'],
    ['coalesce(max(paid), min(day))', 'date', '2026-02-01 00:00:00.000Z'],
    ["coalesce(max(paid), '')", 'date', '2026-02-01 00:00:00.000Z'],
    ["ifnull(nullif(min(paid), ''), max(day))", 'date', '2026-01-30 08:30:00.000Z'],
    ['CASE WHEN count(*) > 1 THEN max(day) ELSE min(day) END', 'date', '2026-01-30 08:30:00.000Z'],
    ['CASE count(*) WHEN 1 THEN max(day) END', 'date', ''],
    ['iif(count(*) > 1, max(price), max(pieces))', 'number', 4],
    ['(max(day))', 'date', '2026-01-30 08:30:00.000Z'],
    ['(SELECT zip FROM shops)', 'text', '01234'],
    ['(SELECT count(*) FROM shops)', 'number', 1],
    ['max(kind)', 'select', '1'],
    ['min(tags)', 'select', ['a', 'b']],
    ['max(note)', 'json', { a: 1 }],
    ['max(site)', 'url', 'https://x.io'],
    ["'12345'", 'text', '12345'],
    ["'1' || '2'", 'text', '12'],
    ['max(code) || 7', 'text', '123457'],
    ['upper(max(code))', 'text', '12345'],
    ['lower(max(code))', 'text', '12345'],
    ['trim(max(code))', 'text', '12345'],
    ['substr(max(code), 1, 2)', 'text', '12'],
    ["replace(max(code), '5', '6')", 'text', '12346'],
    ["printf('%03d', 7)", 'text', '007'],
    ["format('%d', 7)", 'text', '7'],
    ["strftime('%Y', max(day))", 'text', '2026'],
    ['date(max(day))', 'text', '2026-01-30'],
    ['time(max(day))', 'text', '08:30:00'],
    ['datetime(max(day))', 'text', '2026-01-30 08:30:00'],
    ['group_concat(pieces)', 'text', '2,3'],
    ["max(strftime('%Y', day))", 'text', '2026'],
    ['count(*)', 'number', 2],
    ['total(price)', 'number', 6.5],
    ["cast('7' AS integer)", 'number', 7],
    ['cast(7 AS text)', 'text', '7'],
    ['cast(1 AS bool)', 'bool', true],
    ['sum(price)', 'json', 6.5],
    ['avg(price)', 'json', 3.25],
    ['round(max(price), 1)', 'json', 4],
    ['length(max(code))', 'json', 5],
    ['max(price) + 1', 'json', 5],
    ['1', 'json', 1],
    ['NULL', 'json', null],
    ['coalesce(max(price), max(code))', 'json', 4],
    ["coalesce(max(price), '')", 'json', 4],
    ['max(price) > 3', 'json', 1],
  ])('COL-133 shows %s as %s', async (expression, type, value) => {
    const { name, fields } = await view(`SELECT 'all' AS id, ${expression} AS x FROM sales s GROUP BY 1`);
    const [record] = await records(name);
    expect([fields[1].type, record.x]).toEqual([type, value]);
  });

  it('COL-133 compares the latest date as a date', async () => {
    const { name } = await view(`WITH last AS (SELECT pieces, max(day) AS latest FROM sales GROUP BY pieces)
      SELECT cast(pieces AS text) AS id, last.latest, (latest) AS again, min(latest) AS least FROM last GROUP BY pieces`);
    for (const column of ['latest', 'again', 'least']) {
      const ids = async (filter: string) =>
        (await records(name, `sort=id&filter=${encodeURIComponent(column + filter)}`)).map(
          ({ id }: { id: string }) => id,
        );
      expect(await ids('>="2026-01-29T12:00:00Z"')).toEqual(['2', '3']);
      expect(await ids('>"2026-01-29T12:00:00Z"')).toEqual(['3']);
      expect(await ids('="2026-01-29T12:00:00.000Z"')).toEqual(['2']);
    }
  });

  it('COL-133 gives a relation where the column is an id of one collection, and none where it is of two', async () => {
    const { fields } = await view(`SELECT s.id, max(s.shop) AS shop, min(p.id) AS p, coalesce(p.id, s.shop) AS same,
      coalesce(p.id, s.id) AS mixed FROM sales s LEFT JOIN shops p ON p.id = s.shop GROUP BY s.id`);
    const { body } = await roost.inject({ url: '/api/collections/shops', token: root });
    const shape = ({ type, collectionId }: { type: string; collectionId?: string }) => [type, collectionId];
    const relation = ['relation', body.id];
    expect(fields.map(shape)).toEqual([['text', undefined], relation, relation, relation, ['json', undefined]]);
  });

  it('COL-133 keeps whole numbers only where all are', async () => {
    const { fields } = await view(`SELECT id, coalesce(pieces, pieces) AS whole, coalesce(pieces, price) AS mixed,
      coalesce(price, pieces) AS other FROM sales`);
    expect(fields.map(({ onlyInt }: { onlyInt?: boolean }) => onlyInt)).toEqual([undefined, true, false, false]);
  });

  it('COL-133 gives columns of a compound the type of the first SELECT, and all values are shown in it', async () => {
    const { name, fields } = await view(
      `SELECT id, code, price, day FROM sales UNION ALL SELECT 'x' || id, 5, '7', 'never' FROM sales ORDER BY 1`,
    );
    expect(fields.map(({ type }: { type: string }) => type)).toEqual(['text', 'text', 'number', 'date']);
    for (const record of await records(name)) {
      expect([typeof record.code, typeof record.price, typeof record.day]).toEqual(['string', 'number', 'string']);
    }
  });

  it('COL-132 casts ids to text when some SELECT of a compound has others', async () => {
    const { name } = await view('SELECT id FROM sales UNION SELECT 17');
    expect((await records(name, "filter=id='17'")).map(({ id }: { id: unknown }) => id)).toEqual(['17']);
  });
});
