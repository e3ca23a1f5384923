import { Database } from '../../../src/database/database.js';
import { RecordsService } from '../../../src/records/records.service.js';
import type { TestRoost } from '../../../src/testing/index.js';

export const PASSWORD = '1234567890';

/** Collections with all there is: every type of field, indexes, accounts, views and a view over a view. */
const COLLECTIONS = [
  {
    id: 'groups000000001',
    name: 'groups',
    type: 'base',
    listRule: '',
    fields: [{ name: 'name', type: 'text' }],
    indexes: ['CREATE UNIQUE INDEX `idx_groups_name` ON `groups` (`name` COLLATE NOCASE)'],
  },
  {
    name: 'things',
    type: 'base',
    listRule: "@request.auth.id != ''",
    viewRule: '',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'body', type: 'editor' },
      { name: 'amount', type: 'number' },
      { name: 'done', type: 'bool' },
      { name: 'mail', type: 'email' },
      { name: 'link', type: 'url' },
      { name: 'due', type: 'date' },
      { name: 'state', type: 'select', values: ['open', 'closed'], maxSelect: 1 },
      { name: 'labels', type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
      { name: 'extra', type: 'json', maxSize: 9_000_000 },
      { name: 'cover', type: 'file' },
      { name: 'place', type: 'geoPoint' },
      { name: 'team', type: 'relation', collectionId: 'groups000000001', maxSelect: 1 },
      { name: 'friends', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 9 },
      { name: 'made', type: 'autodate', onCreate: true },
    ],
    indexes: [
      'CREATE INDEX `idx_things_amount` ON `things` (`amount` DESC, `title`)',
      "CREATE UNIQUE INDEX `idx_things_mail` ON `things` (`mail`) WHERE `mail` != ''",
    ],
  },
  {
    name: 'sums',
    type: 'view',
    listRule: '',
    viewQuery:
      'SELECT g.id, g.name, COUNT(t.id) AS total FROM groups g LEFT JOIN things t ON t.team = g.id GROUP BY g.id, g.name',
  },
  { name: 'large_sums', type: 'view', listRule: '', viewQuery: 'SELECT id, name FROM sums WHERE total > 1' },
];

const TEXTS = ['', 'plain', `it's "quoted" and \`so\` \\ on`, 'ünï €uro 🎉', 'a\nb\tc', '$1 ? :x %', 'ZEBRA', 'apple'];
const NUMBERS = [0, 1, -1.5, 1e300, 5e-324, 2 ** 53, 0.1];
const JSONS = [null, 5, '5', 'text', true, [], {}, { z: 1, a: [null, { y: 2, b: 'é' }] }, [1, 'two', [3]], 1.5e-7];

/** Fills an application with everything that a copy has to bring along. Gives a token of its superuser. */
export async function fillWithEverything(roost: TestRoost, { records = 60 } = {}): Promise<string> {
  const token = await roost.createSuperuser();
  await roost.createCollections(...COLLECTIONS);
  const service = roost.app.get(RecordsService, { strict: false });
  const groups = [];
  for (const name of ['one', 'Two', 'three']) groups.push((await service.create('groups', { name })).id);
  const accounts: string[] = [];
  for (const name of ['ann', 'bob']) {
    const account = { email: `${name}@example.com`, password: PASSWORD, verified: true, name };
    accounts.push((await service.create('users', account)).id);
  }
  const ids: string[] = [];
  for (let index = 0; index < records; index++) {
    const pick = <T>(list: readonly T[]): T => list[index % list.length]!;
    const record = await service.create('things', {
      title: pick(TEXTS),
      body: `<p>${pick(TEXTS)}</p>`,
      amount: pick(NUMBERS),
      done: index % 3 === 0,
      mail: index % 2 === 0 ? `m${index}@example.com` : '',
      link: 'https://example.com/a?b=c',
      due: index % 2 === 0 ? '2024-02-29 12:00:00.123Z' : '',
      state: pick(['open', 'closed', '']),
      labels: pick([[], ['a'], ['c', 'a']]),
      extra: pick(JSONS),
      place: pick([
        { lon: 0, lat: 0 },
        { lon: -12.5, lat: 7.25 },
      ]),
      team: pick([groups[0], groups[0], groups[1]]),
      friends: pick([[], [accounts[1]], accounts]),
    });
    ids.push(record.id);
  }
  // Numbers of rows with gaps in them.
  for (const id of ids.filter((_, index) => index % 7 === 3)) await service.delete('things', id);
  await service.create('things', { title: 'the last one', extra: { late: true } });
  await keepBeside(roost, token);
  return token;
}

/** What is no record of a collection that people make. */
async function keepBeside(roost: TestRoost, token: string): Promise<void> {
  const send = async (method: 'POST' | 'PATCH' | 'PUT', url: string, body: object): Promise<void> => {
    const { status, text } = await roost.inject({ method, url, token, body });
    if (status >= 300) throw new Error(`${url}: ${text}`);
  };
  await send('PATCH', '/api/settings', {
    meta: { appName: 'Moved', appURL: 'https://moved.example.com' },
    smtp: { enabled: true, host: 'mail.example.com', port: 2525, username: 'u', password: 'smtp-secret' },
  });
  await send('PUT', '/api/sql/snippets', { name: 'counts', query: 'SELECT COUNT(*) FROM things' });
  await send('POST', '/api/collections/things/list-views', {
    name: 'open ones',
    filter: "state = 'open'",
    shared: true,
  });
  await roost.app.get(Database, { strict: false }).run({
    kind: 'insert',
    into: '_migrations',
    columns: ['file', 'applied'],
    rows: [[param('100_first.js'), { kind: 'param', value: 1_700_000_000_000_000, type: 'number' }]],
  });
}

const param = (value: string) => ({ kind: 'param', value, type: 'text' }) as const;

/** All that a superuser can see, in the order in which it is shown without a sort. */
export async function everythingOf(roost: TestRoost, token: string): Promise<Record<string, unknown>> {
  const get = async (url: string) => (await roost.inject({ url, token })).body;
  const collections = (await get('/api/collections?perPage=200')).items as { name: string }[];
  const records: Record<string, unknown> = {};
  for (const { name } of collections) {
    const pages = [];
    for (let page = 1; ; page++) {
      const { items } = await get(`/api/collections/${name}/records?perPage=500&page=${page}&skipTotal=1`);
      pages.push(...items);
      if (items.length < 500) break;
    }
    records[name] = pages;
  }
  const database = roost.app.get(Database, { strict: false });
  const [migrations, params] = await Promise.all(
    ['_migrations', '_params'].map((name) => database.all({ sql: `SELECT * FROM "${name}" ORDER BY 1`, params: [] })),
  );
  const [settings, snippets] = [await get('/api/settings'), await get('/api/sql/snippets')];
  const views = await get('/api/collections/things/list-views');
  return { collections, records, settings, snippets, views, migrations, params };
}
