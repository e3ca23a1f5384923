import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LargeAnswer } from '../../src/http/answer/large-answer.js';
import { RecordActions } from '../../src/records/record-actions.js';
import { RecordsService } from '../../src/records/records.service.js';
import { Caller } from '../../src/kernel/records/caller.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

/** More than a page of 1000 reads of one value with the others. */
const WIDE = 40_000;

describe('a page of wide records', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let ids: string[];

  beforeAll(async () => {
    roost = await startRoost();
    root = new RecordApi(roost, await roost.createSuperuser());
    guest = root.as(undefined);
    await roost.createCollections({
      id: 'wide_pages_0001',
      name: 'pages',
      type: 'base',
      listRule: "title != 'closed'",
      viewRule: '',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'body', type: 'editor' },
        { name: 'doc', type: 'json' },
        { name: 'next', type: 'relation', collectionId: 'wide_pages_0001', maxSelect: 1 },
      ],
    });
    ids = [];
    for (const [title, size] of [
      ['first', WIDE],
      ['short', 10],
      ['closed', WIDE],
      ['last', WIDE],
    ] as const) {
      const body = { title, body: 'ä'.repeat(size), doc: size > 10 ? ['ü'.repeat(size)] : null, next: ids[0] ?? '' };
      ids.push((await root.make('pages', body)).id);
    }
  });

  afterAll(() => roost.close());

  const wide = { perPage: '1000', sort: '@rowid' };

  it('OPS-39 LIST-1 is written piece by piece, with the same content', async () => {
    const caller = new Caller(null, { context: 'default', method: 'GET', query: wide, headers: {}, body: {} });
    expect(await roost.app.get(RecordActions, { strict: false }).list('pages', caller)).toBeInstanceOf(LargeAnswer);
    const pieces = await guest.list('pages', wide);
    const whole = await guest.list('pages', { sort: '@rowid' });
    expect([pieces.status, pieces.headers['content-type']]).toEqual([200, whole.headers['content-type']]);
    expect(pieces.body).toEqual({ ...whole.body, perPage: 1000 });
    expect(Object.keys(pieces.body.items[0])).toEqual(Object.keys(whole.body.items[0]));
    expect(pieces.body.items.map((item: { body: string }) => item.body.length)).toEqual([WIDE, 10, WIDE]);
    expect(pieces.body.items[1].doc).toBeNull();
  });

  it('OPS-39 applies fields, expand and the rule to it, and knows HEAD', async () => {
    const picked = await root.list('pages', {
      ...wide,
      expand: 'next',
      fields: 'title,body:excerpt(3),expand.next.title',
    });
    expect(picked.body.items.map((item: { body: string }) => item.body)).toEqual(Array(4).fill('äää'));
    expect(picked.body.items.map(({ expand }: { expand: object }) => expand)).toEqual([
      {},
      ...[1, 2, 3].map(() => ({ next: { title: 'first' } })),
    ]);
    expect((await guest.list('pages', { ...wide, filter: 'nothing = 1' })).status).toBe(400);
    const head = await roost.inject({ method: 'HEAD', url: '/api/collections/pages/records?perPage=1000' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('OPS-39 FLD-5 reads as much of each record for its excerpt as it would of that record alone', async () => {
    await roost.createCollections({
      name: 'chapters',
      type: 'base',
      listRule: '',
      fields: [{ name: 'body', type: 'editor' }],
    });
    // Together more than is read in one go.
    for (let count = 0; count < 5; count++) await root.make('chapters', { body: '<b>long</b> '.repeat(40_000) });
    const { status, body } = await guest.list('chapters', { perPage: '1000', fields: 'body:excerpt(189999)' });
    expect(status).toBe(200);
    expect(body.items.map(({ body }: { body: string }) => body.length)).toEqual(Array(5).fill(189_999));
  });

  /** Of the first record: its long body comes in pieces. */
  const BEGINNING = /^\{"items":\[\{"body":"ä{1000}/;

  it('OPS-39 is not waited for by another client, however many one does not read', async () => {
    const begin = async (ip: string) => {
      const request = { context: 'default', method: 'GET', query: wide, headers: {}, body: {} } as const;
      const answer = await roost.app.get(RecordActions, { strict: false }).list('pages', new Caller(null, request, ip));
      const pieces = (answer as LargeAnswer)['pieces']()[Symbol.asyncIterator]();
      return { pieces, first: pieces.next() };
    };
    const unread = [];
    for (let index = 0; index < 40; index++) unread.push(await begin('10.0.0.1'));
    const other = await begin('10.0.0.2');
    expect((await other.first).value).toMatch(BEGINNING);
    await other.pieces.return!();
    // All of them have their turn once those before are read or given up.
    for (const { pieces, first } of unread) {
      expect((await first).value).toMatch(BEGINNING);
      await pieces.return!();
    }
  });

  it('OPS-39 gives extension code whole records', async () => {
    const { items } = await roost.app
      .get(RecordsService, { strict: false })
      .find('pages', { perPage: 1000, sort: '@rowid' });
    expect(items.map((record) => (record.get('body') as string).length)).toEqual([WIDE, 10, WIDE, WIDE]);
    expect(items.map((record) => record.changedFields())).toEqual([[], [], [], []]);
  });

  it('OPS-39 can be read by a client over a socket, and left by one in the middle', async () => {
    const url = `${await roost.listen()}/api/collections/pages/records?perPage=1000`;
    const answer = (await (await fetch(url)).json()) as { items: unknown[] };
    expect(answer.items).toHaveLength(3);
    for (let times = 0; times < 20; times++) {
      const left = await fetch(url);
      await left.body!.cancel();
    }
    expect(((await (await fetch(url)).json()) as { items: unknown[] }).items).toHaveLength(3);
  });
});
