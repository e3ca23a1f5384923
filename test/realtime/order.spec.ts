import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { AfterRecordCreate } from '../../src/records/record.hooks.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;
let realtime: RealtimeService;

@Injectable()
class SlowHooks {
  @AfterRecordCreate('second')
  async dawdle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

@Module({ providers: [SlowHooks] })
class SlowModule {}

beforeAll(async () => {
  roost = await startRoost({ imports: [SlowModule] });
  records = roost.app.get(RecordsService, { strict: false });
  realtime = roost.app.get(RealtimeService, { strict: false });
  const fields = [{ name: 'n', type: 'number' }];
  await roost.createCollections(
    { name: 'first', type: 'base', listRule: '', fields },
    { name: 'second', type: 'base', listRule: "@request.auth.id = ''", fields },
    { id: 'parents_id_0001', name: 'parents', type: 'base', listRule: '', fields },
    {
      name: 'children',
      type: 'base',
      listRule: '',
      fields: [
        ...fields,
        { name: 'parent', type: 'relation', collectionId: 'parents_id_0001', cascadeDelete: true },
        { name: 'friend', type: 'relation', collectionId: 'parents_id_0001' },
      ],
    },
  );
});
afterAll(() => roost.close());

const listen = (topics: readonly string[]) => Listener.to(roost, topics);

describe('the order of messages', () => {
  it('RT-80 is that of the commits, and of the writes inside one', async () => {
    const listener = await listen(['first/*', 'second/*']);
    const database = roost.app.get(Database, { strict: false });
    const committed: string[] = [];
    const work = Array.from({ length: 20 }, (_, index) =>
      records.transaction(async () => {
        const mine: string[] = [];
        for (let item = 0; item < (index % 4) * 5 + 1; item++) {
          const collection = (index + item) % 3 === 0 ? 'first' : 'second';
          const n = index * 100 + item;
          await records.create(collection, { n });
          mine.push(`${collection} ${n}`);
        }
        database.onCommit(() => committed.push(...mine));
      }),
    );
    await Promise.all(work);
    const seen = (await listener.settle()).map(({ record }) => `${record.collectionName} ${record.n}`);
    expect(seen).toHaveLength(committed.length);
    expect(seen).toEqual(committed);
  });

  it('RT-80 tells of a deleted record before what follows from its end', async () => {
    const parent = await records.create('parents', { n: 1 });
    await records.create('children', { n: 2, parent: parent.id });
    await records.create('children', { n: 3, friend: parent.id });
    const listener = await listen(['parents/*', 'children/*']);
    await records.delete('parents', parent.id);
    const seen = (await listener.settle()).map(({ action, record }) => `${action} ${record.n}`);
    expect(seen[0]).toBe('delete 1');
    expect(seen.slice(1).toSorted()).toEqual(['delete 2', 'update 3']);
  });

  it('RT-80 RT-90 keeps messages of the application in their place, in and out of transactions', async () => {
    const listener = await listen(['first/*', 'news']);
    await records.create('first', { n: 1 });
    realtime.publish('news', { n: 2 });
    await records.transaction(async () => {
      await records.create('first', { n: 3 });
      realtime.publish('news', { n: 4 });
      await records.create('first', { n: 5 });
    });
    const failing = records.transaction(() => {
      realtime.publish('news', { n: 99 });
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    realtime.publish('news', { n: 6 });
    await listener.settle();
    const seen = listener.reader.events
      .filter(({ event }) => !event.startsWith('marker'))
      .map(({ data }) => JSON.parse(data) as { n?: number; record?: { n: number } })
      .map(({ n, record }) => record?.n ?? n);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('RT-84 delivers a burst from one transaction without loss or reordering', async () => {
    const listener = await listen(['first/*']);
    const count = 3_000;
    await records.transaction(async () => {
      for (let n = 0; n < count; n++) await records.create('first', { n });
    });
    const messages = await listener.settle();
    expect(messages.map(({ record }) => record.n)).toEqual(Array.from({ length: count }, (_, n) => n));
  });
});
