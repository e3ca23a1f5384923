import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AfterRecordUpdate, BeforeRecordUpdate, type RecordUpdateEvent } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { eventually } from '../support/eventually.js';

const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };
const to = (name: string, collectionId: string, more: object = {}) => ({
  name,
  type: 'relation',
  collectionId,
  maxSelect: 1,
  ...more,
});

/** Holds an update of `docs` back inside its transaction until it is let go. */
@Injectable()
class Gate {
  readonly seen: string[] = [];
  private readonly events = new EventEmitter();
  readonly reached = once(this.events, 'reached');
  private readonly opened = once(this.events, 'opened');

  open(): void {
    this.events.emit('opened');
  }

  @BeforeRecordUpdate('docs')
  async hold({ record }: RecordUpdateEvent): Promise<void> {
    if (record.get('title') !== 'held') return;
    this.events.emit('reached');
    await this.opened;
  }

  @AfterRecordUpdate('docs')
  note({ record }: RecordUpdateEvent): void {
    this.seen.push(record.get('title') as string);
  }
}

@Module({ providers: [Gate] })
class GateModule {}

describe('what happens only after the commit', () => {
  let roost: TestRoost;
  let api: RecordApi;
  let root: RecordApi;

  beforeAll(async () => {
    roost = await startRoost({ imports: [GateModule] });
    root = new RecordApi(roost, await roost.createSuperuser());
    api = root.as(undefined);
    await roost.createCollections(
      {
        id: 'after_docs_0001',
        name: 'docs',
        type: 'base',
        ...OPEN,
        fields: [
          { name: 'title', type: 'text' },
          { name: 'attachment', type: 'file', maxSelect: 1 },
        ],
      },
      {
        id: 'after_loose_001',
        name: 'loose',
        type: 'base',
        listRule: '',
        viewRule: '',
        fields: [to('doc', 'after_docs_0001')],
      },
      {
        id: 'after_locked_01',
        name: 'locked',
        type: 'base',
        listRule: '',
        viewRule: '',
        fields: [to('doc', 'after_docs_0001', { cascadeDelete: true })],
      },
    );
  });

  afterAll(() => roost.close());

  const form = (values: Record<string, string | File>): FormData => {
    const body = new FormData();
    for (const [key, value] of Object.entries(values)) body.set(key, value);
    return body;
  };

  it('TX-2 the answer, the event and the removal of replaced files wait for the commit', async () => {
    const gate = roost.app.get(Gate, { strict: false });
    const doc = await api.make('docs', form({ title: 'first', attachment: new File(['1'], 'one.txt') }));
    const file = join(roost.dir, 'storage', 'after_docs_0001', doc.id, doc['attachment'] as string);
    expect(existsSync(file)).toBe(true);
    const listener = await Listener.to(roost, ['docs/*']);
    let answered = false;
    const update = api.update('docs', doc.id, { title: 'held', attachment: '' }).finally(() => (answered = true));
    await gate.reached;
    expect((await listener.settle()).map(({ action }) => action)).toEqual([]);
    expect((await api.view('docs', doc.id)).body.title).toBe('first');
    expect([answered, existsSync(file), gate.seen]).toEqual([false, true, []]);
    gate.open();
    expect((await update).body.title).toBe('held');
    const messages = (await listener.receive(2)).slice(1);
    expect(messages.map(({ action, record }) => [action, record.title])).toEqual([['update', 'held']]);
    await eventually(() => expect(existsSync(file)).toBe(false));
    expect(gate.seen).toEqual(['held']);
    listener.close();
  });

  it('TX-2 a write that fails tells nobody and removes nothing', async () => {
    const doc = await api.make('docs', form({ title: 'stays', attachment: new File(['1'], 'one.txt') }));
    const file = join(roost.dir, 'storage', 'after_docs_0001', doc.id, doc['attachment'] as string);
    const listener = await Listener.to(roost, ['docs/*']);
    expect((await api.update('docs', doc.id, { id: 'another00000000', attachment: '' })).status).toBe(400);
    expect(await listener.settle()).toEqual([]);
    expect(existsSync(file)).toBe(true);
    listener.close();
  });

  it('TX-2 FILE-2 FS-34 EXT-31 a write that is undone later tells nobody and removes nothing either', async () => {
    const gate = roost.app.get(Gate, { strict: false });
    const doc = await api.make('docs', form({ title: 'stays', attachment: new File(['1'], 'one.txt') }));
    const gone = await api.make('docs', form({ title: 'comes back', attachment: new File(['2'], 'two.txt') }));
    const files = [doc, gone].map(({ id, attachment }) =>
      join(roost.dir, 'storage', 'after_docs_0001', id, attachment as string),
    );
    const [listener, seen] = [await Listener.to(roost, ['docs/*']), [...gate.seen]];
    const records = roost.app.get(RecordsService, { strict: false });
    const failing = records.transaction(async () => {
      await records.update('docs', doc.id, { title: 'never', attachment: '' });
      await records.delete('docs', gone.id);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await listener.settle()).toEqual([]);
    await roost.app.get(FileRemovals, { strict: false }).idle();
    expect([gate.seen, files.map((file) => existsSync(file))]).toEqual([seen, [true, true]]);
    listener.close();
  });

  it('REL-2 REL-4 cascades and unsets ask no rule and tell of themselves, collections by name', async () => {
    const doc = await api.make('docs', { title: 'referred to' });
    const locked = await root.make('locked', { doc: doc.id });
    const loose = await root.make('loose', { doc: doc.id });
    expect((await api.delete('locked', locked.id)).status).toBe(403);
    expect((await api.update('loose', loose.id, { doc: '' })).status).toBe(403);
    const listener = await Listener.to(roost, ['docs/*', 'locked/*', 'loose/*']);
    expect((await api.delete('docs', doc.id)).status).toBe(204);
    const messages = await listener.receive(3);
    expect(messages.map(({ topic, action, record }) => [topic, action, record.id])).toEqual([
      ['docs/*', 'delete', doc.id],
      ['locked/*', 'delete', locked.id],
      ['loose/*', 'update', loose.id],
    ]);
    expect(messages[2]!.record.doc).toBe('');
    expect((await api.view('locked', locked.id)).status).toBe(404);
    expect(await listener.settle()).toHaveLength(3);
    listener.close();
  });
});
