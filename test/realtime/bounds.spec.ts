import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import { DeliveryWriter } from '../../src/realtime/delivery-writer.js';
import { PendingDeleteEvents } from '../../src/realtime/pending-delete-events.js';
import { SubscriptionLimits } from '../../src/realtime/subscription-limits.js';
import { AnswerLimits } from '../../src/records/read/answer-limits.js';
import { RecordPresenter } from '../../src/records/read/record-presenter.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;

beforeAll(async () => {
  roost = await startRoost();
  records = roost.app.get(RecordsService, { strict: false });
  const title = { name: 'title', type: 'text' };
  await roost.createCollections(
    { id: 'topics_id_00001', name: 'topics', type: 'base', listRule: '', viewRule: '', fields: [title] },
    {
      name: 'notes',
      type: 'base',
      listRule: '',
      viewRule: '',
      fields: [title, { name: 'topic', type: 'relation', collectionId: 'topics_id_00001' }],
    },
    {
      name: 'readers',
      type: 'auth',
      fields: [],
    },
  );
});
afterAll(() => roost.close());

const limits = () => roost.app.get(SubscriptionLimits, { strict: false });

async function lowered(change: Partial<SubscriptionLimits>, work: () => Promise<void>): Promise<void> {
  const before = { ...limits() };
  Object.assign(limits(), change);
  await work().finally(() => Object.assign(limits(), before));
}

describe('what streams may take', () => {
  it('RT-84a bounds the topics of one stream by their bytes', async () => {
    const listener = await Listener.to(roost, ['notes/*']);
    const topic = (index: number) => `notes/*?filter=title != '${'ä'.repeat(1000)}${index}'`;
    const topics = Array.from({ length: 1000 }, (_, index) => topic(index));
    expect((await listener.subscribe(topics.slice(0, 20))).status).toBe(204);
    const sized = Buffer.byteLength(topic(10)) * 2;
    await lowered({ bytesPerStream: sized, bytesPerTopic: 0 }, async () => {
      expect((await listener.subscribe([topic(10), topic(11)])).status).toBe(204);
      const refused = await listener.subscribe([topic(10), topic(11), 'a']);
      expect([refused.status, refused.body.data]).toEqual([429, {}]);
    });
    // A refused request changes nothing (RT-27).
    await records.create('notes', { title: 'x' });
    expect((await listener.settle()).map((message) => message.topic)).toEqual([topic(10), topic(11)]);
  });

  it('RT-84a bounds the topics of all streams, and gives room back with them', async () => {
    const first = await Listener.to(roost, []);
    const second = await Listener.to(roost, []);
    await lowered({ bytes: 1000, bytesPerTopic: 0 }, async () => {
      const topics = (length: number) => ['x'.repeat(length)];
      expect((await first.subscribe(topics(600))).status).toBe(204);
      const refused = await second.subscribe(topics(600));
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
      expect((await first.subscribe(topics(300))).status).toBe(204);
      expect((await second.subscribe(topics(600))).status).toBe(204);
      first.close();
      await expect.poll(async () => (await second.subscribe(topics(1000))).status).toBe(204);
    });
  });

  it('RT-84a OPS-39 counts what a topic takes besides its text', async () => {
    const listener = await Listener.to(roost, []);
    await lowered({ bytes: 1000 }, async () => {
      expect((await listener.subscribe(['a', 'b'])).status).toBe(429);
      expect((await listener.subscribe(['a'])).status).toBe(204);
    });
  });

  it('RT-84a OPS-5 bounds the streams of an address and of an account where the settings say so', async () => {
    const settings = roost.app.get(SettingsService, { strict: false });
    const token = await roost.createSuperuser('streams@example.com');
    const url = '/api/settings';
    const bad = await roost.inject({ method: 'PATCH', url, token, body: { realtime: { maxStreamsPerIP: -1 } } });
    expect([bad.status, Object.keys(bad.body.data.realtime)]).toEqual([400, ['maxStreamsPerIP']]);
    expect((await roost.inject({ url, token })).body.realtime).toEqual({ maxStreamsPerIP: 0, maxStreamsPerAccount: 0 });
    const password = { password: '12345678', passwordConfirm: '12345678' };
    await records.create('readers', { email: 'reader@example.com', ...password });
    const reader = await roost.signIn('readers', 'reader@example.com');
    const open = async (headers: Record<string, string>) => {
      const answer = await fetch(`${await roost.listen()}/api/realtime`, { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    await settings.patch({ realtime: { maxStreamsPerAccount: 1 } });
    await Listener.connect(roost, { token: reader });
    expect(await open({ authorization: reader })).toBe(429);
    expect(await open({})).toBe(200);
    await settings.patch({ realtime: { maxStreamsPerAccount: 0, maxStreamsPerIP: 1 } });
    expect(await open({})).toBe(429);
    await settings.patch({ realtime: { maxStreamsPerIP: 0 } });
    expect(await open({})).toBe(200);
  });
});

describe('what an event takes', () => {
  it('RT-84a RT-85 asks long filters in several statements, and gives the event loop back between them', async () => {
    const conditions = Array.from({ length: 40 }, (_, index) => `title != 'n${index}'`).join(' && ');
    const topics = Array.from({ length: 60 }, (_, index) => `notes/*?filter=${conditions} && title != 't${index}'`);
    const listener = await Listener.to(roost, topics);
    const seen = watchReads(roost.app.get(Database));
    await records.create('notes', { title: 't7' });
    const messages = await listener.settle();
    vi.restoreAllMocks();
    expect(messages.map(({ topic }) => topic)).toEqual(topics.filter((_, index) => index !== 7));
    expect(Math.max(...seen.map(({ sql }) => sql.length))).toBeLessThan(60_000);
  });

  it('RT-63 RT-82 decides a delete after its commit where the record itself tells everything', async () => {
    const quoted = await Listener.to(roost, ["notes/*?filter=title='gone'", 'notes/*']);
    const through = await Listener.to(roost, ["notes/*?filter=topic.title='open'"]);
    const topic = await records.create('topics', { title: 'open' });
    const note = await records.create('notes', { title: 'gone', topic: topic.id });
    // What the creates cause is over.
    await quoted.settle();
    await through.settle();
    const seen = watchReads(roost.app.get(Database));
    const database = roost.app.get(Database);
    let asked = -1;
    await database.transaction(async () => {
      await records.delete('notes', note.id);
      asked = seen.filter(({ sql }) => sql.includes('the record')).length;
      await records.delete('topics', topic.id);
    });
    const deleted = async (listener: Listener) =>
      (await listener.settle()).filter(({ action }) => action === 'delete').map(({ record }) => record.title);
    expect(await deleted(quoted)).toEqual(['gone', 'gone']);
    expect(await deleted(through)).toEqual(['gone']);
    vi.restoreAllMocks();
    expect(asked).toBe(1);
  });

  it('RT-82 decides no more questions before a delete than others can wait for', async () => {
    const topics = Array.from({ length: 8 }, (_, index) => `notes/*?filter=topic.title != '${index}'`);
    const listener = await Listener.to(roost, topics);
    const topic = await records.create('topics', { title: 'open' });
    const note = await records.create('notes', { title: 'gone', topic: topic.id });
    await lowered({ questionsBeforeDelete: 3 }, () => records.delete('notes', note.id));
    const heard = (await listener.settle()).filter(({ action }) => action === 'delete');
    expect(heard.map((message) => message.topic).sort()).toEqual(topics);
  });

  it('OPS-39 keeps no more of what a delete is told with than there is room for until its commit', async () => {
    const keep = vi.spyOn(roost.app.get(PendingDeleteEvents, { strict: false }), 'keep');
    const topics = ['a', 'b'].map((name) => `notes/*?filter=topic.title != 'x'&fields=title,${name}`);
    const listener = await Listener.to(roost, topics);
    const topic = await records.create('topics', { title: 'open' });
    const deleted = async () => {
      const { id } = await records.create('notes', { title: 'gone'.repeat(100), topic: topic.id });
      await records.delete('notes', id);
    };
    await deleted();
    await lowered({ bytesBeforeDelete: 1000 }, deleted);
    await lowered({ bytesBeforeDelete: 300 }, deleted);
    const heard = (await listener.settle()).filter(({ action }) => action === 'delete');
    expect(heard.map(({ topic: each }) => each).sort()).toEqual([...topics, ...topics, ...topics].sort());
    expect(keep.mock.calls.map(([, deliveries]) => deliveries.length)).toEqual([2, 1]);
    vi.restoreAllMocks();
  });

  it('OPS-39 writes large messages of one event before all of them are made', async () => {
    const topics = Array.from({ length: 6 }, (_, index) => `notes/*?fields=title,f${index}`);
    const listener = await Listener.to(roost, topics);
    const write = vi.spyOn(roost.app.get(DeliveryWriter, { strict: false }), 'write');
    await records.create('notes', { title: 'x'.repeat(500) });
    await listener.receive(6);
    expect(write).toHaveBeenCalledTimes(1);
    write.mockClear();
    await lowered({ charactersAtOnce: 1000 }, async () => {
      await records.create('notes', { title: 'x'.repeat(500) });
      await listener.receive(12);
    });
    expect(write.mock.calls.map(([deliveries]) => deliveries.length)).toEqual([2, 2, 2, 0]);
    vi.restoreAllMocks();
    expect((await listener.settle()).map((message) => message.topic)).toEqual([...topics, ...topics]);
  });

  it('OPS-39 SCALE-21 tells nobody twice when the database goes away between large messages', async () => {
    const topics = Array.from({ length: 5 }, (_, index) => `notes/*?fields=title,g${index}`);
    const listener = await Listener.to(roost, topics);
    let count = 0;
    const { presentOne } = RecordPresenter.prototype;
    const present = vi.spyOn(roost.app.get(RecordPresenter, { strict: false }), 'presentOne');
    present.mockImplementation(function (this: RecordPresenter, ...args) {
      if (++count === 4) throw new DatabaseError('unavailable', 'It restarts.');
      return presentOne.apply(this, args);
    });
    await lowered({ charactersAtOnce: 1000 }, async () => {
      await records.create('notes', { title: 'x'.repeat(500) });
      await listener.receive(5);
    });
    vi.restoreAllMocks();
    expect((await listener.settle()).map((message) => message.topic)).toEqual(topics);
  });

  it('EXP-12 OPS-39 counts what is expanded for guests in all messages of one event together, whatever fields they pick', async () => {
    const answers = roost.app.get(AnswerLimits, { strict: false });
    const { expandedRecords } = answers;
    const topic = await records.create('topics', { title: 'many' });
    for (let index = 0; index < 2; index++) await records.create('notes', { title: `${index}`, topic: topic.id });
    const expands = ['notes_via_topic', 'notes_via_topic&fields=*,a', 'notes_via_topic,b', 'notes_via_topic,c'];
    const listener = await Listener.to(
      roost,
      expands.map((expand) => `topics/*?expand=${expand}`),
    );
    answers.expandedRecords = 5;
    await records.update('topics', topic.id, { title: 'more' });
    const messages = await listener.settle();
    answers.expandedRecords = expandedRecords;
    expect(messages.map(({ record }) => record.expand?.notes_via_topic.length)).toEqual([2, 2, 2, undefined]);
  });

  it('EXP-12 leaves out an expand that is too much for a message', async () => {
    const answers = roost.app.get(AnswerLimits, { strict: false });
    const { expandedRecords } = answers;
    const topic = await records.create('topics', { title: 'many' });
    for (let index = 0; index < 4; index++) await records.create('notes', { title: `${index}`, topic: topic.id });
    const listener = await Listener.to(roost, ['topics/*?expand=notes_via_topic']);
    answers.expandedRecords = 3;
    await records.update('topics', topic.id, { title: 'too many' });
    const [without] = await listener.settle();
    answers.expandedRecords = expandedRecords;
    expect(without).toMatchObject({ action: 'update', record: { title: 'too many' } });
    expect('expand' in without!.record).toBe(false);
    await records.update('topics', topic.id, { title: 'many' });
    expect((await listener.settle()).at(-1)!.record.expand.notes_via_topic).toHaveLength(4);
  });
});
