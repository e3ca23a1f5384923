import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { FilesService } from '../../src/files/files.service.js';
import { BeforeRecordCreate, BeforeRecordUpdate, type RecordCreateEvent } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, sendFiles, textFile } from './file-collections.js';

/** Leaves something behind in the transaction that only its commit finds fault with. */
@Injectable()
class Debts {
  constructor(private readonly database: Database) {}

  @BeforeRecordCreate('albums')
  @BeforeRecordUpdate('albums')
  async owe({ record }: RecordCreateEvent): Promise<void> {
    if (record.get('title') === 'does not commit') await write(this.database, 'INSERT INTO debts VALUES (1)');
  }
}

const write = (database: Database, sql: string) => database.run({ sql, params: [], writes: ['debts'] });
const file = (name: string, options: object = {}) => ({ name, type: 'file', ...options });

let roost: TestRoost;
let superuser: string;
let database: Database;
let before: string[];

beforeAll(async () => {
  roost = await startRoost({ imports: [{ module: class DebtsModule {}, providers: [Debts] }] });
  superuser = await roost.createSuperuser();
  await roost.createCollections(
    {
      id: 'albums_00000001',
      name: 'albums',
      type: 'base',
      viewRule: '',
      createRule: '',
      updateRule: '',
      deleteRule: '',
      fields: [{ name: 'title', type: 'text' }, file('cover'), file('pages', { maxSelect: 5 })],
      indexes: ['CREATE UNIQUE INDEX idx_albums_title ON albums (title)'],
    },
    {
      name: 'photos',
      type: 'base',
      createRule: '',
      fields: [
        { name: 'album', type: 'relation', collectionId: 'albums_00000001', cascadeDelete: true },
        file('picture'),
      ],
    },
  );
  database = roost.app.get(Database, { strict: false });
  await write(database, 'CREATE TABLE creditors (id INTEGER PRIMARY KEY)');
  await write(database, 'CREATE TABLE debts (owed REFERENCES creditors (id) DEFERRABLE INITIALLY DEFERRED)');
  await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: { batch: { enabled: true } } });
});

afterAll(() => roost?.close());
afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  before = await stored();
});

/** Files below the storage, without sidecars. */
async function stored(): Promise<string[]> {
  const root = join(roost.dir, 'storage');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.attrs'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** Everything that is to be deleted has been, and nothing of the requests is left. */
async function settled(): Promise<string[]> {
  await roost.app.get(FileRemovals, { strict: false }).idle();
  const temporary = () => readdir(join(roost.dir, '.temp'));
  const deadline = Date.now() + 2_000;
  while ((await temporary()).length > 0 && Date.now() < deadline) await new Promise((ready) => setTimeout(ready, 5));
  expect(await temporary()).toEqual([]);
  return stored();
}

const albums = '/api/collections/albums/records';
const covers = (title: string) => ({ title, cover: textFile('c.txt'), pages: [textFile('1.txt'), textFile('2.txt')] });

describe('new files are gone again', () => {
  it('FS-34 when the database refuses the record', async () => {
    await createWithFiles(roost, 'albums', { title: 'taken' });
    const refused = await sendFiles(roost, 'POST', albums, covers('taken'));
    expect([refused.status, refused.body.data.title.code]).toEqual([400, 'validation_not_unique']);
    const other = await createWithFiles(roost, 'albums', { title: 'other', cover: textFile('kept.txt') });
    const kept = await stored();
    expect((await sendFiles(roost, 'PATCH', `${albums}/${other.id}`, covers('taken'))).status).toBe(400);
    expect(await settled()).toEqual(kept);
    expect((await roost.inject({ url: `/api/files/albums/${other.id}/${other.cover}` })).status).toBe(200);
  });

  it('FS-34 when the transaction cannot be committed', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const created = await sendFiles(roost, 'POST', albums, covers('does not commit'));
    expect(created.status).toBe(500);
    expect(await settled()).toEqual(before);
    const present = await createWithFiles(roost, 'albums', { title: 'commits', cover: textFile('kept.txt') });
    const kept = await stored();
    const changed = await sendFiles(roost, 'PATCH', `${albums}/${present.id}`, covers('does not commit'));
    expect(changed.status).toBe(500);
    expect(await settled()).toEqual(kept);
    const { body } = await roost.inject({ url: `${albums}/${present.id}` });
    expect(body).toMatchObject({ title: 'commits', cover: present.cover, pages: [] });
  });

  it('FS-34 when the transaction of a module is rolled back', async () => {
    const records = roost.app.get(RecordsService, { strict: false });
    const upload = await roost.app.get(FilesService, { strict: false }).write(Buffer.from('content'), 'a.txt');
    const files = new Map([['cover', [upload]]]);
    const work = database.transaction(async () => {
      const record = await records.create('albums', { title: 'by a module' }, { files });
      expect(await stored()).toHaveLength(before.length + 1);
      throw new Error(`Not ${record.id} after all.`);
    });
    await expect(work).rejects.toThrow('after all');
    expect(await settled()).toEqual(before);
  });
});

describe('a deletion', () => {
  it('FS-36 that cascades takes the files of every record along', async () => {
    const album = await createWithFiles(roost, 'albums', { title: 'to go', cover: textFile('c.txt') });
    const stays = await createWithFiles(roost, 'albums', { title: 'to stay' });
    for (let index = 0; index < 3; index++) {
      await createWithFiles(roost, 'photos', { album: album.id, picture: textFile(`${index}.txt`) });
    }
    const other = await createWithFiles(roost, 'photos', { album: stays.id, picture: textFile('other.txt') });
    expect((await roost.inject({ method: 'DELETE', url: `${albums}/${album.id}` })).status).toBe(204);
    expect(await settled()).toEqual([...before, `${other.collectionId}/${other.id}/${other.picture}`].sort());
  });

  it('FS-34 FS-36 that is taken back leaves every file, also of what it cascaded to', async () => {
    const album = await createWithFiles(roost, 'albums', { title: 'nearly gone', cover: textFile('c.txt') });
    await createWithFiles(roost, 'photos', { album: album.id, picture: textFile('p.txt') });
    const all = await stored();
    const requests = [
      { method: 'DELETE', url: `${albums}/${album.id}` },
      { method: 'DELETE', url: `${albums}/nobody000000000` },
    ];
    expect((await roost.inject({ method: 'POST', url: '/api/batch', body: { requests } })).status).toBe(400);
    expect(await settled()).toEqual(all);
  });
});
