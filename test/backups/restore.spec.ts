import fs, { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackupsService } from '../../src/backups/backups.service.js';
import { DataSwap } from '../../src/backups/data-swap.js';
import { DatabaseCheck } from '../../src/database/database-check.js';
import { FILE_STORAGE, type FileStorage } from '../../src/storage/file-storage.js';
import type { TestRoost } from '../../src/testing/index.js';
import { CLUSTER } from '../support/postgres-databases.js';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';
import { Sqlite } from '../support/sqlite.js';
import { claimingEntries, entriesOf, writeArchive } from './support/archives.js';
import { restoresAtOnce } from './support/at-once.js';

let roost: TestRoost;
let token: string;

beforeEach(async () => {
  roost = await startRoost({ override: restoresAtOnce });
  token = await roost.createSuperuser();
  await roost.createCollections({
    name: 'docs',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'file', type: 'file' },
    ],
  });
});
afterEach(() => roost.close());

const backups = () => roost.app.get(BackupsService, { strict: false });
const backup = (key: string) => join(roost.dir, 'backups', key);

async function add(title: string): Promise<{ id: string; collectionId: string; file: string }> {
  const form = new FormData();
  form.append('title', title);
  form.append('file', new Blob([`content of ${title}`]), 'note.txt');
  const { status, body } = await roost.inject({
    method: 'POST',
    url: '/api/collections/docs/records',
    token,
    body: form,
  });
  expect(status).toBe(200);
  return body;
}

async function titles(): Promise<string[]> {
  const { body } = await roost.inject({ url: '/api/collections/docs/records?sort=title' });
  return body.items.map(({ title }: { title: string }) => title);
}

async function make(key: string): Promise<void> {
  expect((await roost.inject({ method: 'POST', url: '/api/backups', token, body: { name: key } })).status).toBe(204);
}

async function restore(key: string): Promise<void> {
  const { status } = await roost.inject({ method: 'POST', url: `/api/backups/${key}/restore`, token });
  expect(status).toBe(204);
  await backups().idle();
}

/** Asks for a restore that cannot be: the reason of the 400, or of the log if it could only be told later. */
async function refused(key: string): Promise<string> {
  const { status, body } = await roost.inject({ method: 'POST', url: `/api/backups/${key}/restore`, token });
  if (status === 400) {
    expect(body.data).toEqual({});
    return body.message;
  }
  expect(status).toBe(204);
  await backups().idle();
  return failure();
}

async function failure(): Promise<string> {
  const filter = encodeURIComponent("level = 8 && data.context = 'Backups'");
  const { body } = await roost.inject({ url: `/api/logs?filter=${filter}`, token });
  return body.items[0]?.message ?? '';
}

/** The bytes of a database after a change. */
function changed(bytes: Buffer, sql: string): Buffer {
  const source = Buffer.from(bytes);
  // A database in memory has no write-ahead log.
  source.fill(1, 18, 20);
  const database = new Sqlite(source);
  database.exec(sql);
  const result = database.serialize();
  database.close();
  return result;
}

/** The bytes of a database with a further table, of which the last page is not what it was. */
function damagedAtTheEnd(bytes: Buffer): Buffer {
  const source = Buffer.from(bytes);
  // A database in memory has no write-ahead log.
  source.fill(1, 18, 20);
  const database = new Sqlite(source);
  database.exec('CREATE TABLE further (text)');
  const insert = database.prepare('INSERT INTO further VALUES (?)');
  for (let index = 0; index < 100; index++) insert.run('x'.repeat(1000));
  const damaged = database.serialize();
  database.close();
  return damaged.fill(0xff, damaged.length - 4096);
}

describe('restoring a backup', () => {
  it('OPS-105 brings records, files, collections and settings back, without a restart', async () => {
    const first = await add('first');
    const url = `/api/files/${first.collectionId}/${first.id}/${first.file}`;
    await make('a.zip');
    await add('second');
    await roost.inject({ method: 'DELETE', url: `/api/collections/docs/records/${first.id}`, token });
    await roost.createCollections({ name: 'later', type: 'base' });
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { meta: { appName: 'Later' } } });
    expect((await roost.inject({ url })).status).toBe(404);
    await restore('a.zip');
    expect(await titles()).toEqual(['first']);
    expect((await roost.inject({ url })).text).toBe('content of first');
    expect((await roost.inject({ url: '/api/collections/later', token })).status).toBe(404);
    expect((await roost.inject({ url: '/api/settings', token })).body.meta.appName).toBe('Acme');
    await add('third');
    expect(await titles()).toEqual(['first', 'third']);
  });

  it('OPS-105 takes an archive that another tool packed again, with entries for directories', async () => {
    await add('first');
    await make('a.zip');
    const files = await entriesOf(backup('a.zip'));
    await writeArchive(backup('again.zip'), [['storage/', ''], ['storage/empty/', ''], ...files]);
    await add('second');
    await restore('again.zip');
    expect(await titles()).toEqual(['first']);
  });

  it('OPS-105 OPS-171 leaves nothing behind that could be brought back, and files of nobody else', async () => {
    await make('a.zip');
    await restore('a.zip');
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
    if (CLUSTER === undefined) expect(statSync(join(roost.dir, 'data.db')).mode & 0o777).toBe(0o600);
  });

  it('OPS-105 keeps requests out for the time with a 503, and ends streams', async () => {
    await make('a.zip');
    const origin = await roost.listen();
    const reader = await SseReader.open({ port: Number(new URL(origin).port) });
    const seen: { status: number; retryAfter: string | null }[] = [];
    let isDone = false;
    const asking = (async () => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- it ends when the restore does
      while (!isDone) {
        const response = await fetch(`${origin}/api/collections/docs/records`);
        seen.push({ status: response.status, retryAfter: response.headers.get('retry-after') });
        await response.arrayBuffer();
      }
    })();
    await restore('a.zip');
    await reader.ended();
    isDone = true;
    await asking;
    expect(reader.endedCleanly).toBe(true);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect(seen.find(({ status }) => status === 503)!.retryAfter).toBe('1');
    expect(seen.at(-1)!.status).toBe(200);
    reader.close();
    const next = await SseReader.connect({ port: Number(new URL(origin).port) });
    next.close();
  });

  it('OPS-105 FS-36 waits for deletions of old files, which do not find the new ones', async () => {
    const { id, collectionId, file } = await add('first');
    await make('a.zip');
    const storage = roost.app.get<FileStorage>(FILE_STORAGE, { strict: false });
    const deleteFolder = storage.deleteFolder.bind(storage);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    vi.spyOn(storage, 'deleteFolder').mockImplementation(async (folder) => {
      await held;
      return deleteFolder(folder);
    });
    const swap = roost.app.get(DataSwap, { strict: false });
    const swapIn = swap.swapIn.bind(swap);
    const moved = new Promise<void>((resolve) => {
      vi.spyOn(swap, 'swapIn').mockImplementation(() => swapIn().finally(resolve));
    });
    await roost.inject({ method: 'DELETE', url: `/api/collections/docs/records/${id}`, token });
    const restoring = restore('a.zip');
    await expect.poll(async () => (await roost.inject({ url: '/api/health' })).status, { timeout: 10_000 }).toBe(503);
    // Long enough for a restore that would not wait.
    await Promise.race([moved, sleep(2_000)]);
    goOn();
    await restoring;
    vi.restoreAllMocks();
    expect((await roost.inject({ url: `/api/files/${collectionId}/${id}/${file}` })).text).toBe('content of first');
  });

  it('OPS-104a OPS-145 tells superusers how it ended, and nobody else', async () => {
    const health = async (asker?: string) => (await roost.inject({ url: '/api/health', token: asker })).body.data;
    await make('a.zip');
    expect(await health(token)).not.toHaveProperty('lastRestore');
    await restore('a.zip');
    const lastRestore = { time: expect.stringMatching(/Z$/), backup: 'a.zip', outcome: 'restored', reason: '' };
    expect(await health(token)).toMatchObject({ canBackup: true, lastRestore });
    expect(await health()).toEqual({});
    const entries = await entriesOf(backup('a.zip'));
    await writeArchive(backup('b.zip'), entries.set('auxiliary.db', Buffer.from('not what the facts say')));
    await restore('b.zip');
    const reason = expect.stringContaining('auxiliary.db');
    expect((await health(token)).lastRestore).toMatchObject({ backup: 'b.zip', outcome: 'failed', reason });
  });

  it('OPS-104a refuses at once what cannot be restored, and goes on', async () => {
    await make('a.zip');
    const entries = await entriesOf(backup('a.zip'));
    entries.delete('data.db');
    await writeArchive(backup('b.zip'), entries);
    writeFileSync(backup('c.zip'), 'PK, but no archive');
    for (const [key, reason] of [
      ['b.zip', 'data.db'],
      ['c.zip', 'End of central directory'],
    ]) {
      const { status, body } = await roost.inject({ method: 'POST', url: `/api/backups/${key}/restore`, token });
      expect([status, body.data]).toEqual([400, {}]);
      expect(body.message).toMatch(new RegExp(`${key} cannot be restored: .*${reason}`));
    }
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
    await restore('a.zip');
  });

  it('OPS-105 answers 400 for a backup that is not there', async () => {
    for (const key of ['nothing.zip', '..%2Fdata.db']) {
      const { status } = await roost.inject({ method: 'POST', url: `/api/backups/${key}/restore`, token });
      expect(status).toBe(400);
    }
  });
});

describe('a restore that fails leaves the old data', () => {
  beforeEach(async () => {
    await add('kept');
    await make('good.zip');
  });

  const cases: Record<string, (good: Map<string, Buffer>) => Promise<void>> = {
    'it is no archive': async () => writeFileSync(backup('bad.zip'), 'PK, but no archive'),
    'it has no database': (good) => {
      good.delete('data.db');
      return writeArchive(backup('bad.zip'), good);
    },
    'the database is damaged': (good) => {
      good.delete('roost.json');
      const damaged = Buffer.from(good.get('data.db')!);
      damaged.fill(0xff, 4096, 4096 * 6);
      return writeArchive(backup('bad.zip'), good.set('data.db', damaged));
    },
    'the database is damaged where nothing looks at the start': (good) => {
      good.delete('roost.json');
      return writeArchive(backup('bad.zip'), good.set('data.db', damagedAtTheEnd(good.get('data.db')!)));
    },
    'the database is not one': (good) => {
      good.delete('roost.json');
      return writeArchive(backup('bad.zip'), good.set('data.db', Buffer.from('no database')));
    },
    'the database is not the one that was backed up': (good) => {
      const other = Buffer.concat([good.get('auxiliary.db')!, Buffer.alloc(1)]);
      return writeArchive(backup('bad.zip'), good.set('auxiliary.db', other));
    },
    'an entry is a link': (good) =>
      writeArchive(backup('bad.zip'), good.set('storage/link', Buffer.from('/etc/passwd')), 0o120777),
    'the archive is cut off': async () => {
      const whole = readFileSync(backup('good.zip'));
      writeFileSync(backup('bad.zip'), whole.subarray(0, whole.length - 100));
    },
  };

  it.each(Object.keys(cases))('OPS-105 because %s', async (name) => {
    await cases[name]!(await entriesOf(backup('good.zip')));
    expect(await refused('bad.zip')).toContain('bad.zip');
    expect(await titles()).toEqual(['kept']);
    await add('after');
  });

  it('OPS-105 because a path leads out of the directory', async () => {
    const good = await entriesOf(backup('good.zip'));
    await writeArchive(backup('bad.zip'), good.set('storage/xxxxxxxx', Buffer.from('out')));
    // The library that writes archives refuses such a name, so it is put there by hand.
    const bytes = readFileSync(backup('bad.zip'));
    const text = bytes.toString('latin1').replaceAll('storage/xxxxxxxx', '../../../escaped');
    writeFileSync(backup('bad.zip'), Buffer.from(text, 'latin1'));
    expect(await refused('bad.zip')).toContain('..');
    expect(await titles()).toEqual(['kept']);
  });

  const hostile: Record<string, [says: string, make: (good: Map<string, Buffer>) => Promise<void>]> = {
    'it says too much about itself': [
      'roost.json is too large',
      (good) => {
        const padded = `${good.get('roost.json')!.toString()}${' '.repeat(1024 * 1024)}`;
        return writeArchive(backup('bad.zip'), good.set('roost.json', Buffer.from(padded)));
      },
    ],
    'a name is none': [
      'a name that no file can have',
      async (good) => {
        await writeArchive(backup('bad.zip'), good.set('storage/xxxxxxxx', Buffer.from('out')));
        const text = readFileSync(backup('bad.zip')).toString('latin1');
        writeFileSync(backup('bad.zip'), Buffer.from(text.replaceAll('xxxxxxxx', 'xxx\0.txt'), 'latin1'));
      },
    ],
    'it has a million entries': [
      'has 1000000 entries',
      async (good) => {
        await writeArchive(backup('bad.zip'), good);
        writeFileSync(backup('bad.zip'), claimingEntries(readFileSync(backup('bad.zip')), 1_000_000));
      },
    ],
  };

  it.each(Object.keys(hostile))('OPS-105 because %s, and nothing is unpacked', async (name) => {
    const [says, make] = hostile[name]!;
    await make(await entriesOf(backup('good.zip')));
    expect(await refused('bad.zip')).toContain(says);
    expect(await titles()).toEqual(['kept']);
  });

  it('OPS-105 because the disk has no room for it', async () => {
    const { statfs } = fs.promises;
    fs.promises.statfs = (async () => ({ bavail: 16 * 1024, bsize: 1024 })) as unknown as typeof statfs;
    syncBuiltinESMExports();
    try {
      await restore('good.zip');
    } finally {
      fs.promises.statfs = statfs;
      syncBuiltinESMExports();
    }
    expect(await failure()).toContain('no room');
    expect(await titles()).toEqual(['kept']);
  });

  it('OPS-105 OPS-181 because a newer version has made it', async () => {
    const good = await entriesOf(backup('good.zip'));
    good.delete('roost.json');
    const dir = mkdtempSync(join(tmpdir(), 'roost-newer-'));
    try {
      const file = join(dir, 'data.db');
      writeFileSync(file, good.get('data.db')!);
      const database = new Sqlite(file);
      database
        .prepare('INSERT INTO _system_migrations (timestamp, name) VALUES (?, ?)')
        .run(9999999999999, 'FromTheFuture9999999999999');
      database.close();
      await writeArchive(backup('bad.zip'), good.set('data.db', readFileSync(file)));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
    expect(await refused('bad.zip')).toContain('FromTheFuture');
    expect(await titles()).toEqual(['kept']);
  });

  it('OPS-105 because its collections cannot be read, with the settings of before as well', async () => {
    const name = (appName: string) =>
      roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { meta: { appName } } });
    await name('Other');
    await make('other.zip');
    await name('Acme');
    const entries = await entriesOf(backup('other.zip'));
    entries.delete('roost.json');
    await writeArchive(
      backup('bad.zip'),
      entries.set('data.db', changed(entries.get('data.db')!, 'DROP TABLE _collections')),
    );
    await restore('bad.zip');
    expect(await failure()).toContain('_collections');
    expect(await titles()).toEqual(['kept']);
    expect((await roost.inject({ url: '/api/settings', token })).body.meta.appName).toBe('Acme');
  });

  it('OPS-105 OPS-11 because its settings cannot be read by this process', async () => {
    const other = await startRoost({ config: { ROOST_ENCRYPTION_ENV: 'KEY' }, env: { KEY: 'k'.repeat(32) } });
    try {
      const root = await other.createSuperuser();
      await other.inject({ method: 'PATCH', url: '/api/settings', token: root, body: { meta: { appName: 'Secret' } } });
      await other.inject({ method: 'POST', url: '/api/backups', token: root, body: { name: 'sealed.zip' } });
      copyFileSync(join(other.dir, 'backups', 'sealed.zip'), backup('sealed.zip'));
    } finally {
      await other.close();
    }
    await restore('sealed.zip');
    expect(await titles()).toEqual(['kept']);
    expect((await roost.inject({ url: '/api/settings', token })).body.meta.appName).toBe('Acme');
    await add('after');
    expect(await titles()).toEqual(['after', 'kept']);
  });
});

it('OPS-102 OPS-105 equals one committed moment although a writer runs through the whole backup', async () => {
  await roost.createCollections(
    { name: 'left', type: 'base', fields: [{ name: 'n', type: 'number' }] },
    {
      name: 'right',
      type: 'base',
      fields: [
        { name: 'n', type: 'number' },
        { name: 'file', type: 'file' },
      ],
    },
  );
  await roost.inject({
    method: 'PATCH',
    url: '/api/settings',
    token,
    body: { batch: { enabled: true, maxRequests: 10 } },
  });
  let isDone = false;
  let written = 0;
  const files: string[] = [];
  const writer = (async () => {
    // oxlint-disable-next-line no-unmodified-loop-condition -- it ends when the backup does
    while (!isDone) {
      const form = new FormData();
      const requests = ['left', 'right'].map((name) => ({
        method: 'POST',
        url: `/api/collections/${name}/records`,
        body: { n: written },
      }));
      form.append('@jsonPayload', JSON.stringify({ requests }));
      form.append('requests.1.file', new Blob([`file ${written}`]), 'f.txt');
      const { status, body, text } = await roost.inject({ method: 'POST', url: '/api/batch', token, body: form });
      if (status !== 200) throw new Error(text);
      files.push(body[1].body.id);
      written++;
      // What the backup names must stay, also when its record is deleted meanwhile.
      const victim = files.length > 3 && written % 2 ? files.shift() : undefined;
      if (victim) await roost.inject({ method: 'DELETE', url: `/api/collections/right/records/${victim}`, token });
    }
  })();
  await expect.poll(() => written).toBeGreaterThan(5);
  const before = written;
  await make('a.zip');
  const after = written;
  isDone = true;
  await writer;
  expect(after).toBeGreaterThan(before);

  const copy = mkdtempSync(join(tmpdir(), 'roost-copy-'));
  try {
    const entries = await entriesOf(backup('a.zip'));
    writeFileSync(join(copy, 'data.db'), entries.get('data.db')!);
    await roost.app.get(DatabaseCheck, { strict: false }).require(join(copy, 'data.db'));
    const database = new Sqlite(join(copy, 'data.db'), { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const numbers = database.prepare('SELECT n FROM "left" ORDER BY n').pluck().all() as number[];
    // Every transaction up to one of them, and nothing of the later ones.
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(numbers.length).toBeGreaterThanOrEqual(before);
    expect(numbers.length).toBeLessThanOrEqual(after + 1);
    const rows = database.prepare('SELECT id, n, file FROM "right"').all() as { id: string; n: number; file: string }[];
    expect(Math.max(...rows.map(({ n }) => n))).toBe(numbers.length - 1);
    for (const { id, n, file } of rows) {
      const key = [...entries.keys()].find((name) => name.endsWith(`/${id}/${file}`));
      expect(entries.get(key ?? '')?.toString()).toBe(`file ${n}`);
    }
    database.close();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
