import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { EVENT_BUS, type EventBus } from '../../src/events/event-bus.js';
import { OnEvent } from '../../src/events/on-event.decorator.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import {
  AfterRecordCreate,
  AfterRecordDelete,
  AfterRecordUpdate,
  BeforeRecordCreate,
  BeforeRecordDelete,
  BeforeRecordUpdate,
  type RecordCreateEvent,
} from '../../src/records/record.hooks.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };

/** So many arguments no call can have. */
const MANY = 150_000;

class Counted {}

const fail = () => {
  throw new RangeError('Maximum call stack size exceeded');
};

/** Everything that a write leaves for after its commit fails, in each of the ways in which it can. */
@Injectable()
class Failing {
  counted = 0;

  constructor(
    private readonly database: Database,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
  ) {}

  @BeforeRecordCreate()
  @BeforeRecordUpdate()
  @BeforeRecordDelete()
  leave(): void {
    this.database.onCommit(fail);
    this.database.afterCommit(fail);
    this.database.afterCommit(async () => fail());
  }

  @BeforeRecordCreate('docs')
  async leaveMuch({ record }: RecordCreateEvent): Promise<void> {
    if (record.get('title') !== 'much') return;
    const count = () => void this.counted++;
    // What belongs to a part of the transaction goes over to the whole of it.
    await this.database.transaction(async () => {
      for (let number = 0; number < MANY; number++) {
        this.database.onCommit(count);
        this.database.afterCommit(count);
        this.bus.publish(new Counted());
      }
    });
  }

  @AfterRecordCreate()
  @AfterRecordUpdate()
  @AfterRecordDelete()
  after(): void {
    fail();
  }

  @OnEvent(RecordChanged)
  hear(): void {
    fail();
  }

  @OnEvent(RecordChanged)
  async hearSlowly(): Promise<void> {
    await Promise.resolve();
    fail();
  }

  @OnEvent(Counted)
  count(): void {
    this.counted++;
  }
}

@Module({ providers: [Failing] })
class FailingModule {}

describe('after a commit', () => {
  let roost: TestRoost;
  let api: RecordApi;
  let token: string;

  beforeAll(async () => {
    roost = await startRoost({ imports: [FailingModule] });
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    token = await roost.createSuperuser();
    await roost.createCollections(
      { id: 'failing_docs_01', name: 'docs', type: 'base', ...OPEN, fields: [{ name: 'title', type: 'text' }] },
      {
        id: 'failing_parts_1',
        name: 'parts',
        type: 'base',
        ...OPEN,
        fields: [
          { name: 'doc', type: 'relation', collectionId: 'failing_docs_01', maxSelect: 1, cascadeDelete: true },
          { name: 'attachment', type: 'file', maxSelect: 1 },
        ],
      },
    );
    await roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      token,
      body: { batch: { enabled: true, timeout: 60 } },
    });
    api = new RecordApi(roost, token);
  });
  afterEach(() => expect(vi.mocked(Logger.prototype.error)).toHaveBeenCalled());
  afterAll(async () => {
    vi.restoreAllMocks();
    await roost.close();
  });

  const count = async (collection: string) =>
    (await roost.inject({ url: `/api/collections/${collection}/records?perPage=1`, token })).body.totalItems as number;

  it('TX-2 no failure of what comes then turns the answer into an error: creates, updates, deletes', async () => {
    const doc = await api.make('docs', { title: 'one' });
    expect((await api.update('docs', doc.id, { title: 'two' })).body.title).toBe('two');
    const form = new FormData();
    form.set('doc', doc.id);
    form.set('attachment', new File(['1'], 'one.txt'));
    await api.make('parts', form);
    expect((await api.delete('docs', doc.id)).status).toBe(204);
    expect([await count('docs'), await count('parts')]).toEqual([0, 0]);
  });

  it('TX-2 nor of those that share a commit, of a batch, of a truncate', async () => {
    const together = await Promise.all([1, 2, 3].map((number) => api.make('docs', { title: `${number}` })));
    expect(await count('docs')).toBe(together.length);
    const requests = [
      { method: 'POST', url: '/api/collections/docs/records', body: { title: 'in a batch' } },
      { method: 'DELETE', url: `/api/collections/docs/records/${together[0]!.id}` },
    ];
    const batch = await roost.inject({ method: 'POST', url: '/api/batch', token, body: { requests } });
    expect([batch.status, await count('docs')]).toEqual([200, 3]);
    const truncate = await roost.inject({ method: 'DELETE', url: '/api/collections/docs/truncate', token });
    expect([truncate.status, await count('docs')]).toEqual([204, 0]);
  });

  it('TX-2 may come more than a call takes arguments', async () => {
    const failing = roost.app.get(Failing, { strict: false });
    await api.make('docs', { title: 'much' });
    expect(failing.counted).toBe(3 * MANY);
    const requests = [{ method: 'POST', url: '/api/collections/docs/records', body: { title: 'much' } }];
    expect((await roost.inject({ method: 'POST', url: '/api/batch', token, body: { requests } })).status).toBe(200);
    expect(failing.counted).toBe(6 * MANY);
  });
});
