import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import PocketBase, { type RecordSubscription } from 'pocketbase';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { freePort } from '../support/free-port.js';
import { startRoost } from '../support/roost.js';

// The SDK expects it where browsers have it.
Object.assign(globalThis, { EventSource });

let dir: string;
let roost: TestRoost;
let records: RecordsService;
let pb: PocketBase;
let port: number;
const extra: PocketBase[] = [];

/** Starts on the directory and on the port of the time before. */
async function start(): Promise<void> {
  roost = await startRoost({ dir });
  records = roost.app.get(RecordsService, { strict: false });
  await roost.app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port });
}

function client(): PocketBase {
  const made = new PocketBase(`http://127.0.0.1:${port}`);
  made.autoCancellation(false);
  extra.push(made);
  return made;
}

/** A callback and what it was called with. */
function heard() {
  const events: RecordSubscription[] = [];
  const titles = () => events.map(({ action, record }) => `${action} ${String(record['title'])}`);
  return { events, titles, take: (event: RecordSubscription) => void events.push(event) };
}

const connected = () => roost.app.get(RealtimeService, { strict: false }).clients;

/** Long enough for an event that should not come to have come. */
async function settled(listening: PocketBase, collection = 'posts'): Promise<void> {
  const marker = heard();
  const stop = await listening.collection(collection).subscribe('*', marker.take);
  await records.create(collection, { title: 'marker' });
  await expect.poll(marker.titles).toContain('create marker');
  await stop();
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-sdk-'));
  port = await freePort();
  await start();
  const title = { name: 'title', type: 'text' };
  await roost.createCollections(
    {
      id: 'authors_id_0001',
      name: 'authors',
      type: 'auth',
      listRule: '',
      viewRule: '',
      fields: [{ name: 'nick', type: 'text' }],
    },
    {
      name: 'posts',
      type: 'base',
      listRule: "title != 'hidden' || @request.headers.x_key = 'open' || @request.auth.nick = 'ann'",
      viewRule: '',
      fields: [
        title,
        { name: 'views', type: 'number' },
        { name: 'author', type: 'relation', collectionId: 'authors_id_0001' },
      ],
    },
  );
  await records.create('authors', { email: 'ann@example.com', password: '1234567890', nick: 'ann' });
});
afterAll(async () => {
  await roost.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  pb = client();
});
afterEach(async () => {
  for (const each of extra.splice(0)) await each.realtime.unsubscribe();
});

describe('RT-99 the official SDK', () => {
  it('subscribes to all records and to one', async () => {
    const { id } = await records.create('posts', { title: 'one' });
    const [all, one] = [heard(), heard()];
    await pb.collection('posts').subscribe('*', all.take);
    await pb.collection('posts').subscribe(id, one.take);
    await records.update('posts', id, { title: 'changed' });
    await records.create('posts', { title: 'other' });
    await records.delete('posts', id);
    await expect.poll(all.titles).toEqual(['update changed', 'create other', 'delete changed']);
    expect(one.titles()).toEqual(['update changed', 'delete changed']);
  });

  it('RT-44 subscribes with filter, expand, fields, headers and other query parameters', async () => {
    const author = (await records.find('authors')).items[0]!;
    const [filtered, expanded, picked, keyed] = [heard(), heard(), heard(), heard()];
    const posts = pb.collection('posts');
    await posts.subscribe('*', filtered.take, { filter: "title = 'x' && views > 1" });
    await posts.subscribe('*', expanded.take, { expand: 'author' });
    await posts.subscribe('*', picked.take, { fields: 'id,title' });
    await posts.subscribe('*', keyed.take, { headers: { 'X-Key': 'open' }, query: { any: 'thing' } });
    await records.create('posts', { title: 'x', views: 2, author: author.id });
    await records.create('posts', { title: 'y', views: 2 });
    await records.create('posts', { title: 'hidden' });
    await expect.poll(keyed.titles).toEqual(['create x', 'create y', 'create hidden']);
    expect(filtered.titles()).toEqual(['create x']);
    expect(expanded.events[0]!.record['expand']).toMatchObject({ author: { id: author.id, nick: 'ann' } });
    expect(Object.keys(picked.events[0]!.record)).toEqual(['id', 'title']);
    expect(picked.titles()).toEqual(['create x', 'create y']);
  });

  it('unsubscribes one listener, a topic, a prefix and everything', async () => {
    const [first, second, other] = [heard(), heard(), heard()];
    const posts = pb.collection('posts');
    const { id } = await records.create('posts', { title: 'start' });
    const stop = await posts.subscribe('*', first.take);
    await posts.subscribe('*', second.take);
    await pb.collection('posts').subscribe(id, other.take);
    await records.update('posts', id, { title: 'a' });
    await expect.poll(other.titles).toEqual(['update a']);
    await stop();
    await records.update('posts', id, { title: 'b' });
    await expect.poll(other.titles).toEqual(['update a', 'update b']);
    expect(first.titles()).toEqual(['update a']);
    expect(second.titles()).toEqual(['update a', 'update b']);
    await posts.unsubscribe('*');
    await records.update('posts', id, { title: 'c' });
    await expect.poll(other.titles).toHaveLength(3);
    expect(second.titles()).toHaveLength(2);
    await posts.subscribe('*', second.take);
    await pb.realtime.unsubscribeByPrefix('posts');
    expect(pb.realtime.isConnected).toBe(false);
    await expect.poll(() => connected().length).toBe(0);
    await posts.subscribe('*', second.take);
    await posts.unsubscribe();
    await records.update('posts', id, { title: 'd' });
    expect(second.titles()).toHaveLength(2);
    expect(other.titles()).toHaveLength(3);
  });

  it('unsubscribes by prefix and keeps the rest', async () => {
    const [first, second, other] = [heard(), heard(), heard()];
    const { id } = await records.create('posts', { title: 'start' });
    await pb.collection('posts').subscribe('*', first.take);
    await pb.collection('posts').subscribe(id, second.take, { fields: 'title' });
    await pb.collection('authors').subscribe('*', other.take);
    await pb.realtime.unsubscribeByPrefix('posts');
    expect([...connected()[0]!.topics]).toEqual(['authors/*']);
    await records.update('posts', id, { title: 'unheard' });
    const author = (await records.find('authors')).items[0]!;
    await records.update('authors', author.id, { nick: 'ann' });
    await expect.poll(() => other.events.map(({ action }) => action)).toEqual(['update']);
    expect([...first.titles(), ...second.titles()]).toEqual([]);
    await pb.collection('posts').subscribe('*', first.take);
    await pb.realtime.unsubscribe();
    await expect.poll(() => connected().length).toBe(0);
    await records.update('posts', id, { title: 'unheard too' });
    expect(first.titles()).toEqual([]);
  });

  it('tells every listener of a topic once', async () => {
    const listeners = [heard(), heard(), heard()];
    for (const { take } of listeners) await pb.collection('posts').subscribe('*', take);
    expect(connected()[0]!.topics.size).toBe(1);
    await records.create('posts', { title: 'once' });
    await settled(pb);
    for (const { titles } of listeners) expect(titles()).toEqual(['create once', 'create marker']);
  });

  it('subscribes to one record with filter, expand and fields', async () => {
    const author = (await records.find('authors')).items[0]!;
    const { id } = await records.create('posts', { title: 'one', author: author.id });
    const seen = heard();
    await pb.collection('posts').subscribe(id, seen.take, {
      filter: 'views > 1',
      expand: 'author',
      fields: 'title,expand.author.nick',
    });
    await records.update('posts', id, { views: 1 });
    await records.update('posts', id, { views: 2 });
    await records.delete('posts', id);
    await expect.poll(() => seen.events).toHaveLength(2);
    const record = { title: 'one', expand: { author: { nick: 'ann' } } };
    expect(seen.events).toEqual([
      { action: 'update', record },
      { action: 'delete', record },
    ]);
  });

  it('RT-33 logs in after it connected', async () => {
    const seen = heard();
    await pb.collection('posts').subscribe('*', seen.take);
    await records.create('posts', { title: 'hidden' });
    await settled(pb);
    expect(seen.titles()).toEqual(['create marker']);
    pb.authStore.save(await roost.signIn('authors', 'ann@example.com'), null);
    await pb.collection('posts').subscribe('other', () => {});
    expect(connected()[0]!.auth?.get('nick')).toBe('ann');
    await records.create('posts', { title: 'hidden' });
    await expect.poll(seen.titles).toEqual(['create marker', 'create hidden']);
  });

  it('RT-3 calls listeners of PB_CONNECT, and knows its client id', async () => {
    const ids: string[] = [];
    await pb.realtime.subscribe('PB_CONNECT', (event: { clientId: string }) => void ids.push(event.clientId));
    await expect.poll(() => ids).toEqual([pb.realtime.clientId]);
    expect(connected().map(({ id }) => id)).toEqual(ids);
  });

  it('RT-18 reconnects and subscribes again when the server ends the stream', async () => {
    const seen = heard();
    await pb.collection('posts').subscribe('*', seen.take);
    const before = pb.realtime.clientId;
    roost.clock.advance(5 * 60_000);
    await expect
      .poll(() => connected().some(({ id, topics }) => id !== before && topics.has('posts/*')), { timeout: 10_000 })
      .toBe(true);
    await records.create('posts', { title: 'again' });
    await expect.poll(seen.titles).toEqual(['create again']);
    expect(pb.realtime.clientId).not.toBe(before);
    roost.clock.reset();
  });

  it('RT-18 RT-21 reconnects and subscribes again after the server was restarted', async () => {
    const seen = heard();
    await pb.collection('posts').subscribe('*', seen.take);
    await records.create('posts', { title: 'before' });
    await expect.poll(seen.titles).toEqual(['create before']);
    const before = pb.realtime.clientId;
    await roost.close();
    await sleep(300);
    await start();
    await expect.poll(() => connected().some(({ topics }) => topics.has('posts/*')), { timeout: 10_000 }).toBe(true);
    await records.create('posts', { title: 'after' });
    await expect.poll(seen.titles).toEqual(['create before', 'create after']);
    expect(pb.realtime.clientId).not.toBe(before);
  });

  it('RT-90 hears messages of the application', async () => {
    const seen: unknown[] = [];
    await pb.realtime.subscribe('news', (data: unknown) => void seen.push(data));
    roost.app.get(RealtimeService, { strict: false }).publish('news', { hello: ['world'] });
    await expect.poll(() => seen).toEqual([{ hello: ['world'] }]);
  });
});
