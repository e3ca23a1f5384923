import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AfterRecordCreate,
  AfterRecordCreateFailed,
  BeforeRecordCreate,
  type RecordCreateEvent,
} from '../../src/records/record.hooks.js';
import { RecordsModule } from '../../src/records/records.module.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let records: RecordsService;
const hooked: string[] = [];

/** Keeps the event loop, so that no timer fires. */
function keepBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

@Injectable()
class CountingHooks {
  constructor(private readonly records: RecordsService) {}

  @BeforeRecordCreate('posts')
  async before({ record }: RecordCreateEvent): Promise<void> {
    if (record.get('title') === 'busy') keepBusy(1_100);
    if (record.get('title') === 'slow') {
      hooked.push('slow began');
      await sleep(1_500);
      hooked.push('slow ended');
    }
    if (record.get('title') === 'crash') throw new TypeError('Internal.');
    if (record.get('title') === 'tries') await this.tryInVain();
  }

  @AfterRecordCreate()
  after({ record }: RecordCreateEvent): void {
    hooked.push(`after ${String(record.get('title'))}`);
  }

  @AfterRecordCreateFailed()
  failed({ record }: RecordCreateEvent): void {
    hooked.push(`failed ${String(record.get('title'))}`);
  }

  private async tryInVain(): Promise<void> {
    const attempt = this.records.transaction(async () => {
      await this.records.create('posts', { title: 'attempt' });
      throw new Error('Given up.');
    });
    await attempt.catch(() => undefined);
  }
}

@Module({ imports: [RecordsModule], providers: [CountingHooks] })
class CountingModule {}

const path = '/api/collections/posts/records';
const create = (body: object) => ({ method: 'POST', url: path, body });
const batch = (requests: readonly unknown[]) => roost.inject({ url: '/api/batch', body: { requests } });
const settings = (change: object) => roost.app.get(SettingsService, { strict: false }).patch({ batch: change });

/** Names of all files below the storage of the application, sidecars left out. */
function storedFiles(): string[] {
  const dir = join(roost.dir, 'storage');
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.attrs'))
    .map((entry) => entry.name)
    .sort();
}

function form(requests: readonly unknown[], files: Record<string, string>): FormData {
  const body = new FormData();
  for (const [key, content] of Object.entries(files)) body.append(key, new Blob([content]), `${content}.txt`);
  body.append('@jsonPayload', JSON.stringify({ requests }));
  return body;
}

beforeAll(async () => {
  roost = await startRoost({ imports: [CountingModule] });
  records = roost.app.get(RecordsService, { strict: false });
  const open = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };
  await roost.createCollections({
    id: 'posts_id_000001',
    name: 'posts',
    type: 'base',
    ...open,
    fields: [
      { name: 'title', type: 'text', required: true },
      { name: 'cover', type: 'file', maxSelect: 1, maxSize: 100 },
      { name: 'docs', type: 'file', maxSelect: 5 },
      { name: 'parent', type: 'relation', collectionId: 'posts_id_000001', cascadeDelete: true },
    ],
  });
});
afterAll(() => roost.close());
beforeEach(async () => {
  hooked.length = 0;
  await settings({ enabled: true, maxRequests: 200, timeout: 3, maxBodySize: 0 });
});

describe('a batch that fails', () => {
  it('BAT-13 RT-50 EXT-31 leaves no record, cascade, event or After hook of itself', async () => {
    const parent = await records.create('posts', { title: 'parent' });
    const child = await records.create('posts', { title: 'child', parent: parent.id });
    hooked.length = 0;
    const listener = await Listener.to(roost, ['posts/*']);
    const before = await records.count('posts');
    const answer = await batch([
      create({ title: 'new' }),
      { method: 'PATCH', url: `${path}/${child.id}`, body: { title: 'changed' } },
      { method: 'DELETE', url: `${path}/${parent.id}` },
      create({}),
    ]);
    expect(answer.body.data.requests).toHaveProperty('3');
    expect(await records.count('posts')).toBe(before);
    expect((await records.findOne('posts', child.id)).get('title')).toBe('child');
    expect(await listener.settle()).toEqual([]);
    expect(hooked.sort()).toEqual(['failed ', 'failed new']);
    listener.close();
  });

  it('BAT-13 RT-51 RT-80 sends the events of a successful one after the commit, in the order of its items', async () => {
    const listener = await Listener.to(roost, ['posts/*']);
    const id = 'orderedbatch001';
    const answer = await batch([
      create({ id, title: 'a' }),
      { method: 'PATCH', url: `${path}/${id}`, body: { title: 'b' } },
      { method: 'PUT', url: path, body: { id, title: 'c' } },
      { method: 'PUT', url: path, body: { id: 'orderedbatch002', title: 'd' } },
      { method: 'DELETE', url: `${path}/${id}` },
    ]);
    expect(answer.status).toBe(200);
    expect((await listener.settle()).map(({ action, record }) => `${action} ${record.title}`)).toEqual([
      'create a',
      'update b',
      'update c',
      'create d',
      'delete c',
    ]);
    expect(hooked).toEqual(['after a', 'after d']);
    listener.close();
  });

  it('BAT-4 FS-5 BODY-7 stores files under both forms of their names, and ignores those of nobody', async () => {
    const files = {
      'requests.0.cover': 'one',
      'requests[1].docs': 'two',
      'requests.1.docs+': 'three',
      'requests.7.cover': 'four',
      'requests.0.title': 'five',
      'requests.0.nothing': 'six',
      cover: 'seven',
    };
    const answer = await roost.inject({
      url: '/api/batch',
      body: form([create({ title: 'a' }), create({ title: 'b' })], files),
    });
    expect(answer.status).toBe(200);
    const [first, second] = answer.body.map(({ body }: { body: unknown }) => body);
    expect(first).toMatchObject({ title: 'a', cover: expect.stringMatching(/^one_\w{10}\.txt$/) });
    expect(second.docs).toEqual([expect.stringMatching(/^two_/), expect.stringMatching(/^three_/)]);
    expect(storedFiles()).toEqual([first.cover, ...second.docs].sort());
    const kept = await roost.inject({
      url: '/api/batch',
      body: form([{ method: 'PATCH', url: `${path}/${second.id}`, body: { docs: [second.docs[1]] } }], {
        'requests.0.docs': 'eight',
      }),
    });
    expect(kept.body[0].body.docs).toEqual([second.docs[1], expect.stringMatching(/^eight_/)]);
    await expect.poll(storedFiles).toEqual([first.cover, ...kept.body[0].body.docs].sort());
  });

  it('BAT-13 FILE-1 leaves no file of itself, and no temporary one either', async () => {
    const before = storedFiles();
    const items = [create({ title: 'a' }), create({ title: 'b' }), create({})];
    const answer = await roost.inject({
      url: '/api/batch',
      body: form(items, { 'requests.0.cover': 'one', 'requests.1.docs': 'two' }),
    });
    expect(answer.body.data.requests).toHaveProperty('2');
    const tooLarge = await roost.inject({
      url: '/api/batch',
      body: form(items.slice(0, 2), { 'requests.0.docs': 'fine', 'requests.1.cover': 'x'.repeat(101) }),
    });
    expect(tooLarge.body.data.requests[1].response.data.cover.code).toBe('validation_file_size_limit');
    expect(storedFiles()).toEqual(before);
    const temp = join(roost.dir, '.temp');
    await expect.poll(() => (existsSync(temp) ? readdirSync(temp) : [])).toEqual([]);
  });

  it('BAT-11 tells nothing of an unexpected failure and undoes everything', async () => {
    const before = await records.count('posts');
    const answer = await batch([create({ title: 'a' }), create({ title: 'crash' })]);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('Internal');
    expect(await records.count('posts')).toBe(before);
  });
});

describe('a hook inside a batch', () => {
  it('TX-1 BAT-7 undoes what it tried in a transaction of its own, and nothing else', async () => {
    const answer = await batch([create({ title: 'first' }), create({ title: 'tries' }), create({ title: 'last' })]);
    expect(answer.status).toBe(200);
    const { items } = await records.find('posts', { filter: 'title = "attempt"' });
    expect(items).toEqual([]);
    for (const { body } of answer.body) expect((await records.findOne('posts', body.id)).id).toBe(body.id);
    expect(hooked).toEqual(['failed attempt', 'after first', 'after tries', 'after last']);
  });
});

describe('ids that a batch makes up', () => {
  it('COL-62 ERR-2 are refused where somebody has them', async () => {
    const id = { name: 'id', type: 'text', system: true, primaryKey: true, required: true, min: 15, max: 15 };
    await roost.createCollections({
      name: 'singles',
      type: 'base',
      createRule: '',
      fields: [{ ...id, pattern: '^[a-z0-9]+$', autogeneratePattern: 'a{15}' }],
    });
    const single = { method: 'POST', url: '/api/collections/singles/records', body: {} };
    const { status, body } = await batch([single, single]);
    const { data } = body.data.requests[1].response;
    expect([status, data.id.code]).toEqual([400, 'validation_not_unique']);
    expect(await records.count('singles')).toBe(0);
  });
});

describe('the time of a batch', () => {
  it('BAT-12 ends with 408 and nothing is stored, also when an item takes long', async () => {
    await settings({ timeout: 1 });
    const before = await records.count('posts');
    const files = storedFiles();
    const body = form([create({ title: 'a' }), create({ title: 'slow' }), create({ title: 'c' })], {
      'requests.0.cover': 'late',
    });
    const answer = await roost.inject({ url: '/api/batch', body });
    expect(answer.body).toEqual({ code: 408, message: expect.any(String), data: {} });
    expect(hooked).not.toContain('slow ended');
    expect(hooked.filter((text) => text.startsWith('after'))).toEqual([]);
    await sleep(1_000);
    expect(await records.count('posts')).toBe(before);
    expect(storedFiles()).toEqual(files);
    expect((await batch([create({ title: 'next' })])).status).toBe(200);
  });

  it('BAT-12 nothing is stored after the deadline, also when the last item has let nobody notice it', async () => {
    await settings({ timeout: 1 });
    const before = await records.count('posts');
    const answer = await batch([create({ title: 'a' }), create({ title: 'busy' })]);
    expect(answer.body).toEqual({ code: 408, message: expect.any(String), data: {} });
    expect(await records.count('posts')).toBe(before);
  });

  it('BAT-12 does not count the time in which others write', async () => {
    await settings({ timeout: 1 });
    const other = records.transaction(() => sleep(1_300));
    const answer = await batch([create({ title: 'patient' })]);
    await other;
    expect(answer.status).toBe(200);
  });

  it('BAT-12 is given up when the client goes away', async () => {
    const before = await records.count('posts');
    const payload = JSON.stringify({ requests: [create({ title: 'left' }), create({ title: 'slow' })] });
    const { port } = new URL(await roost.listen());
    const call = request({ port, host: '127.0.0.1', path: '/api/batch', method: 'POST' });
    call.on('error', () => {});
    call.setHeader('content-type', 'application/json').end(payload);
    await expect.poll(() => hooked).toContain('slow began');
    call.destroy();
    await expect.poll(() => hooked).toContain('slow ended');
    // A transaction that is still open ends before this one begins.
    await records.transaction(() => Promise.resolve());
    expect(await records.count('posts')).toBe(before);
    expect(hooked.filter((text) => text.startsWith('after'))).toEqual([]);
  });

  it('SCALE-1 BAT-7 lets others read what was committed meanwhile', async () => {
    const ended: string[] = [];
    const slow = batch([create({ title: 'hidden' }), create({ title: 'slow' })]).then(() => ended.push('batch'));
    await sleep(100);
    const list = await roost.inject({ url: `${path}?filter=title='hidden'` });
    ended.push('list');
    expect(list.body.items).toEqual([]);
    await slow;
    expect(ended).toEqual(['list', 'batch']);
    expect((await roost.inject({ url: `${path}?filter=title='hidden'` })).body.items).toHaveLength(1);
  });
});
