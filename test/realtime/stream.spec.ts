import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MonotonicClock } from '../../src/kernel/monotonic-clock.js';
import type { RoostConfig } from '../../src/config/roost-config.js';
import type { SseClient, StreamOptions } from '../../src/sse/sse-client.js';
import { DEFAULT_STREAM_OPTIONS, SseHub } from '../../src/sse/sse-hub.js';
import { sseMessage } from '../../src/sse/sse-message.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { SseReader } from '../support/sse-reader.js';

const MINUTE = 60_000;

let server: FastifyInstance;
let hub: SseHub;
let clock: TestClock;
let port: number;
let terms: StreamOptions;
const readers: SseReader[] = [];

async function start(config: Partial<RoostConfig> = {}): Promise<void> {
  clock = new TestClock();
  terms = DEFAULT_STREAM_OPTIONS;
  const options = { realtimeKeepalive: 0, realtimeMaxClients: 0, ...config } as RoostConfig;
  hub = new SseHub(options, new MonotonicClock(clock));
  server = fastify({ forceCloseConnections: 'idle' });
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-frame-options', 'SAMEORIGIN');
    done();
  });
  server.head('/api/realtime', (_request, reply) => hub.answerHead(reply));
  server.get('/api/realtime', (_request, reply) => void hub.open(reply, '127.0.0.1', terms));
  server.addHook('preClose', () => hub.beforeApplicationShutdown());
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
}

async function connect(headers: Record<string, string> = {}): Promise<{ reader: SseReader; client: SseClient }> {
  const reader = await SseReader.connect({ port, headers });
  readers.push(reader);
  return { reader, client: hub.find(reader.clientId)! };
}

/** What the client writes to. */
const rawOf = (client: SseClient) => (client as unknown as { raw: ServerResponse }).raw;

const text = (length: number) => 'x'.repeat(length);

beforeEach(() => start());
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await server.close();
});

describe('a stream', () => {
  it('RT-1 RT-2 begins with the exact headers, never compressed, and keeps those of every answer', async () => {
    const { reader } = await connect({ 'Accept-Encoding': 'gzip, br' });
    expect(reader.status).toBe(200);
    expect(reader.header('content-type')).toBe('text/event-stream');
    expect(reader.header('cache-control')).toBe('no-store');
    expect(reader.header('x-accel-buffering')).toBe('no');
    expect(reader.header('x-frame-options')).toBe('SAMEORIGIN');
    expect(reader.header('content-length')).toBeUndefined();
    expect(reader.header('content-encoding')).toBeUndefined();
  });

  it('RT-3 RT-5 opens with both connect messages, byte by byte', async () => {
    const { reader } = await connect();
    const id = reader.clientId;
    expect(id).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(reader.body).toBe(
      `id:${id}\nevent:SVC_CONNECT\ndata:{"clientId":"${id}"}\n\n` +
        `id:${id}\nevent:PB_CONNECT\ndata:{"clientId":"${id}"}\n\n`,
    );
    const other = await connect();
    expect(other.reader.clientId).not.toBe(id);
  });

  it('RT-4 knows its client when the first bytes arrive', async () => {
    const { reader, client } = await connect();
    expect(client.id).toBe(reader.clientId);
    expect(hub.size).toBe(1);
  });

  it('RT-70 writes a message as two lines without an id', async () => {
    const { reader, client } = await connect();
    client.send(sseMessage('posts/*', '{"action":"create","record":{}}'));
    await reader.receive(1);
    expect(reader.body.slice(reader.body.lastIndexOf('event:posts'))).toBe(
      'event:posts/*\ndata:{"action":"create","record":{}}\n\n',
    );
  });

  it('RT-11 answers HEAD with the same headers and registers nobody', async () => {
    const reader = await SseReader.open({ port, method: 'HEAD', headers: { Connection: 'close' } });
    readers.push(reader);
    await reader.until(() => reader.closed);
    expect(reader.status).toBe(200);
    expect(reader.header('content-type')).toBe('text/event-stream');
    expect(reader.header('cache-control')).toBe('no-store');
    expect(reader.header('x-accel-buffering')).toBe('no');
    expect(reader.body).toBe('');
    expect(hub.size).toBe(0);
  });

  it('RT-12 refuses the client that is one too many and takes it when another has left', async () => {
    await server.close();
    await start({ realtimeMaxClients: 2 });
    const first = await connect();
    await connect();
    const third = await SseReader.open({ port });
    readers.push(third);
    expect(third.status).toBe(503);
    expect(() => hub.requireRoom()).toThrowError(expect.objectContaining({ headers: { 'retry-after': '5' } }));
    first.reader.close();
    await third.until(() => hub.size === 1 || third.closed, 100).catch(() => {});
    await expect.poll(() => hub.size).toBe(1);
    await connect();
    expect(hub.size).toBe(2);
  });
});

describe('the life of a stream', () => {
  it('RT-15 RT-18 ends cleanly five minutes after the last message, which keep-alive comments are not', async () => {
    await server.close();
    await start({ realtimeKeepalive: 30 });
    const { reader, client } = await connect();
    clock.advance(4 * MINUTE);
    client.send(sseMessage('a', '1'));
    clock.advance(4 * MINUTE);
    await reader.until(() => reader.comments > 0);
    expect(client.isOpen).toBe(true);
    clock.advance(MINUTE);
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
    expect(hub.find(client.id)).toBeUndefined();
    expect(reader.body.endsWith(':\n\n')).toBe(true);
  });

  it('RT-16 ends after thirty minutes however busy it is, with all that was sent before', async () => {
    const { reader, client } = await connect();
    for (let minute = 0; minute < 29; minute++) {
      clock.advance(MINUTE);
      client.send(sseMessage('a', String(minute)));
    }
    await reader.receive(29);
    expect(client.isOpen).toBe(true);
    clock.advance(MINUTE);
    client.send(sseMessage('a', 'last'));
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
    expect(reader.events.at(-1)?.data).toBe('last');
  });

  it('RT-16 writes what was waiting before it ends', async () => {
    const { reader, client } = await connect();
    reader.socket.pause();
    const count = 300;
    for (let index = 0; index < count; index++) client.send(sseMessage('a', text(20_000) + index));
    client.end();
    expect(hub.find(client.id)).toBeUndefined();
    await sleep(50);
    reader.socket.resume();
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
    expect(reader.events).toHaveLength(count);
    expect(reader.events.at(-1)?.data.endsWith(String(count - 1))).toBe(true);
  });

  it('RT-17 shows a sign of life after the configured time without output, and none when it is off', async () => {
    await server.close();
    await start({ realtimeKeepalive: 30 });
    const { reader } = await connect();
    clock.advance(30_000);
    await reader.until(() => reader.comments === 1);
    expect(reader.body.endsWith('\n\n:\n\n')).toBe(true);

    await server.close();
    await start({ realtimeKeepalive: 0 });
    const quiet = await connect();
    clock.advance(4 * MINUTE);
    await sleep(1_200);
    expect(quiet.reader.comments).toBe(0);
  });

  it('RT-15 RT-17 goes on showing signs of life, and ends in time, when the clock is set back', async () => {
    await server.close();
    await start({ realtimeKeepalive: 30 });
    const { reader } = await connect();
    clock.advance(-60 * MINUTE);
    await sleep(1_200);
    clock.advance(30_000);
    await reader.until(() => reader.comments === 1);
    clock.advance(5 * MINUTE);
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
  });

  it('RT-22 lives by the terms it was opened with', async () => {
    terms = { idleTimeout: 10 * MINUTE, maxAge: 12 * MINUTE };
    const { reader, client } = await connect();
    clock.advance(9 * MINUTE);
    await sleep(1_200);
    expect(client.isOpen).toBe(true);
    client.send(sseMessage('a', '1'));
    clock.advance(3 * MINUTE);
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
  });

  it.each(['destroy', 'reset', 'half-close'])('RT-19 forgets a peer that goes away (%s)', async (way) => {
    const { reader, client } = await connect();
    const ended: string[] = [];
    hub.onStreamEnd((gone) => ended.push(gone.id));
    if (way === 'reset') reader.socket.resetAndDestroy();
    else if (way === 'half-close') reader.socket.end();
    else reader.socket.destroy();
    await expect.poll(() => hub.size, { timeout: 1_000 }).toBe(0);
    expect(ended).toEqual([client.id]);
    client.send(sseMessage('a', '1'));
    expect(client.isOpen).toBe(false);
  });

  it('RT-21 ends all streams at once when the server stops, and waits a second at most for those that do not read', async () => {
    const { reader } = await connect();
    const stuck = await connect();
    stuck.reader.socket.pause();
    for (let index = 0; index < 600; index++) stuck.client.send(sseMessage('a', text(13_000)));
    expect(stuck.client.isOpen).toBe(true);
    const closed = hub.close();
    expect(hub.size).toBe(0);
    expect(() => hub.requireRoom()).toThrowError(expect.objectContaining({ status: 503 }));
    await closed;
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
    stuck.reader.socket.resume();
    await stuck.reader.until(() => stuck.reader.closed);
    expect(stuck.reader.endedCleanly).toBe(false);
    hub.reopen();
    await connect();
  });

  it('RT-21 does not keep a stopping server waiting', async () => {
    const { reader } = await connect();
    await server.close();
    await reader.ended();
    expect(reader.endedCleanly).toBe(true);
  });
});

describe('a client that reads too slowly', () => {
  it('RT-84 is cut after a thousand waiting messages, alone', async () => {
    const slow = await connect();
    const quick = await connect();
    slow.reader.socket.pause();
    let sent = 0;
    while (slow.client.isOpen && sent < 20_000) {
      const message = sseMessage('a', text(2_000));
      slow.client.send(message);
      quick.client.send(message);
      sent++;
      if (sent % 100 === 0) await quick.reader.receive(sent);
    }
    expect(slow.client.isOpen).toBe(false);
    expect(hub.find(slow.client.id)).toBeUndefined();
    // What the two sockets buffered, and then a thousand more.
    expect(sent).toBeGreaterThan(1_000);
    await quick.reader.receive(sent);
    expect(quick.client.isOpen).toBe(true);
    slow.reader.socket.resume();
    await slow.reader.until(() => slow.reader.closed);
    expect(slow.reader.endedCleanly).toBe(false);
  });

  it('RT-84 is cut after eight waiting megabytes', async () => {
    const slow = await connect();
    slow.reader.socket.pause();
    let sent = 0;
    while (slow.client.isOpen && sent < 200) {
      slow.client.send(sseMessage('a', text(1024 * 1024)));
      sent++;
      await sleep(1);
    }
    expect(slow.client.isOpen).toBe(false);
    expect(sent).toBeGreaterThan(8);
    expect(sent).toBeLessThan(40);
  });

  it('RT-84 may have exactly a thousand messages waiting, counted anew when they were read', async () => {
    const slow = await connect();
    const told = vi.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    slow.reader.socket.pause();
    const raw = vi.spyOn(rawOf(slow.client), 'write').mockImplementation(() => false);
    for (let round = 0; round < 2; round++) {
      // The first blocks the stream, the others wait.
      for (let index = 0; index < 1001; index++) slow.client.send(sseMessage('a', text(8_000)));
      expect([slow.client.isOpen, raw.mock.calls.length]).toEqual([true, 1]);
      raw.mockClear();
      raw.mockImplementation(() => true);
      rawOf(slow.client).emit('drain');
      expect(raw.mock.calls).toHaveLength(1000);
      raw.mockClear();
      raw.mockImplementation(() => false);
    }
    for (let index = 0; index < 1001; index++) slow.client.send(sseMessage('a', 'x'));
    expect([slow.client.isOpen, told.mock.calls]).toEqual([true, []]);
    slow.client.send(sseMessage('a', 'x'));
    expect(slow.client.isOpen).toBe(false);
    expect(told.mock.calls).toEqual([[expect.stringContaining('slow consumer')]]);
  });

  it('RT-84 may have exactly eight megabytes waiting', async () => {
    const { client } = await connect();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    vi.spyOn(rawOf(client), 'write').mockImplementation(() => false);
    for (let index = 0; index < 9; index++) client.send(megabyte);
    expect(client.isOpen).toBe(true);
    client.send(Buffer.from('x'));
    expect(client.isOpen).toBe(false);
  });

  it('RT-84 gets everything in order when it reads again in time', async () => {
    const { reader, client } = await connect();
    reader.socket.pause();
    const count = 900;
    for (let index = 0; index < count; index++) client.send(sseMessage('a', `${index} ${text(8_000)}`));
    await sleep(20);
    reader.socket.resume();
    const events = await reader.receive(count);
    expect(events.map((event) => Number.parseInt(event.data, 10))).toEqual(Array.from({ length: count }, (_, i) => i));
    client.send(sseMessage('a', 'after'));
    await reader.receive(count + 1);
  });

  it('RT-90 loses a topic and keeps the others', async () => {
    const { client } = await connect();
    client.topics = new Set(['@oauth2', 'posts/*']);
    client.unsubscribe('@oauth2');
    expect([...client.topics]).toEqual(['posts/*']);
  });
});

it('RT-19 forgets a peer that left before its stream was opened', async () => {
  await server.close();
  hub.reopen();
  server = fastify();
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  server.get('/api/realtime', async (request, reply) => {
    arrive();
    if (!reply.raw.destroyed) await once(request.raw.socket, 'close');
    hub.open(reply, '127.0.0.1');
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
  const opened = new Promise<void>((resolve) => hub.onStreamEnd(() => resolve()));
  const reader = SseReader.open({ port });
  await arrived;
  void reader.then((late) => late.close());
  server.server.closeAllConnections();
  await opened;
  expect(hub.size).toBe(0);
});
