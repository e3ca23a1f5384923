import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberRoost } from './support/member-roost.js';

describe('the secrets of accounts that a view selects', () => {
  let roost: MemberRoost;
  let root: string;
  beforeAll(async () => {
    roost = await MemberRoost.start();
    root = await roost.superuser();
    await roost.addMember('ann@x.io', { name: 'Ann' });
  });
  afterAll(() => roost.close());

  async function view(name: string, viewQuery: string): Promise<void> {
    const body = { name, type: 'view', listRule: '', viewRule: '', viewQuery };
    const created = await roost.roost.inject({ url: '/api/collections', token: root, body });
    expect([created.status, created.text]).toEqual([200, created.text]);
  }

  it('AUTH-607 AUTH-504 JSON-5 COL-134 are shown to nobody, by whatever name and through views of views', async () => {
    await view('keys', 'SELECT id, name, m.tokenKey AS k, password, banned FROM members m');
    await view('keys_of_keys', 'SELECT id, k AS again, password AS p, name FROM keys');
    for (const [name, keys] of [
      ['keys', ['banned', 'collectionId', 'collectionName', 'id', 'name']],
      ['keys_of_keys', ['collectionId', 'collectionName', 'id', 'name']],
    ] as const) {
      for (const token of [undefined, root]) {
        const list = await roost.get(`/api/collections/${name}/records`, token);
        expect(list.body.items.map((item: object) => Object.keys(item).sort())).toEqual([keys]);
        const one = `/api/collections/${name}/records/${list.body.items[0].id as string}?fields=*,k,again,password,p`;
        expect(Object.keys((await roost.get(one, token)).body as object).sort()).toEqual(keys);
      }
    }
  });

  it('COL-134 AUTH-607 are shown to nobody, whatever expression reads them', async () => {
    const expressions = [
      'upper(m.tokenKey)',
      'substr("M"."TokenKey", 2)',
      "m.'tokenKey' || ''",
      '(((m.password)))',
      "json_object('k', m.tokenKey)",
      'CASE WHEN 1 THEN m.[password] END',
      'cast(m.tokenKey AS text)',
      'coalesce(NULL, m.tokenKey)',
      '(SELECT max(o.tokenKey) FROM members o)',
      '(SELECT m.tokenKey)',
      '(SELECT x.a FROM (SELECT tokenKey AS a FROM members) x LIMIT 1)',
      'max(m.tokenKey) OVER ()',
      'w.k',
      's.password',
      's."substr(tokenKey, 1)"',
      'c.name',
    ];
    const columns = expressions.map((expression, at) => `${expression} AS c${at}`).join(', ');
    const viewQuery = `WITH w(i, k) AS (SELECT id, tokenKey FROM members)
      SELECT m.id, m.name, ${columns} FROM members m JOIN w ON w.i = m.id
      JOIN (SELECT *, substr(tokenKey, 1) FROM members) s ON s.id = m.id
      JOIN (SELECT id, name FROM members WHERE 0 UNION SELECT id, tokenKey FROM members) c ON c.id = m.id`;
    await view('made_of_keys', viewQuery);
    await view(
      'made_of_views',
      'SELECT id, name, upper(c3) AS c, (SELECT v.c0 FROM made_of_keys v LIMIT 1) AS d FROM made_of_keys',
    );
    for (const name of ['made_of_keys', 'made_of_views']) {
      for (const token of [undefined, root]) {
        const { status, body } = await roost.get(`/api/collections/${name}/records`, token);
        expect(status).toBe(200);
        expect(body.items.map((item: object) => Object.keys(item).sort())).toEqual([
          ['collectionId', 'collectionName', 'id', 'name'],
        ]);
      }
      const definition = (await roost.get(`/api/collections/${name}`, root)).body;
      const open = definition.fields.filter(({ hidden }: { hidden: boolean }) => !hidden);
      expect(open.map((field: { name: string }) => field.name)).toEqual(['id', 'name']);
    }
    const tried = await roost.roost.inject({
      url: '/api/collections/meta/dry-run-view',
      token: root,
      body: { query: viewQuery },
    });
    expect(Object.keys(tried.body.sample[0]).sort()).toEqual(['collectionId', 'collectionName', 'id', 'name']);
    expect(tried.body.fields).toHaveLength(expressions.length + 2);
  });

  it('COL-134 cannot be asked for by filters and sorts of those who do not see them', async () => {
    await view('askable', 'SELECT id, upper(tokenKey) AS k FROM members');
    for (const query of ["filter=k>'A'", 'sort=k']) {
      expect((await roost.get(`/api/collections/askable/records?${query}`)).status).toBe(400);
    }
  });

  it('COL-134 are shown to nobody as ids either', async () => {
    await view('keyed', 'SELECT m.tokenKey AS id, m.name FROM members m');
    for (const token of [undefined, root]) {
      const { status, body } = await roost.get('/api/collections/keyed/records', token);
      expect(status).toBe(200);
      expect(Object.keys(body.items[0]).sort()).toEqual(['collectionId', 'collectionName', 'name']);
    }
  });

  it('COL-134 hides what is made of secrets of system tables', async () => {
    await view('of_settings', 'SELECT id, value, hex(value) AS h, created FROM _params');
    await view(
      'of_collections',
      "SELECT id, name, options, json_extract(options, '$.authToken') AS token FROM _collections",
    );
    const settings = await roost.get('/api/collections/of_settings/records');
    expect(Object.keys(settings.body.items[0]).sort()).toEqual(['collectionId', 'collectionName', 'created', 'id']);
    const collections = await roost.get('/api/collections/of_collections/records');
    expect(Object.keys(collections.body.items[0]).sort()).toEqual(['collectionId', 'collectionName', 'id', 'name']);
  });

  it('COL-134 shows what only stands beside secrets', async () => {
    await view(
      'beside_keys',
      `WITH named AS (SELECT id, name FROM members WHERE password != '')
        SELECT m.id, m.name AS n, n.name AS o, count(*) AS c, upper(s.name) AS u, m.id AS member,
        (SELECT count(*) FROM members f WHERE f.friend = m.id) AS friends,
        EXISTS (SELECT * FROM members f WHERE f.friend = m.id) AS has
        FROM members m JOIN named n ON n.id = m.id JOIN (SELECT * FROM members) s USING (id)
        WHERE m.tokenKey != '' GROUP BY m.id, m.tokenKey ORDER BY m.tokenKey`,
    );
    const { body } = await roost.get('/api/collections/beside_keys/records');
    expect(body.items[0]).toMatchObject({ n: 'Ann', o: 'Ann', c: 1, u: 'ANN', friends: 0, has: 0 });
    expect(body.items[0].member).toBe(body.items[0].id);
  });

  it('COL-134 leaves other hidden columns to superusers', async () => {
    await view('codes', 'SELECT id, sentTo, upper(sentTo) AS loud FROM _otps');
    const { items } = await roost.records.find('members', {});
    const reference = { collectionRef: items[0]!.collection.id, recordRef: items[0]!.id };
    await roost.records.create('_otps', { ...reference, password: '12345678', sentTo: 'ann@x.io' });
    const list = async (token?: string) => (await roost.get('/api/collections/codes/records', token)).body.items[0];
    expect(await list(root)).toMatchObject({ sentTo: 'ann@x.io', loud: 'ANN@X.IO' });
    expect(Object.keys((await list()) as object).sort()).toEqual(['collectionId', 'collectionName', 'id']);
  });
});
