import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Type } from '@nestjs/common';
import { MigrateDownCommand, MigrateHistorySyncCommand, MigrateUpCommand } from '../../src/cli/migrate-subcommands.js';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { Database } from '../../src/database/database.js';
import { collectionToJson } from '../../src/kernel/collections/collection-json.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost, TestRoostOptions } from '../../src/testing/index.js';
import { UserMigrationsService } from '../../src/user-migrations/user-migrations.service.js';
import { startRoost } from '../support/roost.js';
import { installCompiler } from './team-compiler.js';

let dir: string;
let running: TestRoost[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-migrations-'));
  mkdirSync(join(dir, 'migrations'));
  running = [];
});
afterEach(async () => {
  for (const roost of running) await roost.close();
  rmSync(dir, { recursive: true, force: true });
});

async function start(options: TestRoostOptions = {}): Promise<TestRoost> {
  const roost = await startRoost({ dir, ...options });
  running.push(roost);
  return roost;
}

async function stop(roost: TestRoost): Promise<void> {
  running = running.filter((each) => each !== roost);
  await roost.close();
}

const migration = (file: string, text: string) => writeFileSync(join(dir, 'migrations', file), text);
const migrations = (roost: TestRoost) => roost.app.get(UserMigrationsService, { strict: false });
const names = (roost: TestRoost) =>
  roost.app
    .get(CollectionStore, { strict: false })
    .catalog.all()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_') && name !== 'users');
const history = async (roost: TestRoost) =>
  (
    await roost.app
      .get(Database, { strict: false })
      .all<{ file: string; applied: number }>({ sql: 'SELECT * FROM "_migrations" ORDER BY applied', params: [] })
  ).map(({ file }) => file);

const stored = (roost: TestRoost) =>
  roost.app
    .get(CollectionStore, { strict: false })
    .catalog.all()
    .map((collection) => {
      const { created: _created, updated: _updated, ...json } = collectionToJson(collection);
      return json;
    });
const byId = (list: ReturnType<typeof stored>) => list.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));

const POSTS = `export async function up(app) {
  await app.collections.save({ name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
}
export async function down(app) {
  await app.collections.delete('posts');
}
`;

describe('migrations', () => {
  it('OPS-185 are applied at the start, in the order of their names, once', async () => {
    migration('200_second.js', `export const up = (app) => app.collections.save({ name: 'posts', listRule: '' });`);
    migration('100_first.js', POSTS);
    migration('notes.txt', 'not a migration');
    const roost = await start();
    expect(names(roost)).toEqual(['posts']);
    expect(await history(roost)).toEqual(['100_first.js', '200_second.js']);
    expect(await migrations(roost).up()).toEqual([]);
    await stop(roost);
    expect(await history(await start())).toEqual(['100_first.js', '200_second.js']);
  });

  it('OPS-185 are TypeScript where a compiler is installed, and declarations are none', async () => {
    installCompiler(dir);
    migration(
      '100_first.ts',
      `type App = { collections: { save(body: object): Promise<unknown> } };
      export const up = (app: App) => app.collections.save({ name: 'posts', type: 'base' });`,
    );
    migration('100_first.d.ts', 'export declare const up: unknown;');
    const roost = await start();
    expect(names(roost)).toEqual(['posts']);
    expect(await history(roost)).toEqual(['100_first.ts']);
  });

  it('OPS-185 OPS-190 leave nothing behind when one of them throws, and the process does not start', async () => {
    migration('100_first.js', POSTS);
    migration('200_second.js', `export const up = async (app) => { await app.sql('DELETE FROM nothing'); };`);
    await expect(start()).rejects.toThrow(/200_second\.js.*nothing/);
    rmSync(join(dir, 'migrations', '200_second.js'));
    rmSync(join(dir, 'migrations', '100_first.js'));
    const roost = await start();
    expect(names(roost)).toEqual([]);
    expect(await history(roost)).toEqual([]);
  });

  it('OPS-185 say what is wrong, and where, when there is more to say', async () => {
    migration('100_first.js', `export const up = (app) => app.collections.delete('nothing');`);
    await expect(start()).rejects.toThrow(/^The migration 100_first\.js failed: [^{}]+\.$/);
    rmSync(join(dir, 'migrations', '100_first.js'));
    migration('101_other.js', `export const up = (app) => app.collections.save({ name: 'a b', type: 'base' });`);
    await expect(start()).rejects.toThrow(
      /^The migration 101_other\.js failed: .* \{"name":\{"code":"validation_match/,
    );
  });

  it('OPS-185 say so when they are written for PocketBase', async () => {
    migration('100_created_x.js', `migrate((app) => app.save(new Collection({ name: 'x' })), (app) => {});`);
    await expect(start()).rejects.toThrow(/100_created_x\.js failed: It is written for PocketBase/);
  });

  it('OPS-185 change collections, records, settings and tables in one transaction', async () => {
    migration('100_first.js', POSTS);
    migration(
      '200_everything.js',
      `export async function up(app) {
        if (!app.collections.find('posts')) throw new Error('the first one was not applied');
        await app.records.create('posts', { title: "it's" });
        await app.settings.patch({ meta: { appName: 'Migrated' } });
        const rows = await app.sql('SELECT title FROM posts WHERE title = ?', ["it's"]);
        await app.collections.import([{ name: rows.length === 1 ? 'found' : 'lost', type: 'base' }]);
      }`,
    );
    const roost = await start();
    expect(names(roost)).toEqual(['posts', 'found']);
    expect(roost.app.get(SettingsService, { strict: false }).get().meta.appName).toBe('Migrated');
    expect(await roost.app.get(RecordsService, { strict: false }).count('posts')).toBe(1);
  });

  it.each([
    'COMMIT',
    ' end transaction',
    '/* all */ ROLLBACK',
    'BEGIN IMMEDIATE',
    'SAVEPOINT mine',
    'RELEASE mine',
    "ATTACH ':memory:' AS other",
    "VACUUM INTO 'copy.db'",
  ])('OPS-185 may not run %s, which would undo that all of them happen or none', async (sql) => {
    migration('100_first.js', POSTS);
    migration('200_second.js', `export const up = (app) => app.sql(${JSON.stringify(sql)});`);
    await expect(start()).rejects.toThrow(/200_second\.js failed: .* not allowed\.$/);
    rmSync(join(dir, 'migrations', '200_second.js'));
    rmSync(join(dir, 'migrations', '100_first.js'));
    expect(names(await start())).toEqual([]);
  });

  it('OPS-185 are noticed when they change settings and collections by SQL', async () => {
    migration(
      '100_first.js',
      `export async function up(app) {
        await app.sql(\`UPDATE _params SET value = replace(value, 'Acme', 'By SQL') WHERE id = 'settings'\`);
        await app.sql("UPDATE _collections SET name = 'people' WHERE name = 'users'");
        await app.sql('ALTER TABLE users RENAME TO people');
      }`,
    );
    const roost = await start();
    expect(roost.app.get(SettingsService, { strict: false }).get().meta.appName).toBe('By SQL');
    expect((await roost.inject({ url: '/api/collections/people/auth-methods' })).status).toBe(200);
  });

  it('OPS-186 are not looked for in a folder that was named and does not exist, until one is written', async () => {
    migration('100_first.js', POSTS);
    await stop(await start());
    const roost = await start({ config: { ROOST_MIGRATIONS_DIR: join(dir, 'typo') } });
    const get = <T>(command: Type<T>): T => roost.app.get(command, { strict: false });
    const missing = /^The folder of the migrations does not exist: .*typo$/;
    await expect(get(MigrateUpCommand).run()).rejects.toThrow(missing);
    await expect(get(MigrateDownCommand).run([], { yes: true })).rejects.toThrow(missing);
    await expect(get(MigrateHistorySyncCommand).run()).rejects.toThrow(missing);
    expect(await history(roost)).toEqual(['100_first.js']);
    await migrations(roost).create('second');
    await migrations(roost).requireFolder();
  });

  it('OPS-186 are taken back newest first, in one transaction', async () => {
    migration('100_first.js', POSTS);
    migration('200_second.js', `export const up = () => undefined;`);
    migration(
      '300_third.js',
      `export const up = (app) => app.collections.save({ name: 'pages', type: 'base' });
       export const down = (app) => app.collections.delete('pages');`,
    );
    const roost = await start();
    expect(await migrations(roost).down(2)).toEqual({ reverted: ['300_third.js', '200_second.js'], missing: [] });
    expect(names(roost)).toEqual(['posts']);
    expect(await migrations(roost).up()).toEqual(['200_second.js', '300_third.js']);
    expect(names(roost)).toEqual(['posts', 'pages']);
    expect(await migrations(roost).down(100)).toMatchObject({
      reverted: ['300_third.js', '200_second.js', '100_first.js'],
    });
    expect(names(roost)).toEqual([]);
    expect(await history(roost)).toEqual([]);
  });

  it('OPS-186 the newest is the one that was applied last, whatever its name and the clock', async () => {
    migration('200_second.js', `export const up = () => undefined;`);
    const roost = await start();
    const sql = 'UPDATE "_migrations" SET "applied" = "applied" * 2';
    await roost.app.get(Database, { strict: false }).run({ sql, params: [] });
    migration('100_first.js', POSTS);
    expect(await migrations(roost).up()).toEqual(['100_first.js']);
    expect(await migrations(roost).down(1)).toMatchObject({ reverted: ['100_first.js'] });
    expect(await history(roost)).toEqual(['200_second.js']);
  });

  it('OPS-186 OPS-187 entries without a file are skipped, reported and forgotten on demand', async () => {
    migration('100_first.js', POSTS);
    migration('200_second.js', `export const up = () => undefined;`);
    const roost = await start();
    rmSync(join(dir, 'migrations', '200_second.js'));
    expect(await migrations(roost).down(1)).toEqual({ reverted: ['100_first.js'], missing: ['200_second.js'] });
    expect(await migrations(roost).syncHistory()).toEqual(['200_second.js']);
    expect(await history(roost)).toEqual([]);
  });

  it('OPS-186 can be written empty, and as a snapshot that holds no secret and imports everything', async () => {
    const roost = await start();
    await roost.createCollections({ name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
    await roost.createCollections({ name: 'titles', type: 'view', viewQuery: 'SELECT id, title FROM posts' });
    const users = roost.app.get(CollectionStore, { strict: false }).catalog.find('users')!;
    const empty = await migrations(roost).create('Add some Posts!');
    expect(empty).toMatch(/\/\d+_add_some_posts\.js$/);
    const { path, brokenViews } = await migrations(roost).createSnapshot();
    expect(brokenViews).toEqual([]);
    expect(path).toMatch(/\/\d+_collections_snapshot\.js$/);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(users.auth!.authToken.secret);
    expect(text).not.toContain('"created":');
    expect(text).not.toContain('"providers"');
    expect(await migrations(roost).up()).toHaveLength(1);

    const other = mkdtempSync(join(tmpdir(), 'roost-migrations-'));
    try {
      const copy = await startRoost({ dir: other, config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });
      expect(names(copy)).toEqual(['posts', 'titles']);
      const ids = (from: TestRoost) =>
        from.app
          .get(CollectionStore, { strict: false })
          .catalog.find('posts')!
          .fields.map(({ id }) => id);
      expect(ids(copy)).toEqual(ids(roost));
      await copy.close();
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });
});

describe('a snapshot of collections that do not fit each other any more', () => {
  let original: TestRoost;
  let token: string;
  const list = (roost: TestRoost, view: string, as: string) =>
    roost.inject({ method: 'GET', url: `/api/collections/${view}/records`, token: as });

  /** Renaming the field leaves two views behind, one that reads it and one that reads that one, and a rule. */
  beforeEach(async () => {
    original = await start({ config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });
    token = await original.createSuperuser();
    await original.createCollections(
      { name: 'authors', type: 'base' },
      { name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] },
      { name: 'fine', type: 'view', viewQuery: 'SELECT id FROM posts' },
    );
    const call = async (method: 'POST' | 'PATCH', path: string, body: object) => {
      const response = await original.inject({ method, url: `/api/collections${path}`, token, body });
      expect(response.status).toBe(200);
      return response.body as { id: string; fields: { name: string }[] };
    };
    const authors = await call('PATCH', '/authors', {});
    const { fields } = await call('PATCH', '/posts', {});
    const author = { name: 'author', type: 'relation', collectionId: authors.id };
    const posts = await call('PATCH', '/posts', { fields: [...fields, author] });
    await call('POST', '', { name: 'titles', type: 'view', viewQuery: 'SELECT id, title, author FROM posts' });
    await call('POST', '', {
      name: 'again',
      type: 'view',
      viewQuery: 'SELECT id, title AS text FROM titles',
      listRule: 'text != ""',
    });
    await call('PATCH', '/authors', { listRule: '@collection.titles.title != ""' });
    const renamed = posts.fields.map((field) => (field.name === 'title' ? { ...field, name: 'heading' } : field));
    await call('PATCH', '/posts', { fields: renamed });
    expect((await list(original, 'titles', token)).status).not.toBe(200);
  });

  it('OPS-186 names broken views, keeps them as they are, and brings back everything else', async () => {
    const { path, brokenViews } = await migrations(original).createSnapshot();
    expect(brokenViews.map(({ view }) => view.name)).toEqual(['titles', 'again']);
    expect(brokenViews[0].reason).toContain('titles');
    expect(readFileSync(path, 'utf8')).toMatch(/\/\/ The queries of these views .*: titles, again$/m);

    const other = mkdtempSync(join(tmpdir(), 'roost-migrations-'));
    const copy = await startRoost({ dir: other, config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });
    try {
      expect(byId(stored(copy))).toEqual(byId(stored(original)));
      const superuser = await copy.createSuperuser();
      expect((await list(copy, 'fine', superuser)).status).toBe(200);
      expect((await list(copy, 'titles', superuser)).status).not.toBe(200);

      const viewQuery = 'SELECT id, heading AS title, author FROM posts';
      const url = '/api/collections/titles';
      const mended = await copy.inject({ method: 'PATCH', url, token: superuser, body: { viewQuery } });
      expect(mended.status).toBe(200);
      for (const view of ['titles', 'again']) expect((await list(copy, view, superuser)).status).toBe(200);
    } finally {
      await copy.close();
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('OPS-186 changes nothing where it was made, neither then nor later', async () => {
    await migrations(original).createSnapshot();
    expect(await history(original)).toEqual([expect.stringMatching(/^\d+_collections_snapshot\.js$/)]);
    const body = { listRule: 'id != ""' };
    await original.inject({ method: 'PATCH', url: '/api/collections/fine', token, body });
    const before = stored(original);
    await stop(original);
    const again = await start({ config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });
    expect(await history(again)).toHaveLength(1);
    expect(stored(again)).toEqual(before);
    expect((await list(again, 'fine', await again.createSuperuser('other@example.com'))).status).toBe(200);
  });

  it('OPS-186 is not written when it cannot be noted as applied', async () => {
    await original.app.get(Database, { strict: false }).run({ sql: 'DROP TABLE "_migrations"', params: [] });
    await expect(migrations(original).createSnapshot()).rejects.toThrow('_migrations');
    expect(readdirSync(join(dir, 'migrations'))).toEqual([]);
  });
});

describe('a snapshot of collections that came by an import', () => {
  const users = { id: '_pb_users_auth_', name: 'users', type: 'auth' };
  const notes = { name: 'notes', type: 'base', fields: [{ name: 'text', type: 'text' }] };
  const snapshotOf = async (...collections: object[]): Promise<TestRoost> => {
    const original = await start({ config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });
    const token = await original.createSuperuser();
    const body = { collections, deleteMissing: true };
    const imported = await original.inject({ method: 'PUT', url: '/api/collections/import', token, body });
    expect([imported.status, imported.text]).toEqual([204, '']);
    await migrations(original).createSnapshot();
    return original;
  };

  let other: string;
  beforeEach(() => {
    other = mkdtempSync(join(tmpdir(), 'roost-migrations-'));
  });
  afterEach(() => rmSync(other, { recursive: true, force: true }));
  const startCopy = () => start({ dir: other, config: { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') } });

  it.each([
    ['have no users', [notes]],
    ['have users under another id', [{ ...users, id: 'members' }, notes]],
    ['have users with fields of other types', [{ ...users, fields: [{ name: 'avatar', type: 'url' }] }, notes]],
    ['have users with other ids of fields', [{ ...users, fields: [{ id: 'mine', name: 'name', type: 'text' }] }]],
  ])('OPS-189 gives an empty directory the same, where they %s', async (_case, collections) => {
    const original = await snapshotOf(...collections);
    const copy = await startCopy();
    expect(byId(stored(copy))).toEqual(byId(stored(original)));
  });

  it.each([
    [
      'an account',
      (roost: TestRoost) =>
        roost.app.get(RecordsService, { strict: false }).create('users', { email: 'a@b.co', password: '1234567890' }),
    ],
    ['another collection', (roost: TestRoost) => roost.createCollections({ name: 'posts', type: 'base' })],
    [
      'a change of them',
      async (roost: TestRoost) => {
        const token = await roost.createSuperuser();
        const body = { listRule: '' };
        await roost.inject({ method: 'PATCH', url: '/api/collections/users', token, body });
      },
    ],
  ])('OPS-186 takes nothing away from users where there is %s already', async (_case, use) => {
    const before = await start({ dir: other });
    await use(before);
    const kept = names(before);
    await stop(before);
    await stop(await snapshotOf(notes));
    const copy = await startCopy();
    const { catalog } = copy.app.get(CollectionStore, { strict: false });
    expect(names(copy).sort()).toEqual([...kept, 'notes'].sort());
    expect(catalog.find('users')?.field('avatar')?.type).toBe('file');
  });
});

describe('automigrate', () => {
  let roost: TestRoost;
  let token: string;
  const files = () => readdirSync(join(dir, 'migrations')).sort();
  const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    roost.inject({ method, url: `/api/collections${path}`, token, body });
  const text = (file: string) => readFileSync(join(dir, 'migrations', file), 'utf8');

  beforeEach(async () => {
    roost = await start({ config: { ROOST_AUTOMIGRATE: true } });
    token = await roost.createSuperuser();
  });

  it('OPS-188 writes a file for each change, already applied', async () => {
    await call('POST', '', { name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
    await call('PATCH', '/posts', { listRule: '' });
    await call('DELETE', '/posts');
    expect(files()).toEqual([
      expect.stringMatching(/^\d+_created_posts\.js$/),
      expect.stringMatching(/^\d+_updated_posts\.js$/),
      expect.stringMatching(/^\d+_deleted_posts\.js$/),
    ]);
    expect(await history(roost)).toEqual(files());
    expect(await migrations(roost).up()).toEqual([]);
  });

  it('OPS-188 an update holds only what changed, fields by id, and nothing when only their order did', async () => {
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'views', type: 'number' },
    ];
    const { body } = await call('POST', '', { name: 'posts', type: 'base', fields });
    const [id, title, views, ...times] = body.fields;
    await call('PATCH', '/posts', { fields: [id, views, title, ...times] });
    await call('PATCH', '/posts', { name: 'posts' });
    expect(files()).toHaveLength(1);
    await call('PATCH', '/posts', { fields: [id, { ...title, max: 10 }, views, ...times] });
    const updated = text(files()[1]!);
    expect(updated).toContain(title.id);
    expect(updated).not.toContain(views.id);
    expect(updated).not.toContain('listRule');
  });

  it('OPS-188 brings a removed field back to its place', async () => {
    const fields = ['one', 'two', 'three'].map((name) => ({ name, type: 'text' }));
    const { body } = await call('POST', '', { name: 'posts', type: 'base', fields });
    const kept = body.fields.filter(({ name }: { name: string }) => name !== 'two');
    await call('PATCH', '/posts', { fields: kept });
    await migrations(roost).down(1);
    expect((await roost.inject({ url: '/api/collections/posts', token })).body.fields).toEqual(body.fields);
  });

  it('OPS-188 COL-118 brings back a view that a rename had left behind, and then what made it work', async () => {
    await call('POST', '', { name: 'posts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
    const view = { name: 'titles', type: 'view', listRule: 'title != ""', viewQuery: 'SELECT id, title FROM posts' };
    const { body: made } = await call('POST', '', view);
    await call('PATCH', '/posts', { name: 'articles' });
    expect((await call('DELETE', '/titles')).status).toBe(204);
    const status = async () => (await roost.inject({ url: '/api/collections/titles/records', token })).status;
    expect(await status()).toBe(404);
    await migrations(roost).down(1);
    expect((await roost.inject({ url: '/api/collections/titles', token })).body).toMatchObject({
      id: made.id,
      fields: made.fields,
      listRule: view.listRule,
      viewQuery: view.viewQuery,
    });
    expect(await status()).toBe(400);
    await migrations(roost).down(1);
    expect([names(roost), await status()]).toEqual([['posts', 'titles'], 200]);
  });

  it('OPS-188 takes back a collection that a view has come to work with', async () => {
    await call('POST', '', { name: 'posts', type: 'base' });
    await call('POST', '', { name: 'ids', type: 'view', viewQuery: 'SELECT id FROM posts' });
    await call('PATCH', '/posts', { name: 'articles' });
    await call('POST', '', { name: 'posts', type: 'base' });
    expect((await roost.inject({ url: '/api/collections/ids/records', token })).status).toBe(200);
    expect((await call('DELETE', '/posts')).status).toBe(400);
    await migrations(roost).down(1);
    expect((await roost.inject({ url: '/api/collections/ids/records', token })).status).toBe(400);
    await migrations(roost).down(3);
    expect(names(roost)).toEqual([]);
  });

  it('OPS-188 keeps OAuth2 providers and secrets out', async () => {
    const { body } = await call('POST', '', { name: 'members', type: 'auth' });
    const oauth2 = { enabled: true, providers: [{ name: 'google', clientId: 'planted-id', clientSecret: 'planted' }] };
    expect((await call('PATCH', '/members', { oauth2 })).status).toBe(200);
    const secret = roost.app.get(CollectionStore, { strict: false }).catalog.find('members')!.auth!.authToken.secret;
    for (const file of files()) {
      expect(text(file)).not.toContain('planted');
      expect(text(file)).not.toContain(secret);
    }
    await call('PATCH', '/members', { authToken: { secret: 'x'.repeat(50) } });
    expect(files()).toHaveLength(2);
    expect(body.id).toBeTypeOf('string');
  });

  it('OPS-188 writes nothing for imports, services, refused changes and when it is off', async () => {
    await roost.createCollections({ name: 'imported', type: 'base' });
    expect((await call('POST', '', { name: 'no good!', type: 'base' })).status).toBe(400);
    expect((await call('POST', '', { name: 'imported', type: 'base' })).status).toBe(400);
    expect((await call('DELETE', '/users')).status).toBe(204);
    expect(files()).toHaveLength(1);
    await stop(roost);
    roost = await start();
    await call('POST', '', { name: 'quiet', type: 'base' });
    expect(files()).toHaveLength(1);
  });

  it('OPS-188 a file that cannot be written fails the change', async () => {
    rmSync(join(dir, 'migrations'), { recursive: true });
    writeFileSync(join(dir, 'migrations'), 'in the way');
    const { status, body } = await call('POST', '', { name: 'posts', type: 'base' });
    expect({ status, code: body.code, data: body.data }).toEqual({ status: 400, code: 400, data: {} });
    expect(names(roost)).toEqual([]);
    rmSync(join(dir, 'migrations'));
    expect((await call('POST', '', { name: 'posts', type: 'base' })).status).toBe(200);
    expect(existsSync(join(dir, 'migrations'))).toBe(true);
  });

  it('OPS-188 a change that cannot be noted as applied fails, and leaves no file', async () => {
    await roost.app.get(Database, { strict: false }).run({ sql: 'DROP TABLE "_migrations"', params: [] });
    expect((await call('POST', '', { name: 'posts', type: 'base' })).status).toBe(400);
    expect(names(roost)).toEqual([]);
    expect(files()).toEqual([]);
  });

  it('OPS-188 COL-23 a collection with the longest name has its files too', async () => {
    const name = 'x'.repeat(255);
    expect((await call('POST', '', { name, type: 'base' })).status).toBe(200);
    expect((await call('PATCH', `/${name}`, { listRule: '' })).status).toBe(200);
    expect((await call('DELETE', `/${name}`)).status).toBe(204);
    expect(await history(roost)).toEqual(files());
    expect((await migrations(roost).down(2)).reverted).toHaveLength(2);
    expect(names(roost)).toEqual([name]);
  });

  it('OPS-188 OPS-175 no file has the second of one that another process writes meanwhile', async () => {
    const beside = await migrations(roost).create('Beside');
    const stamp = Number(/(\d+)_beside\.js$/.exec(beside)![1]);
    writeFileSync(join(dir, 'migrations', `.${stamp + 1}.new`), 'being written by another process');
    const { writeFile } = fs.promises;
    // The other process has the next second as well: its file comes between our look at the folder and our own.
    fs.promises.writeFile = async (path, content, options) => {
      await writeFile(path, content, options);
      if (String(path).endsWith(`.${stamp + 2}.new`)) migration(`${stamp + 2}_quicker.js`, POSTS);
    };
    syncBuiltinESMExports();
    try {
      expect((await call('POST', '', { name: 'pages', type: 'base' })).status).toBe(200);
    } finally {
      fs.promises.writeFile = writeFile;
      syncBuiltinESMExports();
    }
    expect(files()).toEqual([
      `.${stamp + 1}.new`,
      `${stamp}_beside.js`,
      `${stamp + 2}_quicker.js`,
      `${stamp + 3}_created_pages.js`,
    ]);
  });

  it('OPS-188 a file that is cut short by a full disk or a kill is none that would be applied', async () => {
    const { writeFile } = fs.promises;
    const whileWritten: string[] = [];
    fs.promises.writeFile = async (path, content, options) => {
      await writeFile(path, String(content).slice(0, 20), options);
      whileWritten.push(...files());
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    syncBuiltinESMExports();
    try {
      expect((await call('POST', '', { name: 'posts', type: 'base' })).status).toBe(400);
    } finally {
      fs.promises.writeFile = writeFile;
      syncBuiltinESMExports();
    }
    expect(whileWritten.map((file) => file[0])).toEqual(['.']);
    expect(files()).toEqual([]);
    expect((await call('POST', '', { name: 'posts', type: 'base' })).status).toBe(200);
  });
});
