import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AnswerMemory } from '../../src/http/answer/answer-memory.js';
import { EventLoopTurn } from '../../src/http/event-loop/event-loop-turn.js';
import { Database, EnrichRecord, type EnrichRecordEvent, ForbiddenError, RecordsService } from '../../src/index.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import { RecordPresenter } from '../../src/records/read/record-presenter.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const MEBIBYTE = 1024 * 1024;
/** Just not wide enough to be read one by one. A page is more than what the system takes when nobody reads. */
const WIDTH = 270_000;
const RECORDS = 30;
const PAGE = `/api/collections/pages/records?perPage=${RECORDS}&skipTotal=1`;

const JSON_PATCH = { method: 'PATCH', headers: { 'content-type': 'application/json' } };

/** Keeps the last of the drafts back, when those before it are written. */
@Injectable()
class Drafts {
  @EnrichRecord('drafts')
  refuse({ output }: EnrichRecordEvent): void {
    if (output['title'] === `${RECORDS - 1}`) throw new ForbiddenError('Not yet.');
  }
}

@Module({ providers: [Drafts] })
class Team {}

/** Something to wait for, and what ends the wait. */
function gate(): [Promise<void>, () => void] {
  let open = (): void => {};
  return [new Promise<void>((resolve) => (open = resolve)), () => open()];
}

describe('large pages', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let room: AnswerMemory;
  let usual: AnswerMemory['limits'];
  let origin: URL;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    roost = await startRoost({ imports: [Team] });
    root = new RecordApi(roost, await roost.createSuperuser());
    room = roost.app.getHttpAdapter().getInstance().answerMemory as AnswerMemory;
    usual = { ...room.limits };
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'body', type: 'editor' },
    ];
    for (const name of ['pages', 'drafts']) {
      await roost.createCollections({ name, type: 'base', listRule: '', viewRule: '', fields });
    }
    await roost.createCollections({ name: 'notes', type: 'base', viewRule: '', updateRule: '', fields });
    for (let index = 0; index < RECORDS; index++) {
      await root.make('pages', { title: `${index}`, body: 'x'.repeat(WIDTH) });
    }
    origin = new URL(await roost.listen());
  }, 60_000);
  beforeEach(() => void Object.assign(room.limits, usual));
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    // Whatever has become of the answers, nothing is left of them.
    await expect.poll(() => [room.takenBytes, room.waitingAnswers]).toEqual([0, 0]);
  });
  afterAll(() => roost.close());

  /** Asks for a page and reads nothing; what has come and whether it has ended shows once it is told to read. */
  async function ask(path = PAGE, localAddress = '127.0.0.1') {
    const socket = connect({ host: origin.hostname, port: Number(origin.port), localAddress }).on('error', () => {});
    sockets.push(socket);
    const answer = { socket, bytes: 0, isClosed: false };
    socket.on('data', (bytes: Buffer) => (answer.bytes += bytes.length)).pause();
    socket.once('close', () => (answer.isClosed = true));
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return answer;
  }

  const whole = RECORDS * WIDTH;

  it('OPS-39 take a share of the room until they are read', async () => {
    const page = await ask();
    await expect.poll(() => room.takenBytes).toBeGreaterThan(whole);
    page.socket.resume();
    await expect.poll(() => page.isClosed).toBe(true);
    expect(page.bytes).toBeGreaterThan(whole);
  });

  it('OPS-39 wide records that are viewed one by one take turns with everybody else', async () => {
    const { body } = await roost.inject({ url: `${PAGE}&fields=id` });
    const [first, second] = (body.items as { id: string }[]).map(({ id }) => `/api/collections/pages/records/${id}`);
    const small = await root.make('drafts', { title: 'small' });
    expect((await roost.inject({ url: first! })).status).toBe(200);
    const begun = vi.spyOn(EventLoopTurn.prototype, 'begin');
    onTestFinished(() => begun.mockRestore());
    expect((await roost.inject({ url: `/api/collections/drafts/records/${small.id}` })).status).toBe(200);
    expect(begun).not.toHaveBeenCalled();
    expect((await roost.inject({ url: second! })).status).toBe(200);
    expect(begun).toHaveBeenCalledTimes(1);
    expect((await root.delete('drafts', small.id)).status).toBe(204);
  });

  it('OPS-39 wide records that are changed wait for room before anything is done, and are answered in turn', async () => {
    const made = await root.make('notes', { title: 'old', body: 'x'.repeat(WIDTH) });
    const url = `/api/collections/notes/records/${made.id}`;
    const change = (title: string) => fetch(new URL(url, origin), { ...JSON_PATCH, body: JSON.stringify({ title }) });
    const title = async () => (await roost.inject({ url: `${url}?fields=title` })).body['title'];
    const turns = vi.spyOn(EventLoopTurn.prototype, 'next');
    onTestFinished(() => turns.mockRestore());
    const first = (await (await change('first')).json()) as { title: string; body: string };
    expect([first.title, first.body.length]).toEqual(['first', WIDTH]);
    expect(turns).toHaveBeenCalledTimes(1);

    Object.assign(room.limits, { all: 2 * MEBIBYTE, client: 2 * MEBIBYTE, stall: 1_000_000 });
    const other = room.shareOf(new ServerResponse(new IncomingMessage(new Socket())), 'somebody else');
    expect(other.tryTake(2 * MEBIBYTE)).toBe(true);
    const second = change('second');
    await expect.poll(() => room.waitingAnswers).toBe(1);
    const stored = roost.app.get(RecordsService, { strict: false });
    expect((await stored.findOne('notes', made.id)).get('title')).toBe('first');
    other.release();
    expect((await second).status).toBe(200);
    expect(await title()).toBe('second');
  });

  it('OPS-39 of many wide records that are changed at once most wait for room before one of them was seen', async () => {
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'body', type: 'editor' },
    ];
    await roost.createCollections({ name: 'memos', type: 'base', viewRule: '', updateRule: '', fields });
    const stored = roost.app.get(RecordsService, { strict: false });
    const made: string[] = [];
    while (made.length < 20) made.push((await stored.create('memos', { body: 'x'.repeat(WIDTH) })).id);
    Object.assign(room.limits, { all: 2 * MEBIBYTE, client: 2 * MEBIBYTE, stall: 1_000_000 });
    const other = room.shareOf(new ServerResponse(new IncomingMessage(new Socket())), 'somebody else');
    expect(other.tryTake(2 * MEBIBYTE)).toBe(true);
    // Whoever does not wait for room waits for this.
    const [held, release] = gate();
    const [isHeld, begin] = gate();
    const holder = stored.transaction(async () => {
      for (const id of made) await stored.update('memos', id, { title: 'held' });
      begin();
      await held;
    });
    await isHeld;
    const answers = made.map(async (id) => {
      const url = new URL(`/api/collections/memos/records/${id}`, origin);
      const answer = await fetch(url, { ...JSON_PATCH, body: '{"title":"new"}' });
      return [answer.status, (await answer.text()).length > WIDTH];
    });
    await expect.poll(() => room.waitingAnswers).toBe(4);
    other.release();
    release();
    await holder;
    expect(await Promise.all(answers)).toEqual(made.map(() => [200, true]));
    expect(await stored.count('memos', { filter: "title = 'new'" })).toBe(20);
  });

  it('OPS-39 wait for room and are not refused', async () => {
    Object.assign(room.limits, { all: 20 * MEBIBYTE, client: 20 * MEBIBYTE, stall: 1_000_000 });
    const first = await ask();
    await expect.poll(() => room.takenBytes).toBeGreaterThan(whole);
    const others = [await ask(`${PAGE}&sort=title`), await ask(`${PAGE}&sort=-title`), await ask(`${PAGE}&sort=id`)];
    await expect.poll(() => room.waitingAnswers).toBe(3);
    for (const { socket } of [first, ...others]) socket.resume();
    await expect.poll(() => others.map(({ bytes }) => bytes > whole), { timeout: 30_000 }).toEqual([true, true, true]);
  });

  it('OPS-39 do not keep those of another client waiting, nor small ones, nor anything else', async () => {
    Object.assign(room.limits, { all: 40 * MEBIBYTE, client: 20 * MEBIBYTE, stall: 1_000_000 });
    for (const sort of ['', 'title', '-title', 'id']) await ask(`${PAGE}&sort=${sort}`);
    await expect.poll(() => room.waitingAnswers).toBeGreaterThanOrEqual(2);
    const small = await ask(`${PAGE}&fields=title`);
    const other = await ask(`${PAGE}&sort=-id`, '127.0.0.2');
    for (const { socket } of [small, other]) socket.resume();
    await expect.poll(() => other.bytes, { timeout: 30_000 }).toBeGreaterThan(whole);
    expect((await fetch(new URL('/api/health', origin))).status).toBe(200);
    expect(room.waitingAnswers).toBeGreaterThanOrEqual(2);
  });

  it('OPS-39 that nobody reads make room for those who wait', async () => {
    Object.assign(room.limits, { all: 20 * MEBIBYTE, client: 20 * MEBIBYTE, stall: 100, look: 20 });
    const unread = await ask();
    await expect.poll(() => room.takenBytes).toBeGreaterThan(whole);
    const waiting = await ask(`${PAGE}&sort=title`);
    waiting.socket.resume();
    await expect.poll(() => waiting.bytes, { timeout: 30_000 }).toBeGreaterThan(whole);
    unread.socket.resume();
    await expect.poll(() => unread.isClosed).toBe(true);
    expect(unread.bytes).toBeLessThan(whole);
  });

  it('OPS-39 are the same as small ones, with what is picked of them', async () => {
    const { body } = await root.list('pages', { perPage: `${RECORDS}`, sort: 'title', fields: '*,body:excerpt(3)' });
    const [page, ...rest] = await Promise.all(
      [`${PAGE}&sort=title`, `${PAGE}&sort=title&page=2`].map(async (path) =>
        (await fetch(new URL(path, origin))).json(),
      ),
    );
    const large = page as typeof body;
    expect({ ...large, items: [] }).toEqual({ ...body, items: [], totalItems: -1, totalPages: -1 });
    expect(Object.keys(large)).toEqual(Object.keys(body));
    const cut = large.items.map((item: { body: string }) => ({ ...item, body: item.body.slice(0, 3) }));
    expect(cut).toEqual(body.items);
    expect(rest[0]).toEqual({ ...large, items: [], page: 2 });
  });

  it('OPS-39 give their share back when the client goes away, and when they cannot be made', async () => {
    const gone = await ask();
    await expect.poll(() => room.takenBytes).toBeGreaterThan(whole);
    gone.socket.destroy();
    await expect.poll(() => room.takenBytes).toBe(0);
    const database = roost.app.get(Database);
    await database.transaction(async () => {
      for (let index = 0; index < RECORDS; index++) {
        await roost.app.get(RecordsService).create('drafts', { title: `${index}`, body: 'x'.repeat(WIDTH) });
      }
    });
    expect((await fetch(new URL(PAGE.replace('pages', 'drafts'), origin))).status).toBe(403);
  });

  it('OPS-39 are made of one record after the other, of which nothing is kept as JSON', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const presenter = roost.app.get(RecordPresenter, { strict: false });
    const { items } = await roost.app.get(RecordsService, { strict: false }).find('pages', { perPage: 5 });
    const shown: WeakRef<object>[] = [];
    const each = presenter.presentEach(await presenter.prepare(items, GUEST), undefined, new EventLoopTurn());
    // Not to its end, with which everything would go.
    while (shown.length < items.length) shown.push(new WeakRef((await each.next()).value as object));
    // A reference that was just made holds until others have had their turn.
    await sleep(1);
    collectGarbage();
    expect(shown.slice(0, -1).map((reference) => reference.deref())).toEqual(Array(4).fill(undefined));
    await each.return(undefined);
  });

  it('OPS-39 single large records count as well', async () => {
    const { id } = await root.make('pages', { title: 'wide', body: 'x'.repeat(5 * MEBIBYTE - 10) });
    const view = await ask(`/api/collections/pages/records/${id}`);
    await expect.poll(() => room.takenBytes).toBeGreaterThan(0);
    view.socket.resume();
    await expect.poll(() => view.isClosed).toBe(true);
    expect(view.bytes).toBeGreaterThan(5 * MEBIBYTE - 10);
    await root.delete('pages', id);
  });
});
