import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { ROOST_CONFIG, type RoostConfig } from '../../src/config/roost-config.js';
import { tempDirOf } from '../../src/config/temp-files.js';
import { EVENT_BUS, type EventBus } from '../../src/events/event-bus.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { RecordsService } from '../../src/records/records.service.js';
import { RecordCascade } from '../../src/records/write/record-cascade.js';
import { RecordReferences } from '../../src/records/write/record-references.js';
import { RUN_BYTES, runColumns } from '../../src/records/write/record-runs.js';
import { RecordsToTell } from '../../src/records/write/records-to-tell.js';
import { TruncateService } from '../../src/records/write/truncate.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

/** Characters of a note. Eight of them are more than are read at once. */
const LENGTH = RUN_BYTES / 5;
const NOTES = 8;

const textOf = (index: number) => `é${index}`.repeat(LENGTH / 2).slice(0, LENGTH);

/** Whether a value of a record is read from elsewhere when it is asked for. */
function isFiled(record: RecordModel, name: string): boolean {
  let filed = false;
  record.snapshot((row) => {
    filed = Object.getOwnPropertyDescriptor(row, name)!.get !== undefined;
    return row;
  });
  return filed;
}

describe('wide records that a delete takes along', () => {
  let roost: TestRoost;
  let records: RecordsService;
  let toTell: RecordsToTell;
  let post: string;
  let events: RecordChanged[] = [];
  /** The characters of each reading of several records. */
  let readings: number[] = [];

  const charactersOf = (read: readonly RecordModel[]) => read.reduce((sum, { stored }) => sum + stored.characters, 0);
  /** Notes as they were told about, in order. */
  const told = () => events.filter(({ record }) => record.collection.name === 'notes');
  const make = async (field: string) => {
    await roost.app.get(TruncateService, { strict: false }).truncate('notes');
    post = (await records.create('posts', {})).id;
    for (let index = 0; index < NOTES; index++) await records.create('notes', { [field]: post, html: textOf(index) });
    events = [];
    readings = [];
  };

  beforeAll(async () => {
    roost = await startRoost();
    records = roost.app.get(RecordsService, { strict: false });
    toTell = roost.app.get(RecordsToTell, { strict: false });
    const to = { type: 'relation', collectionId: 'wide_posts_0001', maxSelect: 1 };
    await roost.createCollections(
      { id: 'wide_posts_0001', name: 'posts', type: 'base', fields: [] },
      {
        id: 'wide_notes_0001',
        name: 'notes',
        type: 'base',
        fields: [
          { name: 'html', type: 'editor' },
          { ...to, name: 'post', cascadeDelete: true },
          { ...to, name: 'about' },
        ],
      },
      {
        id: 'wide_chain_0001',
        name: 'chain',
        type: 'base',
        fields: [
          { name: 'html', type: 'editor' },
          { ...to, name: 'next', collectionId: 'wide_chain_0001' },
          { ...to, name: 'post', cascadeDelete: true },
        ],
      },
      {
        id: 'wide_lists_0001',
        name: 'lists',
        type: 'base',
        fields: [{ ...to, name: 'posts', maxSelect: 100_000 }],
      },
    );
    roost.app.get<EventBus>(EVENT_BUS, { strict: false }).subscribe(RecordChanged, (event) => void events.push(event));
    const references = roost.app.get(RecordReferences, { strict: false });
    const holdersOf = references.holdersOf.bind(references);
    vi.spyOn(references, 'holdersOf').mockImplementation(async function* (...args) {
      for await (const found of holdersOf(...args)) {
        readings.push(charactersOf(found));
        yield found;
      }
    });
    const cascade = roost.app.get(RecordCascade, { strict: false });
    const remove = cascade.remove.bind(cascade);
    vi.spyOn(cascade, 'remove').mockImplementation((collection, found, caller) => {
      readings.push(charactersOf(found));
      return remove(collection, found, caller);
    });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await roost.close();
  });
  beforeEach(() => void (toTell.charactersInMemory = Infinity));

  it('OPS-39 REL-5 are read as many at a time as are small together', async () => {
    await make('post');
    await records.delete('posts', post);
    expect(told().map(({ action }) => action)).toEqual(Array(NOTES).fill('delete'));
    expect(readings.length).toBeGreaterThan(1);
    expect(Math.max(...readings)).toBeLessThan(RUN_BYTES);
  });

  it('OPS-39 REL-2 are read so where a reference of theirs is cleared', async () => {
    await make('about');
    await records.delete('posts', post);
    expect(told().map(({ action, record }) => `${action} ${record.get('about')}`)).toEqual(
      Array(NOTES).fill('update '),
    );
    expect(readings.length).toBeGreaterThan(1);
    expect(Math.max(...readings)).toBeLessThan(RUN_BYTES);
  });

  it('OPS-39 COL-92 are read so where all of a collection go', async () => {
    await make('about');
    await roost.app.get(TruncateService, { strict: false }).truncate('notes');
    expect(told().map(({ action }) => action)).toEqual(Array(NOTES).fill('delete'));
    expect(readings.length).toBeGreaterThan(1);
    expect(Math.max(...readings)).toBeLessThan(RUN_BYTES);
  });

  it('REL-2 are told as they are then, where one before them is read by itself and they refer to it', async () => {
    const parent = await records.create('posts', {});
    const { id } = await records.create('chain', { html: textOf(0), post: parent.id });
    for (let index = 0; index < 2; index++) await records.create('chain', { next: id, post: parent.id });
    events = [];
    await records.delete('posts', parent.id);
    const deleted = events.filter(({ action, record }) => action === 'delete' && record.collection.name === 'chain');
    expect(deleted.map(({ record }) => record.get('next'))).toEqual(['', '', '']);
  });

  it('COL-92 are told as they are then, where one before them is read by itself and they refer to it', async () => {
    const { id } = await records.create('chain', { html: textOf(0) });
    for (let index = 0; index < 2; index++) await records.create('chain', { next: id });
    events = [];
    await roost.app.get(TruncateService, { strict: false }).truncate('chain');
    const deleted = events.filter(({ action }) => action === 'delete');
    expect(deleted.map(({ record }) => record.get('next'))).toEqual(['', '', '']);
  });

  it('OPS-39 are told with all their values, of which most wait for the commit in a file', async () => {
    await make('post');
    toTell.charactersInMemory = 2.5 * LENGTH;
    await records.delete('posts', post);
    const notes = told().map(({ record }) => record);
    expect(notes.map((record) => isFiled(record, 'html'))).toEqual([false, false, ...Array(NOTES - 2).fill(true)]);
    expect(notes.map((record) => record.get('html') as string)).toEqual(
      Array.from({ length: NOTES }, (_, n) => textOf(n)),
    );
    expect(notes.map((record) => record.get('post'))).toEqual(Array(NOTES).fill(post));
  });

  it('OPS-39 EXT-33 are told so as they were before and as they are, where a reference is cleared', async () => {
    await make('about');
    toTell.charactersInMemory = 0;
    await records.delete('posts', post);
    const html = (record?: RecordModel) => record?.get('html');
    for (const [index, { record, before }] of told().entries()) {
      expect([isFiled(record, 'html'), isFiled(before!, 'html')]).toEqual([true, true]);
      expect([html(record), html(before)]).toEqual([textOf(index), textOf(index)]);
      expect([record.get('about'), before!.get('about')]).toEqual(['', post]);
    }
    // Nobody finds the file by a name.
    expect(await readdir(tempDirOf(roost.app.get<RoostConfig>(ROOST_CONFIG, { strict: false })))).toEqual([]);
  });

  it('OPS-39 are kept in memory as far as each transaction for itself has room', async () => {
    await make('about');
    toTell.charactersInMemory = 1.5 * LENGTH;
    const { items } = await records.find('notes');
    for (const { id } of items) await records.delete('notes', id);
    expect(told().map(({ record }) => isFiled(record, 'html'))).toEqual(Array(NOTES).fill(false));
  });

  it('OPS-39 lists of ids count as well as long texts', () => {
    const boundedOf = (name: string) =>
      runColumns(roost.app.get(CollectionStore, { strict: false }).catalog.find(name)!).flatMap(({ value, as }) =>
        value.kind === 'case' ? as : [],
      );
    expect(boundedOf('lists')).toEqual(['posts']);
    expect(boundedOf('notes')).toEqual(['html']);
    expect(boundedOf('posts')).toEqual([]);
  });

  it('OPS-39 those that refer to it in long lists are looked for a few at a time', async () => {
    const { id } = await records.create('posts', {});
    for (let index = 0; index < 3; index++) await records.create('lists', { posts: [id] });
    const lists = roost.app.get(CollectionStore, { strict: false }).catalog.find('lists')!;
    const reference = { collection: lists, field: lists.field('posts')! };
    const found = roost.app.get(RecordReferences, { strict: false }).holdersOf(id, reference);
    const [first, second] = [await found.next(), await found.next()];
    await found.return(undefined);
    expect([first.value.length, second.value.length]).toEqual([2, 1]);
  });
});
