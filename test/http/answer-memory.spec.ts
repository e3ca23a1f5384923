import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerMemory, type AnswerShare, SMALL_ANSWER } from '../../src/http/answer/answer-memory.js';
import { addAnswerMemory } from '../../src/http/answer/current-answer.decorator.js';

/** As much of a response as the room looks at. */
class FakeResponse extends EventEmitter {
  closed = false;
  headersSent = false;
  socket = { writableLength: 0 };

  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}

let room: AnswerMemory;

beforeEach(() => {
  room = new AnswerMemory();
  Object.assign(room.limits, { all: 100, client: 75, stall: 10, look: 5 });
});

function answer(client = 'a') {
  const response = new FakeResponse();
  const share = room.shareOf(response as unknown as ServerResponse, client);
  return { response, share };
}

/** Takes room, waiting if need be; tells when it has it. */
function take(client: string, bytes: number) {
  const { response, share } = answer(client);
  const state = { share, response, hasRoom: false };
  void share.take(bytes).then(() => (state.hasRoom = true));
  return state;
}

const haveRoom = (answers: readonly { hasRoom: boolean }[]) => answers.map(({ hasRoom }) => hasRoom);

describe('the room for large answers', () => {
  it('OPS-39 is given back when the answer has ended, in whatever way, and once only', () => {
    const { response, share } = answer();
    expect(share.tryTake(40)).toBe(true);
    expect(room.takenBytes).toBe(40);
    share.resize(30);
    expect(room.takenBytes).toBe(30);
    response.destroy();
    share.release();
    expect(room.takenBytes).toBe(0);
    // Nobody waits for it any more, so that it needs none.
    expect([share.tryTake(50), room.takenBytes]).toEqual([true, 0]);
  });

  it('OPS-39 lets those wait who find none, in their order, and refuses nobody', async () => {
    const first = take('a', 60);
    const second = take('a', 50);
    const third = take('a', 10);
    await nextTurn();
    expect([haveRoom([first, second, third]), room.waitingAnswers]).toEqual([[true, false, false], 2]);
    first.response.destroy();
    await nextTurn();
    expect([haveRoom([second, third]), room.takenBytes]).toEqual([[true, true], 60]);
  });

  it('OPS-39 has some left for another client, whatever waits for one', async () => {
    const many = Array.from({ length: 20 }, () => take('a', 25));
    const other = take('b', 25);
    await nextTurn();
    expect(haveRoom(many).filter(Boolean)).toHaveLength(3);
    expect(other.hasRoom).toBe(true);
  });

  it('OPS-39 goes round between clients that wait, and nobody overtakes', async () => {
    const held = [take('a', 50), take('b', 50)];
    const waiting = [take('c', 60), take('c', 10), take('d', 10), take('e', 10)];
    await nextTurn();
    held[0]!.response.destroy();
    await nextTurn();
    expect(haveRoom(waiting)).toEqual([false, false, false, false]);
    held[1]!.response.destroy();
    await nextTurn();
    expect(haveRoom(waiting)).toEqual([true, true, true, true]);
    const late = take('f', 20);
    await nextTurn();
    expect([late.hasRoom, room.takenBytes]).toEqual([false, 90]);
  });

  it('OPS-39 goes to one client after the other', async () => {
    const first = take('x', 75);
    const entered: string[] = [];
    const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => {
      const { response, share } = answer(name[0]);
      void share.take(75).then(() => entered.push(name));
      return { name, response };
    });
    first.response.destroy();
    for (let turn = 1; turn <= waiting.length; turn++) {
      await nextTurn();
      expect(entered).toHaveLength(turn);
      waiting.find(({ name }) => name === entered.at(-1))!.response.destroy();
    }
    expect(entered).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('OPS-39 lets one that is larger than all of it have its turn', async () => {
    const small = take('a', 30);
    const large = take('b', 1000);
    await nextTurn();
    expect(large.hasRoom).toBe(false);
    small.response.destroy();
    await nextTurn();
    expect([large.hasRoom, room.takenBytes]).toEqual([true, 75]);
    large.response.destroy();
    expect(room.takenBytes).toBe(0);
  });

  it('OPS-39 forgets who goes away while waiting', async () => {
    const first = take('a', 75);
    const gone = take('a', 60);
    const next = take('a', 20);
    gone.response.destroy();
    await nextTurn();
    expect([gone.hasRoom, next.hasRoom, room.waitingAnswers]).toEqual([true, false, 1]);
    first.response.destroy();
    await nextTurn();
    expect([next.hasRoom, room.takenBytes]).toEqual([true, 20]);
  });

  it('OPS-39 is taken from clients that read nothing while others wait, as far as those need it', async () => {
    const unread = [take('a', 25), take('a', 25), take('a', 25)];
    for (const { response } of unread) Object.assign(response, { headersSent: true, socket: { writableLength: 9 } });
    const reading = take('b', 20);
    Object.assign(reading.response, { headersSent: true, socket: { writableLength: 1000 } });
    const clock = setInterval(() => (reading.response.socket.writableLength -= 1), 1);
    const waiting = take('c', 30);
    await expect.poll(() => waiting.hasRoom).toBe(true);
    clearInterval(clock);
    // The oldest ones of who has most, and no more than necessary.
    expect([...unread, reading].map(({ response }) => response.closed)).toEqual([true, true, false, false]);
  });

  it('OPS-39 keeps what is still being made, and what nobody else needs', async () => {
    const making = take('a', 75);
    const unread = take('b', 20);
    Object.assign(unread.response, { headersSent: true, socket: { writableLength: 9 } });
    const waiting = take('a', 10);
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect([making.response.closed, unread.response.closed, waiting.hasRoom]).toEqual([false, false, false]);
  });

  it('OPS-39 counts the same answer once', () => {
    const { response, share } = answer();
    const again: AnswerShare = room.shareOf(response as unknown as ServerResponse, 'a');
    expect([share.tryTake(40), again.tryTake(30), room.takenBytes]).toEqual([true, true, 30]);
  });
});

describe('large answers', () => {
  let server: FastifyInstance;
  let sent: unknown;

  beforeEach(async () => {
    server = fastify();
    server.addHook('onRequest', (request, _reply, done) => {
      (request as { caller: unknown }).caller = { ip: '127.0.0.1' };
      done();
    });
    addAnswerMemory(server, room);
    server.addHook('onSend', (_request, _reply, payload, done) => {
      sent = payload;
      done(null, payload);
    });
    server.get('/:length', (request) => ({ text: 'é'.repeat(Number((request.params as { length: string }).length)) }));
    await server.ready();
  });
  afterEach(() => server.close());

  it('OPS-39 are sent as bytes, which Node keeps once, and small ones as the texts they are', async () => {
    const large = await server.inject({ url: `/${SMALL_ANSWER}` });
    expect(Buffer.isBuffer(sent)).toBe(true);
    expect(large.json()).toEqual({ text: 'é'.repeat(SMALL_ANSWER) });
    const small = await server.inject({ url: '/10' });
    expect(sent).toBe('{"text":"éééééééééé"}');
    expect(small.json()).toEqual({ text: 'é'.repeat(10) });
  });

  it('OPS-39 are sent as bytes as well when they had to wait for room', async () => {
    const { share } = answer('b');
    share.tryTake(100);
    sent = undefined;
    const waiting = server.inject({ url: `/${SMALL_ANSWER}` });
    await expect.poll(() => room.waitingAnswers).toBe(1);
    expect(sent).toBeUndefined();
    share.release();
    expect((await waiting).json()).toEqual({ text: 'é'.repeat(SMALL_ANSWER) });
    expect(Buffer.isBuffer(sent)).toBe(true);
  });
});
