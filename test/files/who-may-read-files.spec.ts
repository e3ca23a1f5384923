import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS, textFile } from './file-collections.js';

let roost: TestRoost;
let superuser: string;
let ada: { token: string; id: string };
let bob: { token: string; id: string };

beforeAll(async () => {
  roost = await startRoost();
  superuser = await roost.createSuperuser();
  await roost.createCollections(...FILE_COLLECTIONS);
  [ada, bob] = await Promise.all(['ada', 'bob'].map((name) => account(name)));
});

afterAll(() => roost?.close());

async function account(name: string): Promise<{ token: string; id: string }> {
  const body = { email: `${name}@example.com`, password: '1234567890', passwordConfirm: '1234567890' };
  const response = await roost.inject({
    method: 'POST',
    url: '/api/collections/users/records',
    body,
    token: superuser,
  });
  expect(response.status).toBe(200);
  return { token: await roost.signIn('users', body.email), id: response.body.id };
}

async function fileToken(token: string): Promise<string> {
  const response = await roost.inject({ method: 'POST', url: '/api/files/token', token });
  expect(response.status).toBe(200);
  return response.body.token;
}

interface Asking {
  readonly header?: string;
  readonly token?: string;
  readonly remoteAddress?: string;
}

function get(path: string, { header, token, remoteAddress }: Asking = {}): Promise<TestResponse> {
  const url = `/api/files/${path}${token === undefined ? '' : `?token=${token}`}`;
  return roost.inject({ url, token: header, remoteAddress });
}

const statuses = async (path: string, ...askings: Asking[]) =>
  Promise.all(askings.map(async (asking) => (await get(path, asking)).status));

async function set(settings: Record<string, unknown>): Promise<void> {
  const { status } = await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: settings });
  expect(status).toBe(200);
}

describe('unprotected files', () => {
  it('FS-59 are public when the view rule is empty', async () => {
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const response = await get(`open/${record.id}/${record.cover}`);
    expect([response.status, response.text]).toEqual([200, 'content of a.txt']);
    expect((await get(`${record.collectionId}/${record.id}/${record.cover}`)).status).toBe(200);
    expect((await get(`OPEN/${record.id}/${record.cover}`, { token: 'nonsense' })).status).toBe(200);
  });

  it('FS-58 obey the view rule, by the Authorization header or by a file token', async () => {
    const record = await createWithFiles(roost, 'own', { owner: ada.id, plain: textFile('a.txt') });
    const path = `own/${record.id}/${record.plain}`;
    const [adaToken, bobToken] = [await fileToken(ada.token), await fileToken(bob.token)];
    expect(await statuses(path, {}, { header: ada.token }, { header: bob.token })).toEqual([404, 200, 404]);
    expect(await statuses(path, { token: adaToken }, { token: bobToken })).toEqual([200, 404]);
    expect(await statuses(path, { header: superuser }, { token: await fileToken(superuser) })).toEqual([200, 200]);
  });

  it('FS-58 FS-61 a valid file token goes before the header, an invalid one is ignored', async () => {
    const record = await createWithFiles(roost, 'own', { owner: ada.id, plain: textFile('a.txt') });
    const path = `own/${record.id}/${record.plain}`;
    const [adaToken, bobToken] = [await fileToken(ada.token), await fileToken(bob.token)];
    expect(
      await statuses(
        path,
        { header: bob.token, token: adaToken },
        { header: ada.token, token: bobToken },
        { header: ada.token, token: 'nonsense' },
        { header: ada.token, token: `${bobToken}x` },
      ),
    ).toEqual([200, 404, 200, 200]);
  });

  it('FS-59 are for superusers only when the view rule is closed', async () => {
    const record = await createWithFiles(roost, 'closed', { plain: textFile('a.txt') });
    const path = `closed/${record.id}/${record.plain}`;
    expect(await statuses(path, {}, { header: ada.token }, { header: superuser })).toEqual([404, 404, 200]);
  });

  it('FS-92 an auth token is no file token, and a file token signs nobody in', async () => {
    const record = await createWithFiles(roost, 'own', { owner: ada.id, plain: textFile('a.txt') });
    const path = `own/${record.id}/${record.plain}`;
    expect(await statuses(path, { token: ada.token }, { header: await fileToken(ada.token) })).toEqual([404, 404]);
  });
});

describe('protected files', () => {
  it('FS-58 FS-61 need a file token, also when everybody may see the record', async () => {
    const record = await createWithFiles(roost, 'open', { secret: textFile('s.txt') });
    const path = `open/${record.id}/${record.secret}`;
    const token = await fileToken(bob.token);
    expect(
      await statuses(
        path,
        {},
        { header: bob.token },
        { header: superuser },
        { token: 'x' },
        { token: ada.token },
        { token },
      ),
    ).toEqual([404, 404, 404, 404, 404, 200]);
  });

  it('FS-59 a token does not bypass the view rule, a superuser does', async () => {
    const record = await createWithFiles(roost, 'own', { owner: ada.id, secret: textFile('s.txt') });
    const path = `own/${record.id}/${record.secret}`;
    const [adaToken, bobToken, root] = await Promise.all([ada.token, bob.token, superuser].map(fileToken));
    expect(
      await statuses(
        path,
        { token: adaToken },
        { token: bobToken },
        { header: ada.token, token: bobToken },
        { token: root },
      ),
    ).toEqual([200, 404, 404, 200]);
    const closed = await createWithFiles(roost, 'closed', { secret: textFile('s.txt') });
    expect(await statuses(`closed/${closed.id}/${closed.secret}`, { token: adaToken }, { token: root })).toEqual([
      404, 200,
    ]);
  });

  it('FS-91 the token ends with its time, with the token key and with the record', async () => {
    const record = await createWithFiles(roost, 'open', { secret: textFile('s.txt') });
    const path = `open/${record.id}/${record.secret}`;
    const token = await fileToken(bob.token);
    roost.clock.advance(179_000);
    expect(await statuses(path, { token })).toEqual([200]);
    roost.clock.advance(1_001);
    expect(await statuses(path, { token })).toEqual([404]);
    roost.clock.reset();
    const carol = await account('carol');
    const url = `/api/collections/users/records/${carol.id}`;
    const first = await fileToken(carol.token);
    expect(await statuses(path, { token: first })).toEqual([200]);
    const password = 'another-one';
    await roost.inject({ method: 'PATCH', url, token: superuser, body: { password, passwordConfirm: password } });
    expect(await statuses(path, { token: first })).toEqual([404]);
    const second = await fileToken(await roost.signIn('users', 'carol@example.com'));
    expect(await statuses(path, { token: second })).toEqual([200]);
    await roost.inject({ method: 'DELETE', url, token: superuser });
    expect(await statuses(path, { token: second })).toEqual([404]);
  });

  it('FS-59 a superuser token from an address superusers may not use counts as none', async () => {
    const record = await createWithFiles(roost, 'closed', { secret: textFile('s.txt') });
    const path = `closed/${record.id}/${record.secret}`;
    const token = await fileToken(superuser);
    const owned = await createWithFiles(roost, 'own', { owner: ada.id, secret: textFile('s.txt') });
    const adaToken = await fileToken(ada.token);
    await set({ superuserIPs: ['127.0.0.1', '10.0.0.0/8'] });
    try {
      const asked = await statuses(path, { token, remoteAddress: '10.1.1.1' }, { token, remoteAddress: '11.1.1.1' });
      expect(asked).toEqual([200, 404]);
      const others = { token: adaToken, remoteAddress: '11.1.1.1' };
      expect(await statuses(`own/${owned.id}/${owned.secret}`, others)).toEqual([200]);
    } finally {
      await set({ superuserIPs: [] });
    }
  });
});

describe('the rule', () => {
  it('FS-60 sees method, context, query and headers of the request', async () => {
    const rules = [
      '@request.method = "GET"',
      '@request.context = "protectedFile"',
      '@request.query.key = "yes"',
      '@request.headers.x_key = "yes"',
      '@request.body.anything:isset = false',
    ];
    await roost.createCollections({
      name: 'curious',
      type: 'base',
      viewRule: rules.join(' && '),
      createRule: '',
      fields: [{ name: 'plain', type: 'file' }],
    });
    const record = await createWithFiles(roost, 'curious', { plain: textFile('a.txt') });
    const ask = async (query: string, headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      (await roost.inject({ method, url: `/api/files/curious/${record.id}/${record.plain}${query}`, headers })).status;
    expect(await ask('?key=yes', { 'x-key': 'yes' })).toBe(200);
    expect(await ask('?key=yes', { 'x-key': 'yes' }, 'HEAD')).toBe(200);
    expect(await ask('?key=no', { 'x-key': 'yes' })).toBe(404);
    expect(await ask('?key=yes', {})).toBe(404);
  });

  it('FS-62 can be set aside for unprotected files, and for no others', async () => {
    const record = await createWithFiles(roost, 'own', {
      owner: ada.id,
      plain: textFile('a.txt'),
      secret: textFile('s.txt'),
    });
    const closed = await createWithFiles(roost, 'closed', { plain: textFile('a.txt'), secret: textFile('s.txt') });
    const [adaToken, bobToken] = [await fileToken(ada.token), await fileToken(bob.token)];
    await set({ files: { openUnprotected: true } });
    try {
      expect(await statuses(`own/${record.id}/${record.plain}`, {}, { header: bob.token })).toEqual([200, 200]);
      expect(await statuses(`closed/${closed.id}/${closed.plain}`, {})).toEqual([200]);
      const secret = `own/${record.id}/${record.secret}`;
      expect(await statuses(secret, {}, { token: bobToken }, { token: adaToken })).toEqual([404, 404, 200]);
      expect(await statuses(`closed/${closed.id}/${closed.secret}`, {}, { token: adaToken })).toEqual([404, 404]);
    } finally {
      await set({ files: { openUnprotected: false } });
    }
    expect(await statuses(`own/${record.id}/${record.plain}`, {})).toEqual([404]);
  });

  it('FS-56 gives the same answer for every reason', async () => {
    const record = await createWithFiles(roost, 'own', {
      owner: ada.id,
      plain: textFile('a.txt'),
      secret: textFile('s.txt'),
    });
    const open = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const answers = await Promise.all([
      get(`own/${record.id}/${record.plain}`),
      get(`own/${record.id}/${record.secret}`),
      get(`own/${record.id}/none.txt`),
      get(`own/aaaaaaaaaaaaaaa/${record.plain}`),
      get(`open/${open.id}/${record.plain}`),
      get(`open/${record.id}/${record.plain}`),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([404, answers[0].body]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': expect.stringMatching(/^application\/json/),
      });
      expect(headers).not.toHaveProperty('etag');
    }
    const unknown = await get(`nowhere/${record.id}/${record.plain}`);
    expect([unknown.status, unknown.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('FS-63 costs one statement, and nothing of its result is remembered', async () => {
    const record = await createWithFiles(roost, 'own', { owner: ada.id, plain: textFile('a.txt') });
    const path = `own/${record.id}/${record.plain}`;
    const database = roost.app.get(Database, { strict: false });
    const open = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const statements = vi.spyOn(database.reads, 'rows');
    const byKey = vi.spyOn(database.reads, 'rowsByKey');
    const asked = async (file: string, asking: Asking): Promise<string[]> => {
      // The account behind a token is remembered, so that what is left is the decision itself.
      await get(file, asking);
      statements.mockClear();
      byKey.mockClear();
      await get(file, asking);
      return [...statements.mock.calls, ...byKey.mock.calls]
        .map(([{ sql }]) => sql.slice(sql.indexOf('FROM')))
        .filter(isOfFiles);
    };
    const isOfFiles = (sql: string) => /^FROM "(own|open)"/.test(sql);
    const byId = (name: string) => [`FROM "${name}" WHERE ("${name}"."id" = ?)`];
    const withRule = [expect.stringMatching(/^FROM "own" WHERE .*"id" .*"owner"/)];
    expect(await asked(path, {})).toEqual(withRule);
    expect(await asked(path, { header: ada.token })).toEqual(withRule);
    expect(await asked(path, { header: superuser })).toEqual(byId('own'));
    expect(await asked(`open/${open.id}/${open.cover}`, { header: ada.token })).toEqual(byId('open'));
    statements.mockRestore();
    const url = `/api/collections/own/records/${record.id}`;
    await roost.inject({ method: 'PATCH', url, token: superuser, body: { owner: bob.id } });
    expect(await statuses(path, { header: ada.token }, { header: bob.token })).toEqual([404, 200]);
  });

  it('FS-40 no name but a stored one reaches a file', async () => {
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const names = [
      '..',
      '%2e%2e%2f',
      '..%2f..%2fdata.db',
      '%2fetc%2fpasswd',
      '..%5c..%5cdata.db',
      `${record.cover}%00`,
      `${record.cover}.attrs`,
      `.%2f${record.cover}`,
      '%20',
    ];
    for (const name of names) expect((await get(`open/${record.id}/${name}`)).status, name).toBe(404);
    expect((await get(`open/${record.id}/%zz`)).status).toBe(400);
    expect((await get(`open/${record.id}/${encodeURIComponent(record.cover)}`)).status).toBe(200);
  });

  it('FS-40 a file that lies there is not sent under a name that stands in no file field', async () => {
    const values = { title: 'planted.txt', cover: textFile('a.txt'), docs: [textFile('b.txt')] };
    const record = await createWithFiles(roost, 'open', values);
    const folder = join(roost.dir, 'storage', record.collectionId, record.id);
    for (const name of ['planted.txt', 'stray.txt']) await writeFile(join(folder, name), 'planted');
    const names = ['planted.txt', 'stray.txt', `${record.cover},${record.docs[0]}`];
    for (const name of names) expect((await get(`open/${record.id}/${name}`)).status, name).toBe(404);
    expect((await get(`open/${record.id}/${record.docs[0]}`)).text).toBe('content of b.txt');
  });
});

describe('views', () => {
  it('FS-64 COL-133 a view shows files under its own rule, from the record they belong to', async () => {
    const record = await createWithFiles(roost, 'own', {
      owner: ada.id,
      plain: textFile('a.txt'),
      secret: textFile('s.txt'),
    });
    const other = await createWithFiles(roost, 'open', { docs: [textFile('d1.txt'), textFile('d2.txt')] });
    await roost.createCollections(
      { name: 'seen', type: 'view', viewRule: '', viewQuery: 'SELECT id, plain, secret FROM own' },
      { name: 'nested', type: 'view', viewRule: '', viewQuery: 'SELECT id, plain AS renamed FROM seen' },
      {
        name: 'numbered',
        type: 'view',
        viewRule: '',
        viewQuery: 'SELECT (ROW_NUMBER() OVER (ORDER BY id)) AS id, docs FROM open',
      },
    );
    expect(await statuses(`own/${record.id}/${record.plain}`, {})).toEqual([404]);
    const shown = await get(`seen/${record.id}/${record.plain}`);
    expect([shown.status, shown.text]).toEqual([200, 'content of a.txt']);
    expect((await get(`nested/${record.id}/${record.plain}`)).text).toBe('content of a.txt');
    const token = await fileToken(bob.token);
    expect(await statuses(`seen/${record.id}/${record.secret}`, {}, { token })).toEqual([404, 200]);
    const list = await roost.inject({ url: '/api/collections/numbered/records?perPage=200', token: superuser });
    const row = list.body.items.find((item: { docs: string[] }) => item.docs.includes(other.docs[1]));
    expect((await get(`numbered/${row.id}/${other.docs[1]}`)).text).toBe('content of d2.txt');
    expect((await get(`numbered/${row.id}/${record.plain}`)).status).toBe(404);
  });
});

describe('file tokens', () => {
  it('FS-90 are for anybody who is signed in', async () => {
    const ask = (token?: string) => roost.inject({ method: 'POST', url: '/api/files/token', token });
    expect((await ask()).status).toBe(401);
    expect((await ask('nonsense')).status).toBe(401);
    expect((await ask(await fileToken(ada.token))).status).toBe(401);
    const response = await ask(ada.token);
    expect([response.status, Object.keys(response.body)]).toEqual([200, ['token']]);
    const [, payload] = response.body.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toEqual({ type: 'file', id: ada.id, collectionId: expect.any(String), exp: expect.any(Number) });
    expect(Math.abs(claims.exp - roost.clock.now() / 1000 - 180)).toBeLessThan(5);
  });
});
