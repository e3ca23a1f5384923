import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleRoost } from '../../src/assemble-roost.js';
import type { ImportReport } from '../../src/pocketbase-import/import-report.js';
import { PocketBaseImportService } from '../../src/pocketbase-import/pocketbase-import.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { AUTH_SECRET, PASSWORD_OF_ALL, TOKEN_KEY, writePocketBaseDirectory } from '../support/pocketbase-directory.js';
import { databaseOf, startRoost } from '../support/roost.js';

const KEY = 'k'.repeat(32);
const root = mkdtempSync(join(tmpdir(), 'roost-move-'));

afterAll(() => rmSync(root, { recursive: true }));

/** Runs the import in a process state of its own, as the command does: nothing is open before. */
async function runImport(source: string, dir: string, env: Record<string, string> = {}): Promise<ImportReport> {
  const driver = process.env['DATABASE_DRIVER'];
  const { app } = await assembleRoost(
    {},
    {
      argv: ['import-pocketbase', source, `--dir=${dir}`, ...(env['PB_KEY'] ? ['--encryptionEnv=PB_KEY'] : [])],
      env: { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...(await databaseOf(dir)), ...env },
      cwd: root,
    },
  );
  try {
    return await app.get(PocketBaseImportService, { strict: false }).import(source, () => undefined);
  } finally {
    await app.close();
  }
}

/** Every file below a directory with its content and times. */
function fingerprint(dir: string): string {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  const lines = files.map((name) => {
    const info = statSync(join(dir, name));
    return `${name} ${info.mtimeMs} ${info.isFile() ? readFileSync(join(dir, name)).toString('base64') : ''}`;
  });
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

describe('moving from PocketBase', () => {
  const source = join(root, 'source');
  const dir = join(root, 'target');
  let report: ImportReport;
  let roost: TestRoost;
  let token: string;
  let before: string;

  beforeAll(async () => {
    writePocketBaseDirectory(source, { morePosts: 1200 });
    before = fingerprint(source);
    report = await runImport(source, dir);
    roost = await startRoost({ dir });
    token = await roost.signIn('_superusers', 'root@example.com');
  });

  afterAll(() => roost?.close());

  it('OPS-165 only reads the source', () => {
    expect(fingerprint(source)).toBe(before);
  });

  it('OPS-165 carries collections over with their ids, rules, indexes and times', async () => {
    const { body } = await roost.inject({ url: '/api/collections?perPage=100', token });
    const posts = body.items.find((item: { name: string }) => item.name === 'posts');
    expect(posts).toMatchObject({
      id: 'pbc_1111111111',
      listRule: 'author = @request.auth.id',
      created: '2025-03-04 05:06:07.089Z',
      updated: '2025-03-04 05:06:07.089Z',
    });
    expect(posts.indexes[0]).toContain('idx_posts_title');
    expect(posts.fields.find((field: { name: string }) => field.name === 'tags').id).toBe('select_tags');
    expect(body.items.map((item: { id: string }) => item.id).sort()).toEqual(
      [
        '_pb_users_auth_',
        'pbc_1111111111',
        'pbc_1638494021',
        'pbc_2222222222',
        'pbc_2279338944',
        'pbc_2281828961',
        'pbc_3142635823',
        'pbc_4275539003',
      ].sort(),
    );
  });

  it('OPS-165 carries records over with their ids, values and times', async () => {
    const { body } = await roost.inject({ url: '/api/collections/posts/records/post00000000001', token });
    expect(body).toMatchObject({
      title: "It's ünï “quoted”",
      views: 1.5,
      done: true,
      extra: { deep: [1, null] },
      tags: ['b', 'a'],
      author: 'user00000000001',
      papers: ['one_aaaaaaaaaa.txt', 'two_bbbbbbbbbb.txt'],
      place: { lon: 1.5, lat: -2 },
      due: '2025-03-04 05:06:07.089Z',
      created: '2025-03-04 05:06:07.089Z',
      updated: '2025-03-04 05:06:07.089Z',
    });
    const all = await roost.inject({ url: '/api/collections/posts/records?perPage=1', token });
    expect(all.body.totalItems).toBe(1202);
    const view = await roost.inject({ url: '/api/collections/titles/records?perPage=1&sort=id' });
    expect(view.body).toMatchObject({ totalItems: 1202 });
  });

  it('OPS-165 SORT-5 keeps the order records were inserted in', async () => {
    const { body } = await roost.inject({ url: '/api/collections/posts/records?perPage=1000', token });
    const ids = body.items.map(({ id }: { id: string }) => id);
    expect(ids.slice(0, 3)).toEqual(['post00000000001', 'post00000000002', 'more00000000000']);
    expect(ids.slice(2)).toEqual(ids.slice(2).sort());
  });

  it('OPS-165 COL-53 takes NULL in a column of an old version as the zero value', async () => {
    const { body } = await roost.inject({ url: '/api/collections/posts/records/post00000000001', token });
    expect([body.remark, body.marks]).toEqual(['', []]);
    const url = `/api/collections/posts/records?${new URLSearchParams({ filter: "remark = ''", perPage: '1' })}`;
    expect((await roost.inject({ url, token })).body.totalItems).toBe(1202);
  });

  it('OPS-165 keeps passwords, and issued tokens valid', async () => {
    for (const [collection, identity] of [
      ['_superusers', 'root@example.com'],
      ['users', 'ann@example.com'],
    ]) {
      const url = `/api/collections/${collection}/auth-with-password`;
      expect((await roost.inject({ url, body: { identity, password: PASSWORD_OF_ALL } })).status).toBe(200);
    }
    const issued = await new SignJWT({
      id: 'user00000000001',
      type: 'auth',
      collectionId: '_pb_users_auth_',
      refreshable: true,
    })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(TOKEN_KEY + AUTH_SECRET));
    const refreshed = await roost.inject({
      method: 'POST',
      url: '/api/collections/users/auth-refresh',
      token: issued,
    });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body.record).toMatchObject({ id: 'user00000000001', email: 'ann@example.com', name: 'Ann' });
  });

  it('OPS-165 carries linked accounts, one-time passwords, second factors and known devices over', async () => {
    for (const [name, value] of [
      ['_externalAuths', { provider: 'github', providerId: '42', recordRef: 'user00000000001' }],
      ['_mfas', { method: 'password' }],
      ['_otps', { collectionRef: '_pb_users_auth_' }],
      ['_authOrigins', { fingerprint: 'abc' }],
    ] as const) {
      const { body } = await roost.inject({ url: `/api/collections/${name}/records`, token });
      const moved = body.items.filter((item: { created: string }) => item.created.startsWith('2025-03-04'));
      expect({ name, count: moved.length, is: moved[0] }).toMatchObject({ name, count: 1, is: value });
    }
  });

  it('OPS-165 carries files over and leaves thumbnails to be made again', async () => {
    const file = await roost.inject({ url: '/api/files/posts/post00000000001/two_bbbbbbbbbb.txt' });
    expect({ status: file.status, text: file.text }).toEqual({ status: 200, text: 'two' });
    const folder = join(dir, 'storage/_pb_users_auth_/user00000000001');
    expect(readdirSync(folder).sort()).toEqual(['ann_abcdefghij.png', 'ann_abcdefghij.png.attrs']);
  });

  it('OPS-165 FS-62 keeps addresses of files good', async () => {
    const { body } = await roost.inject({ url: '/api/settings', token });
    expect(body.files).toEqual({ openUnprotected: true });
  });

  it('OPS-165 carries the settings over', async () => {
    const { body } = await roost.inject({ url: '/api/settings', token });
    expect(body).toMatchObject({
      meta: { appName: 'Moved', appURL: 'https://moved.example.com' },
      logs: { maxDays: 9 },
      s3: { bucket: 'bucket', endpoint: 'https://s3.example.com' },
      batch: { enabled: true, maxRequests: 7 },
    });
  });

  it('OPS-165 counts per collection and names what it left out', () => {
    const counts = Object.fromEntries(report.collections.map(({ name, records, files }) => [name, [records, files]]));
    expect(counts).toEqual({
      _mfas: [1, 0],
      _otps: [1, 0],
      _externalAuths: [1, 0],
      _authOrigins: [1, 0],
      _superusers: [1, 0],
      users: [2, 1],
      posts: [1202, 2],
    });
    expect(report.collections.every(({ checksum }) => /^[0-9a-f]{64}$/.test(checksum))).toBe(true);
    expect([...report.notCarriedOver].sort()).toEqual(
      [
        'collection posts: file post00000000002/lost_cccccccccc.txt, which is missing',
        'collection posts: file post00000000009/orphan_dddddddddd.txt, which no record names',
        'logs: 1 entries of auxiliary.db',
        'settings.novelty: there is no such setting',
      ].sort(),
    );
  });

  it('OPS-165 can be repeated into another directory, with the same checksums', async () => {
    expect(await runImport(source, join(root, 'again'))).toEqual(report);
  });
});

describe('a move from PocketBase that is refused', () => {
  it('OPS-165 refuses a data directory that is not empty, and leaves it alone', async () => {
    const source = join(root, 'source-a');
    const dir = join(root, 'full');
    writePocketBaseDirectory(source);
    mkdirSync(dir);
    writeFileSync(join(dir, 'precious.txt'), 'mine');
    await expect(runImport(source, dir)).rejects.toThrow(/not empty/);
    expect(readdirSync(dir)).toEqual(['precious.txt']);
  });

  it('OPS-165 leaves the target empty when something cannot be carried over', async () => {
    const source = join(root, 'source-b');
    const dir = join(root, 'failed');
    writePocketBaseDirectory(source, { postsRule: 'nothing.like.this = 1' });
    await expect(runImport(source, dir)).rejects.toThrow(/posts/);
    expect(readdirSync(dir)).toEqual([]);
    rmSync(source, { recursive: true });
    writePocketBaseDirectory(source);
    expect((await runImport(source, dir)).collections).toHaveLength(7);
  });

  it('OPS-165 refuses what is no data directory of PocketBase', async () => {
    const dir = join(root, 'none');
    await expect(runImport(join(root, 'nowhere'), dir)).rejects.toThrow(/data\.db/);
    const source = join(root, 'noise');
    mkdirSync(source);
    writeFileSync(join(source, 'data.db'), 'this is no database at all');
    await expect(runImport(source, dir)).rejects.toThrow();
    expect(existsSync(dir) ? readdirSync(dir) : []).toEqual([]);
  });

  it('OPS-165 names encrypted settings unless it has their key', async () => {
    const source = join(root, 'secret');
    writePocketBaseDirectory(source, { key: KEY });
    const blind = await runImport(source, join(root, 'blind'));
    expect(blind.notCarriedOver).toContain('settings: they are encrypted, give its key with --encryptionEnv');
    const seeing = await runImport(source, join(root, 'seeing'), { PB_KEY: KEY });
    expect(seeing.notCarriedOver.filter((line) => line.startsWith('settings:'))).toEqual([]);
  });
});
