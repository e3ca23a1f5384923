import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BackupsService } from '../../src/backups/backups.service.js';
import { DataSwap } from '../../src/backups/data-swap.js';
import { Database } from '../../src/database/database.js';
import { RecordsService } from '../../src/records/records.service.js';
import { createTestRoost, type TestRoost } from '../../src/testing/index.js';
import { entriesOf } from '../backups/support/archives.js';
import { restoresAtOnce } from '../backups/support/at-once.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Sqlite } from '../support/sqlite.js';
import { everythingOf, fillWithEverything } from './support/everything.js';
import { vacuumedOf } from './support/vacuumed.js';

const root = mkdtempSync(join(tmpdir(), 'roost-pg-backups-'));
let places = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(PostgresCluster.programs === undefined)('backups on PostgreSQL', () => {
  let cluster: PostgresCluster;
  const running: TestRoost[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const roost of running.splice(0)) await roost.close();
  });
  afterAll(() => cluster.stop());

  async function start(url?: string, dir = join(root, `data-${++places}`), key = false, more = {}): Promise<TestRoost> {
    const config = { ...more, ...(url && { DATABASE_URL: url }), ...(key && { ROOST_ENCRYPTION_ENV: 'KEY' }) };
    const roost = await createTestRoost({ dir, config, env: { KEY: 'k'.repeat(32) }, override: restoresAtOnce });
    running.push(roost);
    return roost;
  }

  const stop = async (roost: TestRoost): Promise<void> => {
    running.splice(running.indexOf(roost), 1);
    await roost.close();
  };

  const make = async (roost: TestRoost, token: string, name: string): Promise<void> => {
    const { status, text } = await roost.inject({ method: 'POST', url: '/api/backups', token, body: { name } });
    expect([status, text]).toEqual([204, '']);
  };

  /** Restores, and gives how it ended. */
  async function restore(roost: TestRoost, token: string, name: string): Promise<{ outcome: string; reason: string }> {
    const { status, body } = await roost.inject({ method: 'POST', url: `/api/backups/${name}/restore`, token });
    if (status !== 204) return { outcome: 'refused', reason: body.message };
    await roost.app.get(BackupsService, { strict: false }).idle();
    const health = await roost.inject({
      url: '/api/health',
      token: await roost.signIn('_superusers', 'root@example.com'),
    });
    return health.body.data.lastRestore;
  }

  async function carry(name: string, from: TestRoost, to: TestRoost, token: string): Promise<void> {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(join(from.dir, 'backups', name))], { type: 'application/zip' }), name);
    const { status, text } = await to.inject({ method: 'POST', url: '/api/backups/upload', token, body: form });
    expect([status, text]).toEqual([204, '']);
  }

  async function addFile(roost: TestRoost, token: string, content: string): Promise<string> {
    const form = new FormData();
    form.append('title', content);
    form.append('cover', new Blob([content]), 'note.txt');
    const { body } = await roost.inject({ method: 'POST', url: '/api/collections/things/records', token, body: form });
    return `/api/files/things/${body.id}/${body.cover}`;
  }

  it('SCALE-15 OPS-105 brings records, files, collections and settings back, without a restart', async () => {
    const address = await cluster.newDatabase();
    const roost = await start(address);
    const token = await fillWithEverything(roost);
    const url = await addFile(roost, token, 'kept');
    const before = await everythingOf(roost, token);
    await make(roost, token, 'a.zip');
    const later = await addFile(roost, token, 'later');
    const { items } = (await roost.inject({ url: '/api/collections/things/records?perPage=500', token })).body;
    for (const { id } of items.slice(0, 5)) {
      await roost.inject({ method: 'DELETE', url: `/api/collections/things/records/${id}`, token });
    }
    await roost.createCollections({ name: 'more', type: 'base' });
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { meta: { appName: 'Later' } } });
    expect(await restore(roost, token, 'a.zip')).toMatchObject({ outcome: 'restored', reason: '' });
    // Not to wait for autovacuum.
    expect(await vacuumedOf(address, ['groups', 'things'])).toEqual(['groups', 'things']);
    expect(await everythingOf(roost, token)).toEqual(before);
    expect((await roost.inject({ url })).text).toBe('kept');
    expect((await roost.inject({ url: later })).status).toBe(404);
    expect(await addFile(roost, token, 'and on')).toContain('note');
  });

  it('SCALE-15 OPS-100 makes an archive that SQLite restores, and restores one that SQLite made', async () => {
    const there = await start(await cluster.newDatabase());
    const token = await fillWithEverything(there);
    const url = await addFile(there, token, 'from there');
    const before = await everythingOf(there, token);
    await make(there, token, 'there.zip');
    const entries = await entriesOf(join(there.dir, 'backups', 'there.zip'));
    expect([...entries.keys()].filter((name) => !name.startsWith('storage/')).sort()).toEqual([
      'auxiliary.db',
      'data.db',
      'roost.json',
    ]);
    const facts = JSON.parse(entries.get('roost.json')!.toString());
    expect(facts.migration).toMatch(/^Create\w+\d{13}$/);
    const here = await start();
    const hers = await here.createSuperuser();
    await carry('there.zip', there, here, hers);
    expect(await restore(here, hers, 'there.zip')).toMatchObject({ outcome: 'restored' });
    expect(await everythingOf(here, token)).toEqual(before);
    expect((await here.inject({ url })).text).toBe('from there');
    await make(here, token, 'here.zip');
    const third = await start(await cluster.newDatabase());
    const theirs = await third.createSuperuser('other@example.com');
    await third.createCollections({ name: 'gone', type: 'base' });
    await carry('here.zip', here, third, theirs);
    expect(await restore(third, theirs, 'here.zip')).toMatchObject({ outcome: 'restored' });
    expect(await everythingOf(third, token)).toEqual(before);
    expect((await third.inject({ url })).text).toBe('from there');
  });

  it('SCALE-15 COL-172 restores none with a collection that is called like something PostgreSQL has itself', async () => {
    const [here, there] = [await start(), await start(await cluster.newDatabase())];
    const [hers, theirs] = [await here.createSuperuser(), await there.createSuperuser()];
    await here.createCollections({ name: 'pg_class', type: 'base' });
    await there.createCollections({ name: 'kept', type: 'base', listRule: '' });
    await make(here, hers, 'catalog.zip');
    await carry('catalog.zip', here, there, theirs);
    const restored = await restore(there, theirs, 'catalog.zip');
    expect(restored).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('renamed first: pg_class.') });
    expect((await there.inject({ url: '/api/collections/kept/records' })).status).toBe(200);
  });

  it('SCALE-15 COL-172 keeps views that only PostgreSQL understands', async () => {
    const roost = await start(await cluster.newDatabase());
    const token = await roost.createSuperuser();
    await roost.createCollections(
      { name: 'counted', type: 'base', listRule: '', fields: [{ name: 'n', type: 'number' }] },
      { name: 'shown', type: 'view', listRule: '', viewQuery: "SELECT id, to_char(n, 'FM00')::text AS t FROM counted" },
      { name: 'above', type: 'view', listRule: '', viewQuery: 'SELECT id, t FROM shown' },
    );
    const shown = async (from: TestRoost, name: string): Promise<unknown> => {
      const { status, body } = await from.inject({ url: `/api/collections/${name}/records?sort=t` });
      return status === 200 ? body.items.map((item: { t: string }) => item.t) : status;
    };
    await roost.inject({ method: 'POST', url: '/api/collections/counted/records', token, body: { n: 7 } });
    await make(roost, token, 'a.zip');
    const lite = await start();
    await carry('a.zip', roost, lite, await lite.createSuperuser());
    await roost.inject({ method: 'POST', url: '/api/collections/counted/records', token, body: { n: 8 } });
    expect(await shown(roost, 'above')).toEqual(['07', '08']);
    expect(await restore(roost, token, 'a.zip')).toMatchObject({ outcome: 'restored' });
    expect([await shown(roost, 'shown'), await shown(roost, 'above')]).toEqual([['07'], ['07']]);
    // SQLite has everything else, and the definitions.
    const there = await lite.signIn('_superusers', 'root@example.com');
    expect(await restore(lite, there, 'a.zip')).toMatchObject({ outcome: 'restored' });
    const { body } = await lite.inject({ url: '/api/collections/counted/records' });
    expect(body.items).toMatchObject([{ n: 7 }]);
    expect([await shown(lite, 'shown'), await shown(lite, 'above')]).toEqual([400, 400]);
    const again = await lite.signIn('_superusers', 'root@example.com');
    const { body: definition } = await lite.inject({ url: '/api/collections/shown', token: again });
    expect(definition.viewQuery).toContain('to_char');
    await make(lite, again, 'b.zip');
  });

  it('SCALE-15 OPS-102 copies one moment while writes go on', async () => {
    const roost = await start(await cluster.newDatabase(), undefined, false, { DATABASE_POOL: '1' });
    const token = await fillWithEverything(roost, { records: 600 });
    const records = roost.app.get(RecordsService, { strict: false });
    let isOver = false;
    let pairs = 0;
    const database = roost.app.get(Database, { strict: false });
    const writing = (async () => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- it ends when the backup does
      while (!isOver) {
        await database.transaction(async () => {
          await records.create('groups', { name: `pair ${++pairs}` });
          await records.create('things', { title: `pair ${pairs}` });
        });
      }
    })();
    await expect.poll(() => pairs).toBeGreaterThan(3);
    await make(roost, token, 'a.zip');
    const total = pairs;
    isOver = true;
    await writing;
    const entries = await entriesOf(join(roost.dir, 'backups', 'a.zip'));
    const copy = new Sqlite(entries.get('data.db')!.fill(1, 18, 20));
    const count = (sql: string) => (copy.prepare(sql).get() as { n: number }).n;
    const [groups, things] = [
      count("SELECT COUNT(*) AS n FROM groups WHERE name LIKE 'pair%'"),
      count("SELECT COUNT(*) AS n FROM things WHERE title LIKE 'pair%'"),
    ];
    copy.close();
    expect(groups).toBe(things);
    expect(groups).toBeGreaterThan(3);
    expect(groups).toBeLessThan(total);
  });

  it('SCALE-15 OPS-105 leaves everything as it is when a restore fails, whenever', async () => {
    const roost = await start(await cluster.newDatabase());
    const token = await fillWithEverything(roost, { records: 5 });
    const url = await addFile(roost, token, 'kept');
    await make(roost, token, 'a.zip');
    const lite = await start();
    const hers = await fillWithEverything(lite, { records: 3 });
    const viewQuery = 'SELECT id, rowid AS place FROM things';
    await lite.inject({ url: '/api/collections', token: hers, body: { name: 'places', type: 'view', viewQuery } });
    await make(lite, hers, 'view.zip');
    const secret = await start(undefined, undefined, true);
    await make(secret, await fillWithEverything(secret, { records: 1 }), 'secret.zip');
    await carry('view.zip', lite, roost, token);
    await carry('secret.zip', secret, roost, token);
    const before = await everythingOf(roost, token);
    const swap = roost.app.get(DataSwap, { strict: false });
    const swapIn = swap.swapIn.bind(swap);
    const failures: [string, RegExp][] = [
      ['view.zip', /places/],
      ['secret.zip', /encrypted/],
      ['a.zip', /after the files/],
    ];
    for (const [name, reason] of failures) {
      vi.spyOn(swap, 'swapIn').mockImplementation(async (...args) => {
        await swapIn(...args);
        throw new Error('after the files');
      });
      expect(await restore(roost, token, name)).toMatchObject({
        outcome: 'failed',
        reason: expect.stringMatching(reason),
      });
      vi.restoreAllMocks();
      expect(await everythingOf(roost, token)).toEqual(before);
      expect((await roost.inject({ url })).text).toBe('kept');
    }
    expect(await restore(roost, token, 'a.zip')).toMatchObject({ outcome: 'restored' });
  });

  it.each([true, false])('SCALE-15 goes by the database after a process was killed, committed: %s', async (isDone) => {
    const address = await cluster.newDatabase();
    const roost = await start(address);
    const token = await fillWithEverything(roost, { records: 3 });
    const url = await addFile(roost, token, 'old content');
    await make(roost, token, 'a.zip');
    const swap = roost.app.get(DataSwap, { strict: false });
    // As a process leaves it that is killed after the files were exchanged: here for none.
    await swap.prepare();
    await swap.swapIn('a.zip', 'the token');
    const value = isDone ? 'the token' : 'another one';
    const database = roost.app.get(Database, { strict: false });
    await database.run({ sql: `INSERT INTO _params (id, value) VALUES ('restore', $1)`, params: [value] });
    await stop(roost);
    const again = await start(address, roost.dir);
    expect((await again.inject({ url })).status).toBe(isDone ? 404 : 200);
    const health = await again.inject({ url: '/api/health', token });
    expect(health.body.data.lastRestore).toMatchObject({ backup: 'a.zip', outcome: isDone ? 'restored' : 'failed' });
    expect(await again.app.get(DataSwap, { strict: false }).begun()).toBeUndefined();
  });
});
