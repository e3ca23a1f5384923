import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { DeliveryQueue } from '../../src/realtime/delivery-queue.js';
import { RecordAudience } from '../../src/realtime/record-audience.js';
import { RealtimeClients } from '../../src/realtime/realtime-clients.js';
import { RealtimeClient } from '../../src/realtime/realtime-client.js';
import { SubscriptionIndex } from '../../src/realtime/subscription-index.js';
import { RecordPresenter } from '../../src/records/read/record-presenter.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { SseClient } from '../../src/sse/sse-client.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

let roost: TestRoost;
let records: RecordsService;
let index: SubscriptionIndex;
let members: RecordModel[];
let clients: RealtimeClient[] = [];

/** Clients without a network: what they are sent is kept. */
function connect(count: number, topics: readonly string[], auth: (index: number) => RecordModel | null): Buffer[][] {
  return Array.from({ length: count }, (_, position) => {
    const sent: Buffer[] = [];
    const stream = {
      id: `c${position}`,
      ip: '',
      isOpen: true,
      topics: new Set(),
      send: (bytes: Buffer) => sent.push(bytes),
    };
    const client = new RealtimeClient(stream as unknown as SseClient, () => {});
    roost.app.get(RealtimeClients, { strict: false }).become(client, auth(position));
    index.replace(client, new Set(topics));
    clients.push(client);
    return sent;
  });
}

/** Reads while a record is created and delivered: statements, and how often the record was shown. */
async function deliver(
  collection: string,
  values: Readonly<Record<string, unknown>>,
  sent: Buffer[][],
  expected: number,
) {
  const database = roost.app.get(Database, { strict: false });
  const reads = watchReads(database);
  const present = vi.spyOn(roost.app.get(RecordPresenter, { strict: false }), 'presentOne');
  await records.create(collection, values);
  // Whatever the write itself read is over when it returns.
  const before = { statements: reads.length, shown: present.mock.calls.length };
  await expect.poll(() => sent.filter((messages) => messages.length > 0).length, { timeout: 10_000 }).toBe(expected);
  const made = {
    statements: reads.length - before.statements,
    shown: present.mock.calls.length - before.shown,
  };
  vi.restoreAllMocks();
  return made;
}

beforeAll(async () => {
  roost = await startRoost();
  records = roost.app.get(RecordsService, { strict: false });
  index = roost.app.get(SubscriptionIndex, { strict: false });
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'owner', type: 'text' },
  ];
  const rules = {
    open: '',
    titled: "title = 'x'",
    owned: 'owner = @request.auth.id',
    signed: "@request.auth.id != ''",
  };
  await roost.createCollections(
    { name: 'members', type: 'auth', fields: [] },
    ...Object.entries(rules).map(([name, listRule]) => ({ name, type: 'base', listRule, fields })),
  );
  members = await records.transaction(async () => {
    const made: RecordModel[] = [];
    for (let count = 0; count < 20; count++) {
      made.push(await records.create('members', { email: `g${count}@example.com`, password: '1234567890' }));
    }
    return made;
  });
});
afterAll(() => roost.close());
afterEach(() => {
  for (const client of clients) index.drop(client);
  clients = [];
});

/** A member under another id: an account of its own as far as rules are concerned. */
function memberNumber(position: number): RecordModel {
  const record = members[position % members.length]!.snapshot();
  record.set('id', `member${String(position).padStart(9, '0')}`);
  return record;
}

describe('what an event costs', () => {
  it('RT-86 nothing when nobody listens', async () => {
    const add = vi.spyOn(roost.app.get(DeliveryQueue, { strict: false }), 'add');
    const decide = vi.spyOn(roost.app.get(RecordAudience, { strict: false }), 'of');
    connect(10, ['other/*', 'open/someone'], () => null);
    const { id } = await records.create('open', { title: 'x' });
    await records.update('open', id, { title: 'y' });
    await records.delete('open', id);
    expect([add.mock.calls.length, decide.mock.calls.length]).toEqual([0, 0]);
    vi.restoreAllMocks();
  });

  it('RT-87 RT-88 no statement for an open rule, and content made once', async () => {
    const sent = connect(1000, ['open/*'], (position) => (position % 2 ? memberNumber(position) : null));
    const { statements, shown } = await deliver('open', { title: 'x' }, sent, 1000);
    expect({ statements, shown }).toEqual({ statements: 0, shown: 1 });
    expect(new Set(sent.map(([bytes]) => bytes)).size).toBe(1);
  });

  it('RT-87 one statement for a rule that does not look at who asks', async () => {
    const sent = connect(1000, ['titled/*'], memberNumber);
    expect(await deliver('titled', { title: 'x' }, sent, 1000)).toEqual({ statements: 1, shown: 1 });
  });

  it('RT-87 one statement for 150 accounts when it does: 7 for a thousand', async () => {
    const sent = connect(1000, ['owned/*'], memberNumber);
    const { statements } = await deliver('owned', { title: 'x', owner: memberNumber(77).id }, sent, 1);
    expect(statements).toBe(7);
    expect(sent[77]).toHaveLength(1);
  });

  it('RT-87 one question for an account however many clients it has', async () => {
    const sent = connect(1000, ['signed/*'], (position) => memberNumber(position % 3));
    expect(await deliver('signed', { title: 'x' }, sent, 1000)).toEqual({ statements: 1, shown: 1 });
  });

  it('RT-88 shows the record once for each view, whatever the topics are called', async () => {
    const topics = ['open/*', 'open', 'open/*?fields=id', 'open/*?fields=id&filter='];
    const sent = connect(100, topics, () => null);
    const { shown } = await deliver('open', { title: 'x' }, sent, 100);
    expect(shown).toBe(2);
    expect(new Set(sent.flat()).size).toBe(topics.length);
  });
});
