import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('the endpoints of collections', () => {
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections(
      { name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] },
      { name: 'demo_1', type: 'base' },
      { name: 'demo_2', type: 'view', viewQuery: 'SELECT id, title FROM posts' },
    );
  });
  afterAll(() => roost.close());

  type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  const call = (method: Method, url: string, body?: unknown) =>
    roost.inject({ method, url: `/api/collections${url}`, body, token });
  const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);

  const ROUTES: readonly (readonly [Method, string])[] = [
    ['GET', ''],
    ['GET', '/posts'],
    ['GET', '/no_such_collection'],
    ['POST', ''],
    ['PATCH', '/posts'],
    ['PATCH', '/no_such_collection'],
    ['DELETE', '/posts'],
    ['DELETE', '/no_such_collection'],
    ['DELETE', '/posts/truncate'],
    ['PUT', '/import'],
    ['GET', '/meta/scaffolds'],
    ['GET', '/meta/oauth2-providers'],
    ['POST', '/meta/dry-run-view'],
  ];

  it.each(ROUTES)('COL-80 %s %s is for superusers only', async (method, path) => {
    const url = `/api/collections${path}`;
    const guest = await roost.inject({ method, url });
    expect([guest.status, guest.body.data]).toEqual([401, {}]);
    const forged = await roost.inject({ method, url, token: 'not.a.token' });
    expect(forged.status).toBe(401);
    await roost.inject({
      method: 'POST',
      url: '/api/collections/users/records',
      body: { email: 'user@example.com', password: '1234567890', passwordConfirm: '1234567890' },
    });
    const user = await roost.inject({ method, url, token: await roost.signIn('users', 'user@example.com') });
    expect([user.status, user.body.data]).toEqual([403, {}]);
  });

  it('OPS-39 refuses more fields than a table has columns, before it looks at them', async () => {
    const fields = Array.from({ length: 2001 }, (_, index) => ({ name: `f${index}`, type: 'text' }));
    const { status, body } = await call('POST', '', { name: 'wide', type: 'base', fields });
    expect([status, body.data]).toMatchObject([400, { fields: { code: 'validation_length_too_long' } }]);
    expect((await call('GET', '/wide')).status).toBe(404);
  });

  it('OPS-39 refuses a field of more properties than any has, before it looks for those that it knows', async () => {
    const field = (count: number) => ({ ...Object.fromEntries(properties(count - 2)), name: 'a', type: 'text' });
    const properties = (count: number) => Array.from({ length: count }, (_, index) => [`p${index}`, 0]);
    const fields = [field(3), field(201)];
    const { status, body } = await call('POST', '', { name: 'odd', type: 'base', fields });
    expect([status, body.data]).toMatchObject([400, { fields: { 1: { code: 'validation_length_too_long' } } }]);
    expect((await call('GET', '/odd')).status).toBe(404);
    expect((await call('POST', '', { name: 'odd', type: 'base', fields: [field(200)] })).status).toBe(200);
    expect((await call('DELETE', '/odd')).status).toBe(204);
  });

  it('COL-80 counts a request before it asks who is calling', async () => {
    const settings = roost.app.get(SettingsService, { strict: false });
    const rules = [{ label: '/api/collections', audience: '@guest', duration: 60, maxRequests: 2 }];
    await settings.patch({ rateLimits: { enabled: true, rules } });
    try {
      const statuses = [];
      for (let turn = 0; turn < 3; turn++) statuses.push((await roost.inject({ url: '/api/collections' })).status);
      expect(statuses).toEqual([401, 401, 429]);
    } finally {
      await settings.patch({ rateLimits: { enabled: false, rules: [] } });
    }
  });

  it('COL-2 each type has its own properties, and ignores those of the others', async () => {
    const common = ['id', 'name', 'type', 'system', 'fields', 'indexes', 'created', 'updated'];
    const rules = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule'];
    const ofViews = ['viewQuery', 'options'];
    const tokens = ['authToken', 'passwordResetToken', 'emailChangeToken', 'verificationToken', 'fileToken'];
    const templates = ['verificationTemplate', 'resetPasswordTemplate', 'confirmEmailChangeTemplate'];
    const methods = ['authAlert', 'passwordAuth', 'oauth2', 'otp', 'mfa'];
    const ofAccounts = ['authRule', 'manageRule', ...methods, ...tokens, ...templates];
    const query = 'SELECT id FROM posts';
    for (const [type, own, foreign] of [
      ['base', [], { authRule: null, otp: { enabled: true }, viewQuery: query, options: { query } }],
      ['view', ofViews, { viewQuery: query, authRule: null, mfa: { enabled: true, duration: 1 } }],
      ['auth', ofAccounts, { viewQuery: query, options: { query: 'SELECT 1' } }],
    ] as const) {
      const name = `own_${type}`;
      const created = await call('POST', '', { name, type, ...foreign });
      const changed = await call('PATCH', `/${name}`, foreign);
      const found = await call('GET', `/${name}`);
      const { items } = (await call('GET', `?filter=name="${name}"`)).body;
      for (const shown of [created.body, changed.body, found.body, items[0]]) {
        expect(Object.keys(shown as object).sort()).toEqual([...common, ...rules, ...own].sort());
      }
      expect((await call('DELETE', `/${name}`)).status).toBe(204);
    }
  });

  it('COL-79 COL-1 COL-2 answers a created, a changed and a found collection in full', async () => {
    const created = await call('POST', '', { name: 'notes', type: 'base', fields: [{ name: 'text', type: 'text' }] });
    expect(created.status).toBe(200);
    expect(Object.keys(created.body).sort()).toEqual(
      [
        'id',
        'name',
        'type',
        'system',
        'listRule',
        'viewRule',
        'createRule',
        'updateRule',
        'deleteRule',
        'fields',
        'indexes',
        'created',
        'updated',
      ].sort(),
    );
    expect(created.body).toMatchObject({ listRule: null, indexes: [], system: false });
    expect(created.body.created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/);

    roost.clock.advance(5);
    const changed = await call('PATCH', '/NOTES', { created: 'x', listRule: '' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ listRule: '', created: created.body.created });
    expect(changed.body.updated > created.body.updated).toBe(true);

    roost.clock.advance(5);
    const untouched = await call('PATCH', `/${created.body.id}`, {});
    expect(untouched.status).toBe(200);
    expect(untouched.body.updated > changed.body.updated).toBe(true);

    expect((await call('GET', '/notes')).body).toEqual(untouched.body);
    const gone = await call('DELETE', '/notes');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await call('GET', '/notes')).status).toBe(404);
    expect((await call('PATCH', '/notes', {})).status).toBe(404);
    expect((await call('DELETE', '/notes')).status).toBe(404);
  });

  it('COL-46 a view has the columns of its query and no others, created and updated only when they are selected', async () => {
    const fields = async (viewQuery: string) => {
      const name = 'columns_only';
      const { body } = await call('POST', '', { name, type: 'view', viewQuery, listRule: '', fields: [{ name: 'x' }] });
      const records = await roost.inject({ url: `/api/collections/${name}/records` });
      const again = await call('PATCH', `/${name}`, { listRule: '' });
      expect(again.body.fields).toEqual(body.fields);
      await call('DELETE', `/${name}`);
      expect(names(body.fields).concat('collectionId', 'collectionName').sort()).toEqual(
        Object.keys(records.body.items[0]).sort(),
      );
      return names(body.fields);
    };
    const { body: post } = await roost.inject({ url: '/api/collections/posts/records', token, body: { title: 'x' } });
    expect(await fields('SELECT id, title FROM posts')).toEqual(['id', 'title']);
    expect(await fields('SELECT updated, id FROM posts')).toEqual(['updated', 'id']);
    expect(await fields('SELECT id, created, updated FROM posts')).toEqual(['id', 'created', 'updated']);
    await call('DELETE', `/posts/records/${post.id}`);
  });

  it('COL-22 takes an id exactly and a name in any case', async () => {
    const { body } = await call('GET', '/POSTS');
    expect(body.name).toBe('posts');
    expect((await call('GET', `/${body.id}`)).body.name).toBe('posts');
    expect((await call('GET', `/${body.id.toUpperCase()}`)).status).toBe(404);
  });

  it('COL-88 an empty body lacks name and type and nothing else', async () => {
    const { status, body } = await call('POST', '', {});
    expect(status).toBe(400);
    expect(Object.keys(body.data).sort()).toEqual(['name', 'type']);
    expect(body.data).toMatchObject({ name: { code: 'validation_required' }, type: { code: 'validation_required' } });
  });

  it.each([
    ['{"name":', 'application/json'],
    ['[]', 'application/json'],
    ['{"name":5,"type":"base"}', 'application/json'],
    ['{"name":"x","type":"base","system":"yes"}', 'application/json'],
    ['{"name":"x","type":"base","indexes":"none"}', 'application/json'],
    ['{"name":"x","type":"base","listRule":false}', 'application/json'],
    ['{"name":"x","type":"base","fields":{"a":1}}', 'application/json'],
    ['{"name":"x","type":"base","fields":[1]}', 'application/json'],
    ['{"name":"x","type":"auth","otp":[]}', 'application/json'],
    ['{"name":"x","type":"auth","otp":{"length":1.5}}', 'application/json'],
    ['{"name":"x","type":"auth","oauth2":{"providers":[1]}}', 'application/json'],
    ['{"name":"x","type":"view","options":{"query":1}}', 'application/json'],
    ['name=x', 'text/plain'],
  ])('COL-81 COL-42 refuses the body %s', async (body, type) => {
    const before = (await call('GET', '')).body;
    const answer = await roost.inject({
      method: 'POST',
      url: '/api/collections',
      token,
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(400);
    expect((await call('GET', '')).body).toEqual(before);
  });

  it.each([{}, { a: {} }, { a: 1 }, 'posts', 5, true, [1], [[]], [null]])(
    'COL-81 COL-93 refuses an import of %j, which is no list of collections',
    async (collections) => {
      const before = (await call('GET', '')).body;
      const { status, body } = await call('PUT', '/import', { collections, deleteMissing: true });
      expect([status, body.data]).toEqual([400, {}]);
      expect((await call('GET', '')).body).toEqual(before);
    },
  );

  it('COL-81 null is "not supplied" for everything but rules', async () => {
    await call('POST', '', { name: 'nulls', type: 'base', listRule: '', fields: [{ name: 'a', type: 'text' }] });
    const { status, body } = await call('PATCH', '/nulls', { name: null, fields: null, indexes: null, listRule: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'nulls', listRule: null });
    expect(body.fields).toHaveLength(4);
    await call('DELETE', '/nulls');
  });

  it('COL-83 COL-84 lists pages', async () => {
    const all = (await call('GET', '')).body;
    expect(all).toMatchObject({ page: 1, perPage: 30, totalItems: 9, totalPages: 1 });
    const second = (await call('GET', '?page=2&perPage=4')).body;
    expect(second).toMatchObject({ page: 2, perPage: 4, totalItems: 9, totalPages: 3 });
    expect(second.items).toEqual(all.items.slice(4, 8));
    expect((await call('GET', '?page=-1&perPage=0')).body).toMatchObject({ page: 1, perPage: 30 });
    expect((await call('GET', '?perPage=5000')).body).toMatchObject({ perPage: 1000 });
    expect((await call('GET', '?page=99')).body).toMatchObject({ items: [], totalItems: 9 });
    expect((await call('GET', '?skipTotal=1')).body).toMatchObject({ totalItems: -1, totalPages: -1 });
    for (const query of ['page=x', 'perPage=1.5', 'skipTotal=maybe']) {
      expect((await call('GET', `?${query}`)).status).toBe(400);
    }
  });

  it('COL-85 COL-86 filters and sorts by its own few columns, in order of creation by default', async () => {
    const find = async (query: string) => {
      const { status, body } = await call('GET', `?${query}`);
      return status === 200 ? names(body.items) : [status, body.data];
    };
    const filter = (text: string) => find(`filter=${encodeURIComponent(text)}`);
    expect(await find('')).toEqual([
      '_superusers',
      '_externalAuths',
      '_mfas',
      '_otps',
      '_authOrigins',
      'users',
      'posts',
      'demo_1',
      'demo_2',
    ]);
    expect(await filter(`type='auth' && system=false`)).toEqual(['users']);
    expect(await filter(`name~'demo'`)).toEqual(['demo_1', 'demo_2']);
    expect(await filter(`system=false && type='view'`)).toEqual(['demo_2']);
    expect(await find('sort=-name&filter=system%3Dfalse')).toEqual(['users', 'posts', 'demo_2', 'demo_1']);
    expect(await find('sort=%2Bname&filter=system%3Dfalse')).toEqual(['demo_1', 'demo_2', 'posts', 'users']);
    expect(await find('sort=-@rowid&perPage=2')).toEqual(['demo_2', 'demo_1']);
    expect(await find('sort=@random')).toHaveLength(9);
    for (const wrong of ['fields~"x"', 'options="x"', 'name', 'name=', 'x=1', `listRule=''`]) {
      expect(await filter(wrong), wrong).toEqual([400, {}]);
    }
    for (const wrong of ['fields', 'options', 'name,', 'listRule', 'a,b,c,d,e,f,g,h,i']) {
      expect(await find(`sort=${wrong}`), wrong).toEqual([400, {}]);
    }
    expect(await filter(`name='${'x'.repeat(3500)}'`)).toEqual([400, {}]);
  });

  describe('in the shape of clients made for PocketBase before 0.23', () => {
    const created = async (name: string) => {
      const index = `CREATE INDEX idx_${name} ON ${name} (kept)`;
      const fields = [{ name: 'kept', type: 'text' }];
      await call('POST', '', { name, type: 'base', fields, indexes: [index] });
      await call('POST', `/${name}/records`, { kept: 'text' });
      return index;
    };

    afterAll(async () => {
      for (const name of ['widened', 'people', 'old_view']) await call('DELETE', `/${name}`);
    });

    it('an update adds and changes fields, and takes none away that its answers never showed', async () => {
      const index = await created('widened');
      const before = (await call('GET', '/widened')).body;
      expect(before).not.toHaveProperty('schema');
      const schema = [
        ...(before.schema ?? []),
        { name: 'added', type: 'select', unique: true, options: { values: ['a', 'b'], maxSelect: 1 } },
      ];
      const widened = await call('PATCH', '/widened', { schema });
      expect(names(widened.body.fields)).toEqual(['id', 'added', 'kept', 'created', 'updated']);
      expect(widened.body.indexes).toEqual([index, expect.stringContaining('(`added`)')]);
      const again = await call('PATCH', '/widened', {
        schema: [{ name: 'kept', type: 'text', options: { max: 9 } }, ...schema],
      });
      expect(again.body.fields).toContainEqual(expect.objectContaining({ name: 'kept', max: 9 }));
      expect(again.body.indexes).toEqual(widened.body.indexes);
      const emptied = await call('PATCH', '/widened', { schema: [], listRule: '' });
      expect([emptied.status, emptied.body.indexes]).toEqual([200, widened.body.indexes]);
      expect(names(emptied.body.fields)).toEqual(names(again.body.fields));
      const records = await roost.inject({ url: '/api/collections/widened/records' });
      expect(records.body.items).toEqual([expect.objectContaining({ kept: 'text', added: '' })]);
    });

    it('an update of an auth collection keeps its fields and options', async () => {
      await call('POST', '', { name: 'people', type: 'auth', fields: [{ name: 'nick', type: 'text' }] });
      const before = (await call('GET', '/people')).body;
      const after = await call('PATCH', '/people', { schema: [], options: { allowEmailAuth: false } });
      expect([after.status, names(after.body.fields)]).toEqual([200, names(before.fields)]);
      expect(after.body.passwordAuth).toEqual(before.passwordAuth);
    });

    it('COL-3 an update of a view takes its query from the options', async () => {
      await call('POST', '', { name: 'old_view', type: 'view', viewQuery: 'SELECT id FROM posts' });
      const query = 'SELECT id, title FROM posts';
      const after = await call('PATCH', '/old_view', { schema: [], options: { query } });
      expect([after.body.viewQuery, names(after.body.fields)]).toEqual([query, ['id', 'title']]);
    });
  });

  it('COL-82 picks fields', async () => {
    const one = await call('GET', '/posts?fields=name,fields.name');
    expect(one.body).toEqual({
      name: 'posts',
      fields: [{ name: 'id' }, { name: 'title' }, { name: 'created' }, { name: 'updated' }],
    });
    const list = (await call('GET', '?fields=name&perPage=1')).body;
    expect(list.items).toEqual([{ name: '_superusers' }]);
    expect(list.totalItems).toBe(9);
    const patched = await call('PATCH', '/demo_1?fields=id,name', {});
    expect(Object.keys(patched.body)).toEqual(['id', 'name']);
  });

  it('COL-100 offers scaffolds that can be posted back', async () => {
    const { status, body } = await call('GET', '/meta/scaffolds');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['auth', 'base', 'view']);
    for (const type of ['base', 'auth', 'view'] as const) {
      expect(body[type]).toMatchObject({ id: '', name: '', type, created: '', updated: '', listRule: null });
    }
    expect(names(body.base.fields)).toEqual(['id', 'created', 'updated']);
    expect(names(body.auth.fields)).toEqual([
      'id',
      'password',
      'tokenKey',
      'email',
      'emailVisibility',
      'verified',
      'created',
      'updated',
    ]);
    expect(body.view).toMatchObject({ fields: [], viewQuery: '', options: { query: '' } });
    expect(body.auth.indexes[0]).toMatch(/^CREATE UNIQUE INDEX `idx_tokenKey_\w{10}` ON `` \(`tokenKey`\)$/);
    expect(body.auth.indexes[1]).toMatch(
      /^CREATE UNIQUE INDEX `idx_email_\w{10}` ON `` \(`email`\) WHERE `email` != ''$/,
    );
    expect(JSON.stringify(body)).not.toContain('"secret"');
    for (const type of ['base', 'auth', 'view'] as const) {
      const query = type === 'view' ? { viewQuery: 'SELECT id FROM posts' } : {};
      const made = await call('POST', '', { ...body[type], ...query, name: `made_${type}` });
      expect([made.status, made.body.data]).toEqual([200, undefined]);
      await call('DELETE', `/made_${type}`);
    }
  });

  it.each(['base', 'auth'] as const)(
    'COL-100 COL-43 takes the times that are added to a scaffold of the type %s for those it has',
    async (type) => {
      const scaffold = (await call('GET', '/meta/scaffolds')).body[type];
      const times = [
        { name: 'created', type: 'autodate', onCreate: true },
        { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true, presentable: true },
      ];
      const own = { name: 'title', type: 'text' };
      const made = await call('POST', '', { ...scaffold, name: 'timed', fields: [...scaffold.fields, own, ...times] });
      expect([made.status, made.body.data]).toEqual([200, undefined]);
      expect(names(made.body.fields)).toEqual([...names(scaffold.fields), 'title']);
      expect(made.body.fields.find(({ name }: { name: string }) => name === 'updated')).toMatchObject({
        id: 'autodate3332085495',
        system: true,
        presentable: true,
      });
      const again = await call('PATCH', '/timed', { fields: [...times, ...made.body.fields] });
      expect([again.status, names(again.body.fields).sort()]).toEqual([200, names(made.body.fields).sort()]);
      await call('DELETE', '/timed');
    },
  );

  it('COL-101 AUTH-1001 lists the OAuth2 providers in their order', async () => {
    const { status, body } = await call('GET', '/meta/oauth2-providers');
    expect(status).toBe(200);
    expect(names(body).slice(0, 4)).toEqual(['apple', 'google', 'microsoft', 'yandex']);
    expect(names(body).at(-1)).toBe('oidc3');
    for (const provider of body) {
      expect(Object.keys(provider).sort()).toEqual(['displayName', 'logo', 'name']);
      expect(provider.logo === '' || provider.logo.includes('<svg')).toBe(true);
    }
  });

  describe('a dry run', () => {
    const dryRun = (query?: unknown) => call('POST', '/meta/dry-run-view', { query });

    it('COL-102 shows fields and first records and stores nothing', async () => {
      for (let number = 0; number < 12; number++) {
        await call('POST', '/posts/records', { title: `post ${number}` });
      }
      const before = (await call('GET', '')).body;
      const { status, body } = await dryRun(
        'SELECT id, title, created, count(*) OVER () AS n FROM posts ORDER BY rowid',
      );
      expect(status).toBe(200);
      expect(body.fields.map((field: { name: string; type: string }) => [field.name, field.type])).toEqual([
        ['id', 'text'],
        ['title', 'text'],
        ['created', 'autodate'],
        ['n', 'number'],
      ]);
      expect(body.sample).toHaveLength(10);
      expect(body.sample[0]).toMatchObject({ title: 'post 0', n: 12 });
      expect(body.sample[0].collectionName).toBe(body.sample[9].collectionName);
      expect(body.sample[0].collectionId).toEqual(expect.any(String));
      expect((await call('GET', '')).body).toEqual(before);
    });

    it('COL-102 shows the fields of a query without rows', async () => {
      const { body } = await dryRun(`SELECT id, name FROM users WHERE name = 'nobody'`);
      expect(names(body.fields)).toEqual(['id', 'name']);
      expect(body.sample).toEqual([]);
    });

    it('COL-102 keeps the order of columns whose names are numbers', async () => {
      const { body } = await dryRun(`SELECT id, created AS "2", count(*) AS "1" FROM users`);
      expect(body.fields.map((field: { name: string; type: string }) => [field.name, field.type])).toEqual([
        ['id', 'text'],
        ['2', 'autodate'],
        ['1', 'number'],
      ]);
    });

    it('COL-102 tells what is wrong', async () => {
      expect((await dryRun('')).body.data.query.code).toBe('validation_required');
      expect((await dryRun()).body.data.query.code).toBe('validation_required');
      expect((await dryRun(`SELECT id ${' '.repeat(5000)} FROM posts`)).body.data.query.code).toBe(
        'validation_length_too_long',
      );
      const wrong = await dryRun('SELECT id, nothing FROM posts');
      expect([wrong.status, wrong.body.data]).toEqual([400, {}]);
      expect(wrong.body.message).toContain('nothing');
    });

    it.each([
      'DELETE FROM posts RETURNING id',
      'SELECT id FROM posts; DELETE FROM posts',
      'SELECT id FROM posts) AS q; DELETE FROM posts; SELECT * FROM (SELECT 1 AS id',
      'SELECT * FROM posts',
      'SELECT title FROM posts',
      `SELECT '' AS id`,
      'SELECT 1 AS id UNION ALL SELECT 1',
    ])('COL-102 COL-131 refuses %s and runs nothing of it', async (query) => {
      const before = (await call('GET', '/posts/records')).body.totalItems;
      const { status, body } = await dryRun(query);
      expect([status, body.data]).toEqual([400, {}]);
      expect((await call('GET', '/posts/records')).body.totalItems).toBe(before);
    });
  });
});
