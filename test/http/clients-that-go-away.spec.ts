import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanActivate,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Logger,
  Module,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyReader } from '../../src/http/body/body-reader.js';
import { ReadsBody } from '../../src/http/body/reads-body.decorators.js';
import type { RoostRequest } from '../../src/http/request/roost-request.js';
import { PayloadTooLargeError } from '../../src/kernel/errors/payload-too-large.error.js';
import { BeforeRecordCreate } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SseHub } from '../../src/sse/sse-hub.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

/** Where a request waits until its test lets it go on. */
class Gate {
  arrived = 0;
  private open = () => {};
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  pass(): Promise<void> {
    this.arrived++;
    return this.opened;
  }

  letGo(): void {
    this.open();
  }
}

let gate: Gate;
/** What reading the body by itself told a route. */
let caught: unknown[];

@Injectable()
class GateGuard implements CanActivate {
  async canActivate(): Promise<boolean> {
    await gate.pass();
    return true;
  }
}

@Controller('team')
class TeamController {
  @Get('held')
  held(): Promise<void> {
    return gate.pass();
  }

  @Post('guarded')
  @UseGuards(GateGuard)
  @ReadsBody()
  guarded(): void {}

  @Post('raw')
  @HttpCode(204)
  async raw(@Req() { raw }: RoostRequest): Promise<void> {
    try {
      for await (const chunk of raw) void chunk;
    } catch (error) {
      caught.push(error);
      throw error;
    }
  }

  @Post('partly')
  async partly(@Req() { raw }: RoostRequest): Promise<void> {
    for await (const chunk of raw) throw new PayloadTooLargeError(String((chunk as Buffer).length));
  }
}

@Injectable()
class GateHook {
  @BeforeRecordCreate('held')
  wait(): Promise<void> {
    return gate.pass();
  }
}

@Module({ controllers: [TeamController], providers: [GateHook] })
class TeamModule {}

let roost: TestRoost;
let token: string;
let port: number;

beforeEach(async () => {
  gate = new Gate();
  caught = [];
  roost = await startRoost({ imports: [TeamModule] });
  token = await roost.createSuperuser();
  const open = { type: 'base', viewRule: '', createRule: '' };
  const fields = [{ name: 'file', type: 'file', maxSize: 10_000_000 }];
  await roost.createCollections({ name: 'docs', ...open, fields }, { name: 'held', ...open, fields: [] });
  await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
  port = Number(new URL(await roost.listen()).port);
});
afterEach(async () => {
  vi.restoreAllMocks();
  gate.letGo();
  await roost.close();
});

/** Sends bytes over a connection of their own, and reads nothing. */
async function send(bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

function post(path: string, body: string, { type = 'application/json', length = body.length } = {}): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

const batchOf = (collection: string) => ({
  requests: [{ method: 'POST', url: `/api/collections/${collection}/records` }],
});
const countOf = (collection: string) => roost.app.get(RecordsService, { strict: false }).count(collection);

/** Messages and statuses of the request log but for those of the test itself. */
async function logged(): Promise<[string, number][]> {
  const filter = encodeURIComponent("data.type = 'request' && message !~ '/api/settings' && message !~ '/import'");
  const { body } = await roost.inject({ url: `/api/logs?sort=rowid&filter=${filter}`, token });
  return body.items.map(({ message, data }: { message: string; data: { status: number } }) => [message, data.status]);
}

describe('whoever goes away', () => {
  it('OPS-39 has nothing done before its turn, behind another request of its connection', async () => {
    const hub = roost.app.get(SseHub, { strict: false });
    const batch = JSON.stringify(batchOf('held'));
    const socket = await send(get('/team/held') + post('/api/batch', batch) + get('/api/realtime'));
    await expect.poll(() => gate.arrived).toBe(1);
    socket.destroy();
    await expect.poll(logged).toEqual([['GET /team/held', 499]]);
    gate.letGo();
    expect([hub.size, gate.arrived, await countOf('held')]).toEqual([0, 1, 0]);
  });

  it('OPS-39 is answered in order, one request after the other', async () => {
    const socket = await send(
      get('/team/held') + post('/api/batch', JSON.stringify(batchOf('docs'))) + get('/api/health'),
    );
    let answers = '';
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    await expect.poll(() => gate.arrived).toBe(1);
    expect(await countOf('docs')).toBe(0);
    gate.letGo();
    await expect.poll(() => answers.match(/HTTP\/1\.1 \d+/g)).toHaveLength(3);
    expect(answers).toMatch(/"collectionName":"docs"[^]*"message":"API is healthy/);
    expect(await countOf('docs')).toBe(1);
    socket.destroy();
  });

  it('OPS-39 is cut off when it asks for too much before it has an answer, and nothing of it is done', async () => {
    const socket = await send(get('/team/held') + get('/api/health').repeat(32));
    await expect.poll(() => gate.arrived).toBe(1);
    // With or without an error: it may be closed while it still sends.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(post('/api/batch', JSON.stringify(batchOf('docs'))));
    await closed;
    gate.letGo();
    await expect.poll(logged).toEqual([['GET /team/held', 499]]);
    expect(await countOf('docs')).toBe(0);
  });

  it('OPS-39 is cut off when what it asks for is too long before it has an answer', async () => {
    const socket = await send(get('/team/held'));
    await expect.poll(() => gate.arrived).toBe(1);
    // With or without an error: it may be closed while it still sends.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const long = `GET /api/health HTTP/1.1\r\nHost: a\r\nx-long: ${'x'.repeat(12_000)}\r\n\r\n`;
    socket.write(long.repeat(20));
    await closed;
    gate.letGo();
    await expect.poll(logged).toEqual([['GET /team/held', 499]]);
  });

  it('OPS-39 has as many requests answered as may wait', async () => {
    const socket = await send(get('/team/held') + get('/api/health').repeat(32));
    let answers = '';
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    await expect.poll(() => gate.arrived).toBe(1);
    gate.letGo();
    await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)).toHaveLength(33);
    socket.write(get('/api/health'));
    await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)).toHaveLength(34);
    socket.destroy();
  });

  it('RT-19 has no stream any more', async () => {
    const hub = roost.app.get(SseHub, { strict: false });
    const socket = await send(get('/api/realtime'));
    await expect.poll(() => hub.size).toBe(1);
    socket.destroy();
    await expect.poll(() => hub.size).toBe(0);
  });

  it('FS-72 frees the file descriptor', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(9_000_000)]), 'large.bin');
    const { id, file } = (await roost.inject({ url: '/api/collections/docs/records', body: form })).body;
    const socket = (await send(get(`/api/files/docs/${id}/${file}`))).pause();
    await expect.poll(openFiles).toBe(1);
    socket.destroy();
    await expect.poll(openFiles).toBe(0);
  });

  it('BAT-12 leaves nothing of a batch', async () => {
    const socket = await send(post('/api/batch', JSON.stringify(batchOf('held'))));
    await expect.poll(() => gate.arrived).toBe(1);
    socket.destroy();
    await expect.poll(logged).toEqual([['POST /api/batch', 499]]);
    gate.letGo();
    // The next writer has its turn when the batch is over.
    expect((await roost.inject({ method: 'POST', url: '/api/collections/docs/records' })).status).toBe(200);
    expect(await countOf('held')).toBe(0);
  });

  async function openFiles(): Promise<number> {
    const fds = await readdir('/proc/self/fd');
    const targets = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return targets.filter((target) => target.startsWith(join(roost.dir, 'storage'))).length;
  }
});

describe('whoever goes away while its body', () => {
  it.each([
    ['application/json', '{"a":'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'],
  ])('FS-22 is not read yet leaves no reader of %s behind', async (type, body) => {
    const read = vi.spyOn(BodyReader.prototype, 'read');
    const socket = await send(post('/team/guarded', body, { type, length: 1000 }));
    await expect.poll(() => gate.arrived).toBe(1);
    socket.destroy();
    await expect.poll(logged).toEqual([['POST /team/guarded', 499]]);
    gate.letGo();
    await expect.poll(() => read.mock.results).toHaveLength(1);
    await expect(read.mock.results[0]!.value).rejects.toThrow('The body ended before it was complete.');
  });

  it('BAT-12 is looked at has no batch run', async () => {
    const { read } = BodyReader.prototype;
    vi.spyOn(BodyReader.prototype, 'read').mockImplementationOnce(async function (this: BodyReader, ...of) {
      const body = await read.apply(this, of);
      await gate.pass();
      return body;
    });
    const socket = await send(post('/api/batch', JSON.stringify(batchOf('docs'))));
    await expect.poll(() => gate.arrived).toBe(1);
    socket.destroy();
    await expect.poll(logged).toEqual([['POST /api/batch', 499]]);
    gate.letGo();
    expect((await roost.inject({ url: '/api/batch', body: batchOf('docs') })).status).toBe(200);
    expect(await countOf('docs')).toBe(1);
  });

  it('OPS-84 is read by a route itself is in the request log, and no fault of the server', async () => {
    const fault = vi.spyOn(Logger.prototype, 'error');
    const socket = await send(post('/team/raw', 'some', { length: 1000 }));
    socket.destroy();
    await expect.poll(logged).toEqual([['POST /team/raw', 499]]);
    await expect.poll(() => caught).toHaveLength(1);
    await roost.inject({ url: '/api/health' });
    expect(fault).not.toHaveBeenCalled();
  });
});

it('FS-21 whoever closes the connection with its request gets to read the early answer before all of its body is sent', async () => {
  const head = 'POST /api/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n';
  const socket = await send(`${head}some`);
  let ended = false;
  socket.on('end', () => (ended = true));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 [^]*connection: close/i);
  await sleep(100);
  expect(ended).toBe(false);
  socket.write('x'.repeat(100_000 - 'some'.length));
  await once(socket, 'close');
});

it('OPS-84 a route that stops reading its body in the middle is logged, and its connection let go of', async () => {
  const connections = (roost.app.getHttpAdapter().getInstance() as unknown as FastifyInstance).connections;
  const socket = await send(post('/team/partly', 'x'.repeat(100_000), { length: 200_000 }));
  await once(socket.resume(), 'close');
  await expect.poll(logged).toEqual([['POST /team/partly', 413]]);
  expect(connections.requests).toBe(0);
});

describe('what is no request', () => {
  /** All that comes back until the server closes the connection. */
  async function answerTo(socket: Socket): Promise<string> {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    return Buffer.concat(chunks).toString('latin1');
  }

  it('RT-70 is not answered in the middle of a stream', async () => {
    const socket = await send(get('/api/realtime'));
    const answer = answerTo(socket);
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 (?:(?!HTTP\/)[^])*PB_CONNECT(?:(?!HTTP\/)[^])*$/);
  });

  it('OPS-84 is answered in the place of a request that waits, and logged as that', async () => {
    const socket = await send(`${get('/team/held')}nonsense\r\n\r\n`);
    expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 400 /);
    gate.letGo();
    await roost.inject({ url: '/api/health' });
    expect(await logged()).toEqual([
      ['GET /team/held', 400],
      ['GET /api/health', 200],
    ]);
  });

  it.each(['chunked', 'gzip'])(
    'OPS-84 makes one entry with the status of the answer, transferred %s',
    async (coding) => {
      const head = `POST /api/collections/docs/records HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const socket = await send(`${head}zz\r\n`);
      expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 400 /);
      await roost.inject({ url: '/api/health' });
      expect(await logged()).toEqual([
        ['POST /api/collections/docs/records', 400],
        ['GET /api/health', 200],
      ]);
    },
  );
});
