import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PendingDeleteEvents } from '../../src/realtime/pending-delete-events.js';
import { BeforeRecordDelete, type RecordDeleteEvent } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;

@Injectable()
class DeleteHooks {
  @BeforeRecordDelete('children')
  refuse({ record }: RecordDeleteEvent): void {
    if (record.get('title') === 'stays') throw new Error('It stays.');
  }
}

@Module({ providers: [DeleteHooks] })
class DeleteModule {}

beforeAll(async () => {
  roost = await startRoost({ imports: [DeleteModule] });
  records = roost.app.get(RecordsService, { strict: false });
  const title = { name: 'title', type: 'text' };
  await roost.createCollections(
    { id: 'parents_id_0001', name: 'parents', type: 'base', listRule: '', viewRule: '', fields: [title] },
    {
      name: 'children',
      type: 'base',
      listRule: "parent.title = 'open'",
      fields: [title, { name: 'parent', type: 'relation', collectionId: 'parents_id_0001', cascadeDelete: true }],
    },
  );
});
afterAll(() => roost.close());

const listen = (topics: readonly string[]) => Listener.to(roost, topics);

const shape = (messages: Awaited<ReturnType<Listener['settle']>>) =>
  messages.map(({ action, record }) => `${action} ${record.collectionName} ${record.title}`);

async function family(title: string): Promise<{ parent: string; child: string }> {
  const parent = await records.create('parents', { title });
  const child = await records.create('children', { title: `child of ${title}`, parent: parent.id });
  return { parent: parent.id, child: child.id };
}

describe('a delete', () => {
  it('RT-63 is judged by the database before its transaction, also when the parent goes with it', async () => {
    const [open, shut] = [await family('open'), await family('shut')];
    const listener = await listen(['children/*']);
    await records.delete('parents', open.parent);
    await records.delete('parents', shut.parent);
    expect(shape(await listener.settle())).toEqual(['delete children child of open']);
  });

  it('RT-63 is judged by its own values right before it, also when they changed in the same transaction', async () => {
    const { child } = await family('open');
    const listener = await listen(["children/*?filter=title='late'", "children/*?filter=title~'child'"]);
    await records.transaction(async () => {
      await records.update('children', child, { title: 'late' });
      await records.delete('children', child);
    });
    expect(shape(await listener.settle())).toEqual(['update children late', 'delete children late']);
  });

  it('RT-73 is expanded before it', async () => {
    const { parent } = await family('open');
    const listener = await listen(['children/*?expand=parent']);
    await records.delete('parents', parent);
    const [message] = await listener.settle();
    expect(message!.record.expand.parent).toMatchObject({ id: parent, title: 'open' });
  });

  it('RT-50 is silent when it is rolled back or refused', async () => {
    const [{ child }, other] = [await family('open'), await family('open')];
    const listener = await listen(['children/*']);
    await records.update('children', other.child, { title: 'stays' });
    await expect(records.delete('children', other.child)).rejects.toThrow();
    const failing = records.transaction(async () => {
      await records.delete('children', child);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(shape(await listener.settle())).toEqual(['update children stays']);
    await records.delete('children', child);
    expect(shape(await listener.settle())).toEqual(['update children stays', 'delete children child of open']);
  });

  it('RT-50 happens as often as it happened in one transaction', async () => {
    const { parent } = await family('open');
    const listener = await listen(['children/*']);
    const id = 'samesamesamesam';
    await records.transaction(async () => {
      for (const title of ['one', 'two']) {
        await records.create('children', { id, title, parent });
        await records.delete('children', id);
      }
    });
    expect(shape(await listener.settle())).toEqual([
      'create children one',
      'delete children one',
      'create children two',
      'delete children two',
    ]);
  });

  it('RT-30 reaches nobody who stopped listening before it was committed', async () => {
    const { child } = await family('open');
    const listener = await listen(['children/*', 'other']);
    await records.transaction(async () => {
      await records.delete('children', child);
      expect((await listener.subscribe([])).status).toBe(204);
    });
    expect(await listener.settle()).toEqual([]);
  });

  it('RT-30 has been committed when somebody has begun to listen meanwhile', async () => {
    const { child } = await family('open');
    await listen(['children/*']);
    const late = await listen([]);
    let committed = false;
    let subscribed: Promise<unknown> = Promise.resolve();
    await records.transaction(async () => {
      await records.delete('children', child);
      subscribed = late.subscribe(['children/*']).then(() => expect(committed).toBe(true));
      await sleep(50);
      committed = true;
    });
    await subscribed;
  });

  it('RT-82 keeps nothing when it has ended', async () => {
    const { child } = await family('open');
    await listen(['children/*']);
    await records.delete('children', child);
    const deletes = roost.app.get(PendingDeleteEvents, { strict: false });
    await deletes.settled();
    expect(deletes).toMatchObject({ waiting: new Map(), transactions: new Set() });
  });
});
