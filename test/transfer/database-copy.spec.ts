import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuxiliaryDatabase, Database } from '../../src/database/database.js';
import { DatabaseUpkeep } from '../../src/database/database-upkeep.js';
import { type DatabasePlace, OtherDatabases } from '../../src/database/other-databases.js';
import { RecordsService } from '../../src/records/records.service.js';
import { createTestRoost, type TestRoost } from '../../src/testing/index.js';
import { WholeCopy, type WholeCopyOptions, type WholeCopyReport } from '../../src/transfer/whole-copy.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { everythingOf, fillWithEverything, PASSWORD } from './support/everything.js';
import { vacuumedOf } from './support/vacuumed.js';

const root = mkdtempSync(join(tmpdir(), 'roost-transfer-'));
let directories = 0;
let running: TestRoost[] = [];

const newDirectory = (): string => join(root, `data-${++directories}`);

async function start(place: DatabasePlace, config: Record<string, string> = {}, env = {}): Promise<TestRoost> {
  const url = 'url' in place ? { DATABASE_URL: place.url } : {};
  const dir = 'dir' in place ? place.dir : newDirectory();
  const driver = process.env['DATABASE_DRIVER'];
  const roost = await createTestRoost({
    dir,
    config: { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...url, ...config },
    env,
  });
  running.push(roost);
  return roost;
}

const stop = async (): Promise<void> => {
  for (const roost of running.splice(0)) await roost.close();
};

const copy = (from: TestRoost, to: DatabasePlace, options: Partial<WholeCopyOptions> = {}): Promise<WholeCopyReport> =>
  from.app.get(WholeCopy, { strict: false }).to(to, { logs: true, ...options });

const databaseOf = (roost: TestRoost): Database => roost.app.get(Database, { strict: false });
const records = (roost: TestRoost): RecordsService => roost.app.get(RecordsService, { strict: false });

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const relationsIn = async (url: string): Promise<string[]> => {
  const rows = await ask(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
  return rows.map(({ relname }) => String(relname));
};

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(PostgresCluster.programs === undefined)('copying everything to another database', () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterEach(stop);
  afterAll(() => cluster.stop());

  it('SCALE-14 brings everything from SQLite to PostgreSQL, and from there to SQLite again', async () => {
    const source = await start({ dir: newDirectory() });
    const token = await fillWithEverything(source, { records: 700 });
    const before = await everythingOf(source, token);
    const url = await cluster.newDatabase();
    const report = await copy(source, { url });
    expect(report).toMatchObject({ views: 2, leftOut: [] });
    expect(report.collections.find(({ name }) => name === 'things')).toMatchObject({
      records: 601,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const moved = await start({ url });
    expect(await everythingOf(moved, token)).toEqual(before);
    const dir = newDirectory();
    const back = await copy(moved, { dir });
    expect(back.collections).toEqual(report.collections);
    const again = await start({ dir });
    expect(await everythingOf(again, token)).toEqual(before);
    for (const roost of [moved, again]) {
      const login = { identity: 'ann@example.com', password: PASSWORD };
      const answer = await roost.inject({ url: '/api/collections/users/auth-with-password', body: login });
      expect(answer.status).toBe(200);
      // What comes after it is in order, too, and unique as before.
      await records(roost).create('groups', { name: 'four' });
      await expect(records(roost).create('groups', { name: 'FOUR' })).rejects.toMatchObject({ status: 400 });
      const { items } = (await roost.inject({ url: '/api/collections/groups/records' })).body;
      expect(items.at(-1).name).toBe('four');
    }
  });

  it('SCALE-14 brings the log along, or leaves it out', async () => {
    const source = await start({ dir: newDirectory() });
    const token = await source.createSuperuser();
    const logs = source.app.get(AuxiliaryDatabase, { strict: false });
    const entry = (id: string, message: string) => ({
      sql: `INSERT INTO _logs (id, message, data) VALUES (?, ?, ?)`,
      params: [id, message, '{"a":1}'],
      writes: ['_logs'],
    });
    await logs.run(entry('aaaaaaaaaaaaaaa', 'kept'));
    await logs.run(entry('bbbbbbbbbbbbbbb', 'not \0 for PostgreSQL'));
    const [withLogs, without] = [await cluster.newDatabase(), await cluster.newDatabase()];
    const report = await copy(source, { url: withLogs });
    expect(report.logs).toMatchObject({ refused: 1 });
    expect((await copy(source, { url: without }, { logs: false })).logs).toBeUndefined();
    const messages = async (url: string) => (await ask(url, 'SELECT message FROM _logs')).map(({ message }) => message);
    expect(await messages(withLogs)).toContain('kept');
    expect(await messages(without)).toEqual([]);
    const moved = await start({ url: withLogs });
    expect((await moved.inject({ url: '/api/logs?filter=message="kept"', token })).body.items).toHaveLength(1);
  });

  it('SCALE-14 leaves tables that an index alone can count, not to wait for autovacuum', async () => {
    const source = await start({ dir: newDirectory() });
    const token = await fillWithEverything(source, { records: 700 });
    const logs = source.app.get(AuxiliaryDatabase, { strict: false });
    await logs.run({ sql: `INSERT INTO _logs (id, message) VALUES ('aaaaaaaaaaaaaaa', 'a')`, params: [] });
    const url = await cluster.newDatabase();
    const seen: string[] = [];
    await copy(source, { url }, { onVacuum: (table) => seen.push(table) });
    expect(await vacuumedOf(url, ['_logs', 'groups', 'things', 'users'])).toEqual([
      '_logs',
      'groups',
      'things',
      'users',
    ]);
    expect(seen).toContain('things');
    const moved = await start({ url });
    expect(await everythingOf(moved, token)).toEqual(await everythingOf(source, token));
    await stop();
    const again = await start({ url });
    const back: string[] = [];
    await copy(again, { dir: newDirectory() }, { onVacuum: (table) => back.push(table) });
    expect(back).toEqual([]);
  });

  it('SCALE-14 is there although nothing could be vacuumed', async () => {
    const source = await start({ dir: newDirectory() });
    const token = await fillWithEverything(source, { records: 3 });
    const url = await cluster.newDatabase();
    const failure = new Error('canceling statement due to user request');
    vi.spyOn(DatabaseUpkeep.prototype, 'vacuum').mockRejectedValue(failure);
    const warnings: unknown[] = [];
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((text) => warnings.push(text));
    await copy(source, { url });
    vi.restoreAllMocks();
    expect(warnings).toEqual([expect.stringContaining(failure.message)]);
    expect(await everythingOf(await start({ url }), token)).toEqual(await everythingOf(source, token));
  });

  it('SCALE-14 leaves a table of somebody else to its owner, and vacuums the others', async () => {
    const source = await start({ dir: newDirectory() });
    await fillWithEverything(source, { records: 700 });
    const url = await cluster.newDatabase();
    await ask(url, 'CREATE ROLE copier LOGIN');
    await ask(url, 'GRANT ALL ON SCHEMA public TO copier');
    const { vacuum } = DatabaseUpkeep.prototype;
    vi.spyOn(DatabaseUpkeep.prototype, 'vacuum').mockImplementation(async function (this: DatabaseUpkeep, ...given) {
      await ask(url, 'ALTER TABLE groups OWNER TO roost');
      return vacuum.apply(this, given);
    });
    const warnings = vi.spyOn(Logger.prototype, 'warn');
    const seen: string[] = [];
    await copy(source, { url: url.replace('roost@', 'copier@') }, { onVacuum: (table) => seen.push(table) });
    expect(warnings).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    expect(seen.indexOf('groups')).toBeLessThan(seen.indexOf('things'));
    expect(await vacuumedOf(url, ['groups', 'things', 'users'])).toEqual(['things', 'users']);
  });

  it('SCALE-14 copies one moment while the source goes on', async () => {
    const source = await start({ dir: newDirectory() });
    await fillWithEverything(source, { records: 1_200 });
    let isOver = false;
    let pairs = 0;
    const writing = (async () => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- it ends when the copy does
      while (!isOver) {
        await databaseOf(source).transaction(async () => {
          await records(source).create('groups', { name: `pair ${++pairs} a` });
          await records(source).create('things', { title: `pair ${pairs} b` });
        });
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const url = await cluster.newDatabase();
    await expect.poll(() => pairs).toBeGreaterThan(3);
    await copy(source, { url });
    const whileCopied = pairs;
    isOver = true;
    await writing;
    const [row] = await ask(
      url,
      `SELECT (SELECT COUNT(*) FROM groups WHERE name LIKE 'pair%')::int AS first,
        (SELECT COUNT(*) FROM things WHERE title LIKE 'pair%')::int AS second`,
    );
    expect(row!['first']).toBe(row!['second']);
    expect(row!['first']).toBeGreaterThan(3);
    expect(row!['first']).toBeLessThan(whileCopied);
  });

  it('SCALE-14 begins again when collections change meanwhile, where a snapshot does not have them', async () => {
    const first = await start({ dir: newDirectory() });
    await fillWithEverything(first);
    const url = await cluster.newDatabase();
    await copy(first, { url });
    const source = await start({ url });
    const dir = newDirectory();
    const { inSnapshot } = DatabaseUpkeep.prototype;
    const fields = [{ name: 'label', type: 'text' }];
    let moments = 0;
    // The change comes after the moment that is copied and before anything is read of it.
    vi.spyOn(DatabaseUpkeep.prototype, 'inSnapshot').mockImplementation(function (this: DatabaseUpkeep, work) {
      return inSnapshot.call(this, async () => {
        if (moments++ === 0) await source.createCollections({ name: 'groups', type: 'base', fields });
        return work();
      }) as ReturnType<typeof work>;
    });
    await copy(source, { dir }, { logs: false });
    vi.restoreAllMocks();
    expect(moments).toBe(2);
    const again = await start({ dir });
    const token = await again.createSuperuser();
    const { items } = (await again.inject({ url: '/api/collections/groups/records', token })).body;
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({ label: '' });
  });

  it('SCALE-14 keeps what is encrypted as it is, and it can be read with the same key', async () => {
    const key = { env: { KEY: 'k'.repeat(32) }, config: { ROOST_ENCRYPTION_ENV: 'KEY' } };
    const source = await start({ dir: newDirectory() }, key.config, key.env);
    const token = await fillWithEverything(source, { records: 3 });
    const before = await everythingOf(source, token);
    const url = await cluster.newDatabase();
    await copy(source, { url });
    const [stored] = await ask(url, "SELECT value FROM _params WHERE id = 'settings'");
    expect(stored!['value']).not.toContain('smtp');
    const moved = await start({ url }, key.config, key.env);
    expect(await everythingOf(moved, token)).toEqual(before);
    await expect(start({ url })).rejects.toThrow(/encrypt/);
  });

  it('SCALE-14 holds a few large values at a time and all of them arrive', async () => {
    const source = await start({ dir: newDirectory() });
    await fillWithEverything(source, { records: 1 });
    const extra = { text: 'x'.repeat(3_000_000) };
    for (let index = 0; index < 6; index++) await records(source).create('things', { title: `large ${index}`, extra });
    const url = await cluster.newDatabase();
    const seen: number[] = [];
    await copy(source, { url }, { onProgress: ({ table, rows }) => table === 'things' && seen.push(rows) });
    expect(seen.length).toBeGreaterThan(2);
    const [row] = await ask(url, `SELECT COUNT(*)::int AS n FROM things WHERE length(extra ->> 'text') = 3000000`);
    expect(row).toEqual({ n: 6 });
  });

  it('SCALE-14 tells of tables that belong to no collection', async () => {
    const source = await start({ dir: newDirectory() });
    await databaseOf(source).run({ sql: 'CREATE TABLE invoices (id TEXT)', params: [] });
    expect((await copy(source, { url: await cluster.newDatabase() })).leftOut).toEqual(['invoices']);
  });

  it('SCALE-14 takes values that are none of their type for what they stand for, and says so', async () => {
    const source = await start({ dir: newDirectory() });
    const token = await fillWithEverything(source, { records: 4 });
    const { items } = (await source.inject({ url: '/api/collections/things/records', token })).body;
    const values = [`amount = 'many'`, `labels = 'a'`, `extra = '{not json'`, `place = '[]'`];
    // As other programs leave them, to which SQLite does not object.
    const sql = `UPDATE things SET ${values.join(', ')} WHERE id = ?`;
    await databaseOf(source).run({ sql, params: [items[0].id], writes: ['things'] });
    const before = await everythingOf(source, token);
    const url = await cluster.newDatabase();
    const { changed } = await copy(source, { url });
    expect(changed).toEqual(
      ['amount', 'labels', 'extra', 'place'].map(
        (name) => `collection things, field ${name}: 1 values were none of its type`,
      ),
    );
    expect(await everythingOf(await start({ url }), token)).toEqual(before);
  });

  describe('refuses', () => {
    it('SCALE-14 a database that is not empty, and changes nothing in it', async () => {
      const source = await start({ dir: newDirectory() });
      const foreign = await cluster.newDatabase();
      await ask(foreign, 'CREATE TABLE theirs (id int)');
      const own = await cluster.newDatabase();
      await copy(source, { url: own });
      const before = await relationsIn(own);
      for (const url of [foreign, own]) await expect(copy(source, { url })).rejects.toThrow(/it is not empty/);
      expect(await relationsIn(foreign)).toEqual(['theirs']);
      expect(await relationsIn(own)).toEqual(before);
      const full = newDirectory();
      await copy(source, { dir: full });
      await expect(copy(source, { dir: full })).rejects.toThrow(/it is not empty/);
      expect(existsSync(join(full, 'data.db'))).toBe(true);
      const other = newDirectory();
      mkdirSync(other);
      writeFileSync(join(other, 'letter.txt'), 'mine');
      await expect(copy(source, { dir: other })).rejects.toThrow(/is not empty/);
      expect(readdirSync(other)).toEqual(['letter.txt']);
    });

    it('SCALE-14 to copy a database to itself', async () => {
      const dir = newDirectory();
      const source = await start({ dir });
      await expect(copy(source, { dir })).rejects.toThrow(/the same database/);
    });

    it('SCALE-14 what the other database does not take, by name, and leaves nothing', async () => {
      const source = await start({ dir: newDirectory() });
      const token = await fillWithEverything(source, { records: 3 });
      const { id } = await records(source).create('things', { title: 'zero \0 byte' });
      const url = await cluster.newDatabase();
      await expect(copy(source, { url })).rejects.toThrow(new RegExp(`row ${id} of things was refused: .*0x00`));
      expect(await relationsIn(url)).toEqual([]);
      await records(source).delete('things', id);
      const viewQuery = 'SELECT id, title, rowid AS place FROM things';
      await source.inject({ url: '/api/collections', token, body: { name: 'places', type: 'view', viewQuery } });
      await expect(copy(source, { url })).rejects.toThrow(/Views have queries .* places: /);
      expect(await relationsIn(url)).toEqual([]);
      await source.inject({ method: 'DELETE', url: '/api/collections/places', token });
      await copy(source, { url });
    });
  });

  it.each(['PostgreSQL', 'SQLite'])(
    'SCALE-14 lets nobody use a part of a copy on %s, and begins it again',
    async (kind) => {
      const source = await start({ dir: newDirectory() });
      const token = await fillWithEverything(source, { records: 5 });
      const place = kind === 'SQLite' ? { dir: newDirectory() } : { url: await cluster.newDatabase() };
      // As a process leaves it that is killed.
      const part = source.app.get(OtherDatabases, { strict: false }).at(place);
      await part.data.lifecycle.open({ fills: true });
      await part.logs.lifecycle.open({ fills: true });
      await part.close();
      await expect(start(place)).rejects.toThrow(/holds a part of a copy only/);
      await copy(source, place);
      expect(await everythingOf(await start(place), token)).toEqual(await everythingOf(source, token));
    },
  );
});
