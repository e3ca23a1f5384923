import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BeforeRealtimeMessage, type RealtimeMessageEvent } from '../../src/realtime/realtime.hooks.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { EnrichRecord, type EnrichRecordEvent } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SseHub } from '../../src/sse/sse-hub.js';
import { sseMessage } from '../../src/sse/sse-message.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { watchJson } from '../support/watch-json.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;
let realtime: RealtimeService;

@Injectable()
class MessageHooks {
  @EnrichRecord('enriched')
  enrich({ record, caller, output }: EnrichRecordEvent): void {
    if (record.get('title') === 'broken' && caller.isGuest) throw new Error('Not for guests.');
    output['seenBy'] = caller.auth?.id ?? 'guest';
  }

  @BeforeRealtimeMessage('hooked')
  change(event: RealtimeMessageEvent): void {
    const data = event.data as { record: { title: string } };
    if (data.record.title === 'drop') throw new Error('Dropped.');
    event.data = { ...data, for: event.client.id, topic: event.topic };
  }
}

@Module({ providers: [MessageHooks] })
class MessageModule {}

beforeAll(async () => {
  roost = await startRoost({ imports: [MessageModule] });
  records = roost.app.get(RecordsService, { strict: false });
  realtime = roost.app.get(RealtimeService, { strict: false });
  const fields = [{ name: 'title', type: 'text' }];
  await roost.createCollections(
    ...['enriched', 'hooked', 'posts'].map((name) => ({ name, type: 'base', listRule: '', fields })),
    { name: 'articles', type: 'base', listRule: '', fields: [{ name: 'html', type: 'editor' }] },
    { name: 'members', type: 'auth', fields: [] },
  );
});
afterAll(() => roost.close());

const listen = (topics: readonly string[], token?: string) => Listener.to(roost, topics, token);

const lines = (listener: Listener) =>
  listener.reader.events
    .filter(({ event }) => !event.startsWith('marker'))
    .map(({ event, data }) => `${event} ${data}`);

describe('messages of the application', () => {
  it('RT-90 go to everybody whose path or whole topic it is, under their own topic', async () => {
    const [one, two] = [await listen(['news', 'news?x=1', 'other']), await listen(['news?x=2'])];
    realtime.publish('news', { a: [1, 'ü'] });
    realtime.publish('news?x=2', 'a text as it is');
    realtime.publish('nobody', {});
    await one.settle();
    await two.settle();
    expect(lines(one)).toEqual(['news {"a":[1,"ü"]}', 'news?x=1 {"a":[1,"ü"]}']);
    expect(lines(two)).toEqual(['news?x=2 {"a":[1,"ü"]}', 'news?x=2 a text as it is']);
  });

  it('RT-70 RT-90 are one line for clients that break lines at the separators of Unicode too', async () => {
    const one = await listen(['news', 'posts/*?fields=title']);
    const title = 'a\u0085b\u2028c\u2029d';
    realtime.publish('news', { title });
    await records.create('posts', { title });
    await one.settle();
    expect(lines(one)).toEqual([
      String.raw`news {"title":"a\u0085b\u2028c\u2029d"}`,
      String.raw`posts/*?fields=title {"action":"create","record":{"title":"a\u0085b\u2028c\u2029d"}}`,
    ]);
  });

  it('OPS-39 RT-70 are written in pieces where they are long, and still one line', async () => {
    const one = await listen(['articles/*?fields=html']);
    const html = '\u0085\u0001\u2028'.repeat(250_000);
    const longest = watchJson();
    await records.create('articles', { html });
    await one.settle();
    expect(longest()).toBeLessThan(1_000_000);
    vi.restoreAllMocks();
    const [line] = lines(one);
    expect(line).not.toMatch(/[\u0085\u2028]/);
    expect(JSON.parse(line!.slice(line!.indexOf('{')))).toEqual({ action: 'create', record: { html } });
  });

  it('RT-90 can go to one client, which shows who it is', async () => {
    const { id } = await records.create('members', { email: 'a@example.com', password: '1234567890' });
    const token = await roost.signIn('members', 'a@example.com');
    const [one, two] = [await listen(['news'], token), await listen(['news'])];
    const client = realtime.clients.find((each) => each.id === one.id)!;
    expect(client.auth?.id).toBe(id);
    expect(client.ip).toBe('127.0.0.1');
    expect([...client.topics]).toEqual(['news']);
    client.send('news', { only: 'you' });
    await one.settle();
    await two.settle();
    expect(lines(one)).toEqual(['news {"only":"you"}']);
    expect(lines(two)).toEqual([]);
  });

  it('RT-91 come beside those of a record under the same topic; reserved names and line breaks are refused', async () => {
    const listener = await listen(['posts/*']);
    await records.create('posts', { title: 'x' });
    realtime.publish('posts/*', { mine: true });
    await listener.settle();
    expect(listener.reader.events).toHaveLength(2 + 1);
    for (const topic of ['@oauth2', '@x', 'SVC_CONNECT', 'PB_X', '', 'a\nb', 'a\rb']) {
      expect(() => realtime.publish(topic, {})).toThrow();
    }
    expect(() => realtime.publish('news', 'two\nlines')).toThrow();
    expect(() => realtime.publish('news', 'two\rlines')).toThrow();
  });

  it('RT-92 connect topics are accepted and get nothing', async () => {
    const listener = await listen(['PB_CONNECT', 'SVC_CONNECT']);
    expect(await listener.settle()).toEqual([]);
  });

  it('RT-93 RT-94 RT-95 a guest may listen to @oauth2, which can be taken away alone and gets no records', async () => {
    const listener = await listen(['@oauth2', 'news']);
    const stream = roost.app.get(SseHub, { strict: false }).find(listener.id)!;
    expect(stream.topics.has('@oauth2')).toBe(true);
    stream.send(sseMessage('@oauth2', '{"state":"s","code":"c"}'));
    stream.unsubscribe('@oauth2');
    realtime.publish('news', {});
    await listener.settle();
    expect(lines(listener)).toEqual(['@oauth2 {"state":"s","code":"c"}', 'news {}']);
    expect((await listener.subscribe(['@oauth2'])).status).toBe(204);
    expect(stream.topics.has('@oauth2')).toBe(true);
  });
});

describe('hooks', () => {
  it('RT-71 EnrichRecord shows the record to each account in its own way', async () => {
    await records.create('members', { email: 'b@example.com', password: '1234567890' });
    const token = await roost.signIn('members', 'b@example.com');
    const all = [await listen(['enriched/*']), await listen(['enriched/*'], token)];
    await records.create('enriched', { title: 'x' });
    const seen = await Promise.all(all.map(async (listener) => (await listener.settle())[0]!.record.seenBy));
    expect(seen).toEqual(['guest', realtime.clients.find(({ id }) => id === all[1]!.id)!.auth!.id]);
  });

  it('RT-66 one that throws loses that message only', async () => {
    const token = await roost.createSuperuser('boss@example.com');
    const [guest, boss] = [await listen(['enriched/*', 'hooked/*']), await listen(['enriched/*'], token)];
    await records.create('enriched', { title: 'broken' });
    await records.create('enriched', { title: 'fine' });
    await records.create('hooked', { title: 'drop' });
    await records.create('hooked', { title: 'keep' });
    expect((await guest.settle()).map(({ record }) => record.title)).toEqual(['fine', 'keep']);
    expect((await boss.settle()).map(({ record }) => record.title)).toEqual(['broken', 'fine']);
  });

  it('EXT-31 BeforeRealtimeMessage may change what one client gets', async () => {
    const all = [await listen(['hooked/*']), await listen(['hooked'])];
    await records.create('hooked', { title: 'x' });
    for (const listener of all) {
      const [message] = await listener.settle();
      expect(message).toMatchObject({ for: listener.id, action: 'create', record: { title: 'x' } });
    }
  });
});
