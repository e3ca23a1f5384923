import { Injectable, Module } from '@nestjs/common';
import { type EventEmitter, once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EnrichRecord } from '../../src/records/record.hooks.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

/** Holds answers back until a test lets them go. */
@Injectable()
class Slow {
  private begin = () => {};
  private release = () => {};
  readonly begun = new Promise<void>((resolve) => (this.begin = resolve));
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  @EnrichRecord('docs')
  async wait(): Promise<void> {
    this.begin();
    await this.released;
  }

  letGo(): void {
    this.release();
  }
}

@Module({ providers: [Slow] })
class SlowModule {}

let roost: TestRoost;
let token: string;
let origin: string;

beforeAll(async () => {
  roost = await startRoost({ imports: [SlowModule] });
  token = await roost.createSuperuser();
  const fields = [{ name: 'file', type: 'file', maxSize: 100_000_000 }];
  await roost.createCollections({ name: 'docs', type: 'base', viewRule: '', createRule: '', fields });
  origin = await roost.listen();
});
afterAll(() => roost.close());
beforeEach(async () => {
  await roost.inject({ method: 'DELETE', url: '/api/logs', token });
});

async function entries(): Promise<{ level: number; message: string; data: Record<string, unknown> }[]> {
  const filter = encodeURIComponent("data.type = 'request'");
  return (await roost.inject({ url: `/api/logs?sort=rowid&filter=${filter}`, token })).body.items;
}

/** A request that is not awaited, because its client will go away. */
function open(path: string, method: string, headers: Record<string, string> = {}): ClientRequest {
  const client = request(origin + path, { method, headers });
  client.on('error', () => {});
  return client;
}

describe('the log of requests', () => {
  it('OPS-84 has one entry for a request whose body is broken', async () => {
    const { hostname, port } = new URL(origin);
    const head = ['POST /api/collections/docs/records HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
    const socket = connect(Number(port), hostname);
    socket.end(`${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(async () => (await entries()).length).toBeGreaterThan(0);
    expect((await entries()).map(({ message }) => message)).toEqual(['POST /api/collections/docs/records']);
  });

  const records = '/api/collections/docs/records';

  it('OPS-84 has one entry for a request whose client did not wait for the answer', async () => {
    const slow = roost.app.get(Slow, { strict: false });
    const client = open(records, 'POST', { 'content-type': 'application/json' });
    client.end('{}');
    await slow.begun;
    client.destroy();
    await expect.poll(entries).toEqual([
      expect.objectContaining({
        level: 8,
        message: `POST ${records}`,
        data: expect.objectContaining({ status: 499, error: expect.stringContaining('closed'), details: {} }),
      }),
    ]);
    slow.letGo();
    await roost.inject({ url: '/api/health' });
    expect((await entries()).map(({ message }) => message)).toEqual([`POST ${records}`, 'GET /api/health']);
  });

  it('OPS-84 has one for a request whose body never came', async () => {
    const client = open(records, 'POST', { 'content-type': 'application/json', 'content-length': '1000' });
    const begun = once(roost.app.getHttpServer() as EventEmitter, 'request');
    client.write('{"a":');
    await begun;
    client.destroy();
    await expect.poll(entries).toMatchObject([{ level: 8, message: `POST ${records}`, data: { status: 499 } }]);
  });

  it('OPS-84 has one for a download that was broken off, with the status that was sent', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(30_000_000)]), 'large.bin');
    const { id, file } = (await roost.inject({ method: 'POST', url: records, body: form })).body;
    await roost.inject({ method: 'DELETE', url: '/api/logs', token });
    const path = `/api/files/docs/${id}/${file}`;
    const client = open(path, 'GET');
    client.end();
    await once(client, 'response');
    client.destroy();
    await expect.poll(entries).toMatchObject([{ level: 0, message: `GET ${path}`, data: { status: 200 } }]);
  });

  it.each([
    ['an address that cannot be decoded', 'GET /api/%E0%A4%A HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'GET /api/%E0%A4%A'],
    ['a version that does not exist', 'GET /api/health HTTP/9\r\n\r\n', 400, 'GET /api/health'],
    [
      'a head that is too large',
      `GET /api/health?token=planted HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`,
      431,
      'GET /api/health?token=***',
    ],
  ])('OPS-84 OPS-85 has one for %s', async (_, head, status, message) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(head);
    await expect.poll(entries).toEqual([
      expect.objectContaining({
        level: 8,
        message,
        data: expect.objectContaining({ status, type: 'request', remoteIP: '127.0.0.1', error: expect.any(String) }),
      }),
    ]);
    expect(JSON.stringify(await entries())).not.toContain('planted');
    socket.destroy();
  });

  it('OPS-84 has none for a client that says nothing that can be named', async () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    expect(await entries()).toEqual([]);
  });
});
