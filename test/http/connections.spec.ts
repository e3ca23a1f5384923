import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mostConnections } from '../../src/http/adapter/connection-room.js';
import { Connections } from '../../src/http/adapter/connections.js';

/** Milliseconds after which nothing is on its way over a connection. */
const FREE_FOR = 1_100;

let server: FastifyInstance;
let connections: Connections;
let port: number;
let finish: () => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = fastify({ forceCloseConnections: 'idle' });
  connections = new Connections(server);
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.get('/slow', () => finished.then(() => 'done'));
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.server.closeAllConnections();
});

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** A connection that asked for nothing is let go of when the server closes. */
async function expectLetGo(socket: Socket, closing: FastifyInstance): Promise<void> {
  await sleep(20);
  const closed = once(socket, 'close');
  await closing.close();
  await closed;
}

/** A request that runs is answered when the server closes, and its connection then let go of. */
async function expectAnswered(socket: Socket, stopping: FastifyInstance): Promise<void> {
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  await sleep(50);
  const closed = once(socket, 'close');
  const closing = stopping.close();
  await sleep(50);
  expect(answer).toBe('');
  finish();
  await closing;
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 200[^]*done$/);
}

it('OPS-195 a stopping server does not wait for connections that never asked for anything', async () => {
  await expectLetGo(await open(), server);
});

it('OPS-195 a stopping server finishes what runs, and then lets go of the connection', async () => {
  await expectAnswered(await open(), server);
});

describe('that are kept', () => {
  const KEEP_ALIVE = 150;
  let kept: FastifyInstance;
  let finishKept: () => void;

  beforeEach(async () => {
    kept = fastify();
    kept.decorate('connections', new Connections(kept, { keepAlive: KEEP_ALIVE }));
    const finished = new Promise<void>((resolve) => (finishKept = resolve));
    kept.get('/slow', () => finished.then(() => 'done'));
    kept.get('/quick', () => 'done');
    await kept.listen({ port: 0, host: '127.0.0.1' });
    port = (kept.server.address() as AddressInfo).port;
  });
  afterEach(() => kept.server.closeAllConnections());

  const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);

  it('are ended when they have been idle for long, and only those', async () => {
    const [idle, used, waiting] = [await open(), await open(), await open()];
    const ended: Socket[] = [];
    for (const socket of [idle, used, waiting]) socket.resume().once('close', () => ended.push(socket));
    ask(idle, '/quick');
    ask(waiting, '/slow');
    const asking = setInterval(() => ask(used, '/quick'), KEEP_ALIVE / 3);
    await expect.poll(() => ended, { timeout: 10_000 }).toEqual([idle]);
    await sleep(3 * KEEP_ALIVE);
    expect(ended).toEqual([idle]);
    clearInterval(asking);
    finishKept();
    await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(3);
  });

  it('stay open once they go on in another protocol', async () => {
    const answered = new Promise<Socket>((resolve) => {
      kept.server.on('upgrade', (_request, socket: Socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n');
        resolve(socket);
      });
    });
    const socket = await open();
    let ended = false;
    socket.resume().once('close', () => (ended = true));
    ask(socket, '/quick');
    await once(socket, 'data');
    socket.write('GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n');
    const other = await answered;
    await sleep(4 * KEEP_ALIVE);
    expect(ended).toBe(false);
    other.destroy();
  });
});

describe('whose client does not read', () => {
  const STALL = 450;
  const LONG = Buffer.alloc(60_000_000, 'x');
  let stalling: FastifyInstance;
  let finishLast: () => void;
  const closed = new Set<string>();

  beforeEach(async () => {
    closed.clear();
    stalling = fastify();
    stalling.decorate('connections', new Connections(stalling, { stall: STALL, unread: Infinity }));
    const finished = new Promise<void>((resolve) => (finishLast = resolve));
    stalling.addHook('onRequest', (request, _reply, done) => {
      request.raw.socket.once('close', () => closed.add(request.url));
      done();
    });
    for (const path of ['/long', '/read']) stalling.get(path, () => LONG);
    stalling.get('/piped', (_request, reply) => reply.send(Readable.from(Array.from({ length: 9 }, () => LONG))));
    stalling.get('/last', () => finished.then(() => 'done'));
    stalling.get('/events', (_request, reply) => {
      const { raw } = reply.hijack();
      raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
      void finished.then(() => raw.end('data: last\n\n'));
    });
    await stalling.listen({ port: 0, host: '127.0.0.1' });
    port = (stalling.server.address() as AddressInfo).port;
  });
  afterEach(() => stalling.server.closeAllConnections());

  const ask = async (path: string) => {
    const socket = await open();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket;
  };

  it('OPS-39 are cut off, whatever the answer is made of', async () => {
    for (const path of ['/long', '/piped']) (await ask(path)).pause();
    await expect.poll(() => [...closed].sort(), { timeout: 10_000 }).toEqual(['/long', '/piped']);
    expect(stalling.connections.requests).toBe(0);
  });

  it('OPS-39 are left alone while they read a little, or have nothing to read', async () => {
    // The system tells of room for more when a third of what it holds has gone, so that it has to be more than that.
    const portion = 4_000_000;
    let bytes = 0;
    const reader = (await ask('/read')).on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes % portion < chunk.length) reader.pause();
    });
    const reading = setInterval(() => reader.resume(), STALL / 3);
    let answers = '';
    for (const path of ['/last', '/events'])
      (await ask(path)).on('data', (chunk: Buffer) => (answers += chunk.toString()));
    (await ask('/long')).pause();
    await expect.poll(() => [...closed], { timeout: 10_000 }).toEqual(['/long']);
    await sleep(3 * STALL);
    expect([...closed]).toEqual(['/long']);
    finishLast();
    await expect
      .poll(() => [/done$/m.test(answers), /data: last/.test(answers)], { timeout: 10_000 })
      .toEqual([true, true]);
    await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThanOrEqual(LONG.length);
    clearInterval(reading);
  });
});

describe('on which much waits', () => {
  const SIZE = 30_000_000;

  it('OPS-39 are cut off beyond what fits, the oldest of whoever lets most wait', async () => {
    const answering = fastify();
    // What the system takes itself counts for nothing.
    answering.decorate('connections', new Connections(answering, { unread: 2.5 * SIZE }));
    const long = Buffer.alloc(SIZE, 'x');
    const closed: string[] = [];
    answering.get('/*', (request) => {
      request.raw.socket.once('close', () => closed.push(request.url));
      return long;
    });
    await answering.listen({ port: 0, host: '127.0.0.1' });
    port = (answering.server.address() as AddressInfo).port;
    const ask = async (localAddress: string, path: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
      sockets.push(socket.pause());
      await once(socket, 'connect');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return socket;
    };
    const other = await ask('127.0.0.2', '/other');
    for (const path of ['/1', '/2', '/3', '/4']) await ask('127.0.0.1', path);
    await expect.poll(() => closed.toSorted(), { timeout: 10_000 }).toEqual(['/1', '/2', '/3']);
    let bytes = 0;
    other.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(SIZE);
    expect(closed).toHaveLength(3);
    answering.server.closeAllConnections();
    await answering.close();
  });

  it('OPS-39 are left alone where it is a single answer, however large', async () => {
    const answering = fastify();
    answering.decorate('connections', new Connections(answering, { unread: SIZE / 10 }));
    answering.get('/large', () => Buffer.alloc(SIZE, 'x'));
    await answering.listen({ port: 0, host: '127.0.0.1' });
    port = (answering.server.address() as AddressInfo).port;
    const socket = await open();
    socket.pause().write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    // The connections are looked at four times a second.
    await sleep(800);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(SIZE);
    answering.server.closeAllConnections();
    await answering.close();
  });
});

describe('with TLS', () => {
  let secure: FastifyInstance;

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roost-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const flags = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=a',
    ];
    execFileSync('openssl', ['req', '-x509', ...flags, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    secure = fastify({
      forceCloseConnections: 'idle',
      https: { key: await readFile(key), cert: await readFile(cert) },
    }) as unknown as FastifyInstance;
    await rm(folder, { recursive: true });
    secure.decorate('connections', new Connections(secure, { most: 2 }));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    secure.get('/slow', () => finished.then(() => 'done'));
    await secure.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => secure.server.closeAllConnections());

  async function openSecurely(): Promise<TLSSocket> {
    const secured = connectSecurely({
      port: (secure.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    sockets.push(secured.on('error', () => {}));
    await once(secured, 'secureConnect');
    return secured;
  }

  it('OPS-195 a stopping server finishes what runs there too', async () => {
    await expectAnswered(await openSecurely(), secure);
  });

  it('OPS-195 and does not wait for connections that never asked for anything', async () => {
    await expectLetGo(await openSecurely(), secure);
  });

  it('OPS-39 and one that asked for nothing makes room for another', async () => {
    const first = await openSecurely();
    await openSecurely();
    await sleep(FREE_FOR);
    const closed = once(first.resume(), 'close');
    await openSecurely();
    await closed;
  });
});

describe('beyond as many as may be open', () => {
  let ended: string[];
  let full: FastifyInstance;

  async function start(most: number): Promise<void> {
    ended = [];
    full = fastify();
    full.decorate('connections', new Connections(full, { most }));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    full.get('/slow', () => finished.then(() => 'done'));
    full.get('/quick', () => 'done');
    await full.listen({ port: 0, host: '127.0.0.1' });
    port = (full.server.address() as AddressInfo).port;
  }
  afterEach(() => full.server.closeAllConnections());

  /** A connection of the client at this address, which has asked for something when there is a path. */
  async function openFrom(localAddress: string, name: string, path?: string): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    sockets.push(socket);
    const closed = ended;
    socket.resume().once('close', () => closed.push(name));
    await once(socket, 'connect');
    if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    if (path === '/quick') await once(socket, 'data');
    return socket;
  }

  it('OPS-39 the longest free ones of the client that has most are ended for another', async () => {
    await start(20);
    await openFrom('127.0.0.2', 'silent of another');
    await openFrom('127.0.0.2', 'answered of another', '/quick');
    await openFrom('127.0.0.1', 'waiting', '/slow');
    const first = await openFrom('127.0.0.1', 'asks again', '/quick');
    await openFrom('127.0.0.1', 'silent');
    await openFrom('127.0.0.1', 'answered', '/quick');
    for (let count = 6; count < 20; count += 1) await openFrom('127.0.0.1', 'later');
    first.write('GET /quick HTTP/1.1\r\nHost: a\r\n\r\n');
    await sleep(FREE_FOR);
    const newcomer = await openFrom('127.0.0.3', 'newcomer', '/quick');
    await expect.poll(() => ended.toSorted()).toEqual(['answered', 'silent']);
    expect(newcomer.destroyed).toBe(false);
  });

  it('OPS-39 those that wait for an answer stay, and a new one is closed', async () => {
    await start(2);
    await openFrom('127.0.0.1', 'waiting', '/slow');
    await openFrom('127.0.0.1', 'waiting as well', '/slow');
    await sleep(FREE_FOR);
    await openFrom('127.0.0.2', 'newcomer');
    await expect.poll(() => ended).toEqual(['newcomer']);
  });

  it.runIf(process.platform === 'linux')('an eighth of the open files is left for others', () => {
    const { userLimits } = process.report.getReport() as unknown as { userLimits: { open_files: { soft: number } } };
    expect(mostConnections()).toBe(Math.floor((userLimits.open_files.soft * 7) / 8));
  });
});

describe('requests that are not answered', () => {
  it('are counted until their answer is out', async () => {
    const socket = await open();
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => connections.requests).toBe(2);
    finish();
    await once(socket, 'data');
    await expect.poll(() => connections.requests).toBe(0);
  });

  it('are told of when their client goes away, if their turn had come', async () => {
    const aborted: string[] = [];
    connections.onAbort((request) => aborted.push(request.url));
    const socket = await open();
    socket.write('GET /slow?1 HTTP/1.1\r\nHost: a\r\n\r\nGET /slow?2 HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => connections.requests).toBe(2);
    socket.destroy();
    await expect.poll(() => aborted).toEqual(['/slow?1']);
    expect(connections.requests).toBe(0);
  });

  it('are not told of when they were answered, although the connection stays', async () => {
    const aborted: string[] = [];
    connections.onAbort((request) => aborted.push(request.url));
    const socket = await open();
    finish();
    for (const path of ['/slow?1', '/slow?2']) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await once(socket, 'data');
    }
    socket.destroy();
    await sleep(50);
    expect(aborted).toEqual([]);
  });

  /** Answers before it has read what it is sent, of which it waits no longer than a while for the rest. */
  async function hasty(bodyTimeout: number): Promise<FastifyInstance> {
    const answering = fastify({ forceCloseConnections: 'idle' });
    answering.decorate('connections', new Connections(answering, { bodyTimeout }));
    answering.decorateRequest('startedAt', 0);
    answering.removeAllContentTypeParsers();
    answering.addContentTypeParser('*', (_request, _payload, done) => done(null));
    answering.post('/', async () => 'done');
    await answering.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => answering.close());
    return answering;
  }

  async function post(body: string, to: FastifyInstance): Promise<Socket> {
    const socket = connect((to.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 100000\r\n\r\n${body}`);
    await once(socket, 'data');
    return socket;
  }

  it('OPS-37 are not waited for for ever when nobody reads the rest of their body', async () => {
    const answering = await hasty(100);
    const [stalled, complete] = [await post('some', answering), await post('x'.repeat(100_000), answering)];
    await once(stalled, 'close');
    expect(complete.destroyed).toBe(false);
  });

  it('OPS-195 are not waited for when the server stops and nobody reads the rest of their body', async () => {
    const answering = await hasty(60_000);
    const stalled = await post('some', answering);
    await answering.close();
    await once(stalled, 'close');
  });

  it('can be cut off', async () => {
    const socket = await open();
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => connections.requests).toBe(1);
    const closed = once(socket, 'close');
    connections.cutOff();
    await closed;
    await expect.poll(() => connections.requests).toBe(0);
  });
});
