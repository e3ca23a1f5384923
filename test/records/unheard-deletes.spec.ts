import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OnEvent } from '../../src/events/on-event.decorator.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { BeforeRealtimeConnect } from '../../src/realtime/realtime.hooks.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import {
  AfterRecordDelete,
  AfterRecordDeleteFailed,
  BeforeRecordCreate,
  BeforeRecordDelete,
  BeforeRecordDeleteCommit,
  type RecordDeleteEvent,
} from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { gate } from '../support/gate.js';
import { CLUSTER } from '../support/postgres-databases.js';
import { startRoost } from '../support/roost.js';

/** Where the records that go along are, by who hears of it. */
const HOOKED = ['before', 'observer', 'commit', 'after', 'failed'] as const;
const COLLECTIONS = ['posts', ...HOOKED];

@Injectable()
class Hooks {
  readonly heard: unknown[] = [];
  /** Streams that were asked for. */
  connects = 0;
  /** Called in the transaction when a `pauses` record is created. */
  pause = (): Promise<void> => Promise.resolve();

  @BeforeRecordDelete('before')
  @BeforeRecordDelete('observer', { observes: true })
  @BeforeRecordDeleteCommit('commit')
  @AfterRecordDelete('after')
  @AfterRecordDeleteFailed('failed')
  hear({ record }: RecordDeleteEvent): void {
    this.heard.push(record.get('title'));
  }

  @BeforeRealtimeConnect()
  count(): void {
    this.connects++;
  }

  @BeforeRecordCreate('pauses')
  hold(): Promise<void> {
    return this.pause();
  }
}

@Module({ providers: [Hooks] })
class HooksModule {}

@Injectable()
class Handler {
  readonly heard: unknown[] = [];

  @OnEvent(RecordChanged)
  hear({ record }: RecordChanged): void {
    if (record.collection.name === 'posts') this.heard.push(record.get('title'));
  }
}

@Module({ providers: [Handler] })
class HandlerModule {}

const shape = (messages: Awaited<ReturnType<Listener['settle']>>) =>
  messages.map(({ action, record }) => `${action} ${record.title}`);

/** Only where an index leads to them the records that go along need not be read. */
const indexOf = (collection: string) => [`CREATE INDEX idx_${collection}_author ON ${collection} (author)`];

async function createBlog(roost: TestRoost): Promise<void> {
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'body', type: 'editor' },
    { name: 'author', type: 'relation', collectionId: 'authors_id_0001', cascadeDelete: true },
  ];
  const open = { listRule: '', viewRule: '' };
  await roost.createCollections(
    { id: 'authors_id_0001', name: 'authors', type: 'base', fields: [{ name: 'name', type: 'text' }] },
    { name: 'pauses', type: 'base', fields: [] },
    {
      name: 'members',
      type: 'auth',
      indexes: indexOf('members'),
      fields: [{ name: 'author', type: 'relation', collectionId: 'authors_id_0001', cascadeDelete: true }],
    },
    ...COLLECTIONS.map((name) => ({ name, type: 'base', ...open, fields, indexes: indexOf(name) })),
    {
      name: 'pictures',
      type: 'base',
      indexes: indexOf('pictures'),
      fields: [
        { name: 'file', type: 'file' },
        { name: 'author', type: 'relation', collectionId: 'authors_id_0001', cascadeDelete: true },
      ],
    },
  );
}

describe('records that go along with one that is deleted', () => {
  let roost: TestRoost;
  let records: RecordsService;
  let hooks: Hooks;

  beforeAll(async () => {
    roost = await startRoost({ imports: [HooksModule] });
    records = roost.app.get(RecordsService, { strict: false });
    hooks = roost.app.get(Hooks);
    await createBlog(roost);
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await expect.poll(openStreams).toBe(0);
    for (const { id } of (await records.find('posts', { perPage: 100 })).items) await records.delete('posts', id);
    hooks.heard.length = 0;
    hooks.connects = 0;
  });

  /** An author with records in a collection; the author's id. */
  async function author(titles: readonly string[], { collection = 'posts', length = 1000 } = {}): Promise<string> {
    const { id } = await records.create('authors', { name: 'Ann' });
    await records.transaction(async () => {
      for (const title of titles) await records.create(collection, { title, body: 'x'.repeat(length), author: id });
    });
    return id;
  }

  /** Deletes an author in a transaction that goes on until `release` is called. */
  async function deleteSlowly(id: string, fails = false) {
    const [reached, released] = [gate(), gate()];
    onTestFinished(() => released.open());
    hooks.pause = async () => {
      reached.open();
      await released.opened;
      if (fails) throw new Error('no');
    };
    const deleted = records
      .transaction(async () => {
        await records.delete('authors', id);
        await records.create('pauses', {});
      })
      .catch((error: Error) => error);
    await reached.opened;
    return { deleted, release: () => released.open() };
  }

  /** Resolves when a stream was asked for, and what came after it was answered. */
  async function askedForStream(): Promise<void> {
    await expect.poll(() => hooks.connects).toBe(1);
    for (let request = 0; request < 5; request++) await fetch(`${await roost.listen()}/api/health`);
  }

  const openStreams = () => roost.app.get(RealtimeService, { strict: false }).clients.length;

  const count = async (collection: string) => (await records.find(collection)).totalItems;

  it.each(HOOKED.filter((name) => name !== 'failed'))('EXT-33 are seen by a hook: %s', async (name) => {
    await records.delete('authors', await author(['one', 'two'], { collection: name }));
    expect(await count(name)).toBe(0);
    await expect.poll(() => hooks.heard).toEqual(['one', 'two']);
  });

  it('EXT-33 are seen by a hook when it failed after all', async () => {
    const { deleted, release } = await deleteSlowly(await author(['one', 'two'], { collection: 'failed' }), true);
    release();
    expect(await deleted).toBeInstanceOf(Error);
    await expect.poll(() => hooks.heard).toEqual(['one', 'two']);
  });

  it('FILE-2 AUTH-610 take their files, and what belongs to accounts, where nobody hears of it', async () => {
    const id = await author([]);
    const file = new File(['a'], 'a.txt');
    const picture = await records.create('pictures', { author: id, file });
    const account = await records.create('members', { author: id, email: 'ann@x.io', password: 'long enough' });
    const owned = { collectionRef: account.collection.id, recordRef: account.id };
    await records.create('_externalAuths', { ...owned, provider: 'google', providerId: '1' });
    const folder = join(roost.dir, 'storage', picture.collection.id, picture.id);
    expect(existsSync(folder)).toBe(true);
    await records.delete('authors', id);
    expect([await count('pictures'), await count('members'), await count('_externalAuths')]).toEqual([0, 0, 0]);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });

  // On PostgreSQL nobody knows whether others listen, so that the records are read.
  it.skipIf(CLUSTER)(
    'RT-50 a client that reads once its stream is open misses none: it opens after the commit',
    async () => {
      const { deleted, release } = await deleteSlowly(await author(['one', 'two']));
      let isOpen = false;
      const connecting = Listener.connect(roost).finally(() => (isOpen = true));
      await askedForStream();
      expect([isOpen, await count('posts')]).toEqual([false, 2]);
      release();
      await deleted;
      const listener = await connecting;
      expect((await listener.subscribe(['posts/*'])).status).toBe(204);
      expect(await count('posts')).toBe(0);
      await records.delete('authors', await author(['three']));
      expect(shape(await listener.settle())).toEqual(['create three', 'delete three']);
    },
  );

  it('RT-50 a stream that waits opens after a rollback too', async () => {
    const { deleted, release } = await deleteSlowly(await author(['one', 'two']), true);
    const connecting = Listener.connect(roost);
    await askedForStream();
    release();
    expect(await deleted).toBeInstanceOf(Error);
    const listener = await connecting;
    expect(await listener.settle()).toEqual([]);
    expect(await count('posts')).toBe(2);
  });

  it.each([
    ['many', Array.from({ length: 2_001 }, (_, index) => `Post ${index}`), 10],
    ['long ones', ['one', 'two', 'three'], 1_000_000],
  ])('OPS-39 no stream waits for a delete that takes %s along', async (_kind, titles, length) => {
    const { deleted, release } = await deleteSlowly(await author(titles, { length }));
    const listener = await Listener.connect(roost);
    expect((await listener.subscribe(['posts/*'])).status).toBe(204);
    release();
    await deleted;
    expect(shape(await listener.settle())).toEqual(titles.map((title) => `delete ${title}`));
  });
});

describe('a handler of events', () => {
  it('EXT-33 hears of what goes along with a deleted record, with its values', async () => {
    const roost = await startRoost({ imports: [HandlerModule] });
    try {
      await createBlog(roost);
      const records = roost.app.get(RecordsService, { strict: false });
      const { id } = await records.create('authors', { name: 'Ann' });
      for (const title of ['one', 'two']) await records.create('posts', { title, author: id });
      const { heard } = roost.app.get(Handler);
      heard.length = 0;
      await records.delete('authors', id);
      expect(heard).toEqual(['one', 'two']);
    } finally {
      await roost.close();
    }
  });
});
