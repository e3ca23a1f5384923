import { Injectable, Module } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import { BeforeRealtimeConnect, type RealtimeConnectEvent } from '../../src/realtime/realtime.hooks.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost, TestRoostOptions } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';
import { Listener } from './listener.js';

let roost: TestRoost;
const readers: SseReader[] = [];

async function start(options: TestRoostOptions = {}): Promise<number> {
  roost = await startRoost(options);
  return Number(new URL(await roost.listen()).port);
}

async function open(port: number, headers: Record<string, string> = {}, path?: string): Promise<SseReader> {
  const reader = await SseReader.open({ port, headers, path });
  readers.push(reader);
  return reader;
}

const service = () => roost.app.get(RealtimeService, { strict: false });
const settings = () => roost.app.get(SettingsService, { strict: false });

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await roost.close();
});

@Injectable()
class ConnectHooks {
  @BeforeRealtimeConnect()
  limit(event: RealtimeConnectEvent): void {
    if (event.caller.request.headers['x_refuse']) throw new ForbiddenError('Not today.');
    event.idleTimeout = 60_000;
    event.maxAge = 90_000;
  }
}

@Module({ providers: [ConnectHooks] })
class ConnectModule {}

describe('opening a stream', () => {
  it('RT-1 RT-2 answers with the exact headers, those of every answer among them, and never compresses', async () => {
    const port = await start();
    const reader = await open(port, { Origin: 'http://elsewhere.test', 'Accept-Encoding': 'gzip, br' });
    expect(reader.status).toBe(200);
    const names = [
      ['content-type', 'text/event-stream'],
      ['cache-control', 'no-store'],
      ['x-accel-buffering', 'no'],
      ['access-control-allow-origin', '*'],
      ['vary', 'Origin'],
      ['x-content-type-options', 'nosniff'],
      ['x-frame-options', 'SAMEORIGIN'],
      ['x-xss-protection', '1; mode=block'],
      ['content-length', undefined],
      ['content-encoding', undefined],
    ] as const;
    for (const [name, value] of names) expect([name, reader.header(name)]).toEqual([name, value]);
  });

  it('RT-3 RT-7 begins with the two connect messages whatever is asked', async () => {
    const port = await start();
    const reader = await open(port, { 'Last-Event-ID': 'abc' }, '/api/realtime?clientId=abc&x=1');
    await reader.until(() => reader.messages.length === 2);
    const id = reader.clientId;
    expect(id).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(reader.body).toBe(
      ['SVC_CONNECT', 'PB_CONNECT'].map((name) => `id:${id}\nevent:${name}\ndata:{"clientId":"${id}"}\n\n`).join(''),
    );
  });

  it('RT-6 starts as the account of a valid token, bare or after Bearer, and as a guest without one', async () => {
    const port = await start();
    const token = await roost.createSuperuser();
    const headers: Record<string, string>[] = [
      { Authorization: token },
      { Authorization: `Bearer ${token}` },
      {},
      { Authorization: 'nonsense' },
      { Authorization: `${token}x` },
    ];
    const identities: (string | undefined)[] = [];
    for (const each of headers) {
      const reader = await open(port, each);
      await reader.until(() => reader.messages.length === 2);
      const client = service().clients.find(({ id }) => id === reader.clientId)!;
      identities.push(client.auth?.collection.name);
      expect(client.ip).toBe('127.0.0.1');
    }
    expect(identities).toEqual(['_superusers', '_superusers', undefined, undefined, undefined]);
  });

  it('RT-6 refuses a superuser from an address that is not listed', async () => {
    const port = await start();
    const token = await roost.createSuperuser();
    await settings().patch({ superuserIPs: ['10.1.2.3'] });
    const reader = await open(port, { Authorization: token });
    expect(reader.status).toBe(403);
    expect(service().clients).toHaveLength(0);
    expect((await open(port)).status).toBe(200);
  });

  it('RT-8 RT-31 knows the address behind a trusted proxy, from which alone it takes subscriptions', async () => {
    const port = await start();
    await settings().patch({ trustedProxy: { headers: ['X-Real'], useLeftmostIP: false } });
    const reader = await open(port, { 'X-Real': '10.1.1.1' });
    await reader.until(() => reader.messages.length === 2);
    expect(service().clients[0]!.ip).toBe('10.1.1.1');
    const body = { clientId: reader.clientId, subscriptions: ['a'] };
    const statusFrom = async (ip: string) =>
      (await roost.inject({ url: '/api/realtime', body, headers: { 'x-real': ip } })).status;
    expect(await statusFrom('10.1.1.2')).toBe(400);
    expect(await statusFrom('10.1.1.1')).toBe(204);
  });

  it('RT-9 OPS-86 is not logged when it ends normally, but when it was refused', async () => {
    const port = await start({ config: { ROOST_REALTIME_MAX_CLIENTS: 1 } });
    const token = await roost.createSuperuser();
    const reader = await open(port);
    expect((await open(port)).status).toBe(503);
    reader.close();
    await expect.poll(() => service().clients.length).toBe(0);
    await expect
      .poll(
        async () => {
          const logs = await roost.inject({ url: `/api/logs?filter=data.url='/api/realtime'`, token });
          return logs.body.items.map(({ data }: { data: { status: number } }) => data.status);
        },
        { timeout: 10_000 },
      )
      .toEqual([503]);
  });

  it('RT-10 counts a stream once, when it opens', async () => {
    const port = await start();
    const rules = [{ label: 'GET /api/realtime', audience: '', duration: 60, maxRequests: 2 }];
    await settings().patch({ rateLimits: { enabled: true, rules } });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await open(port)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const listener = service().clients[0]!;
    const body = { clientId: listener.id, subscriptions: [] };
    for (let count = 0; count < 3; count++) {
      expect((await roost.inject({ url: '/api/realtime', body })).status).toBe(204);
    }
  });

  it('RT-11 answers HEAD without opening one', async () => {
    await start();
    const answer = await roost.inject({ method: 'HEAD', url: '/api/realtime' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.text).toBe('');
    expect(service().clients).toHaveLength(0);
  });

  it('RT-12 answers 503 with Retry-After when there are as many as allowed', async () => {
    const port = await start({ config: { ROOST_REALTIME_MAX_CLIENTS: 1 } });
    const first = await open(port);
    const second = await open(port);
    expect(second.status).toBe(503);
    expect(second.header('retry-after')).toBe('5');
    await second.until(() => second.body.includes('}'));
    expect(JSON.parse(second.body)).toMatchObject({ code: 503, data: {} });
    first.close();
    await expect.poll(() => service().clients.length).toBe(0);
    expect((await open(port)).status).toBe(200);
  });

  it('RT-22 lets a hook set the terms of a stream, or refuse it', async () => {
    const port = await start({ imports: [ConnectModule] });
    const refused = await open(port, { 'X-Refuse': '1' });
    expect(refused.status).toBe(403);
    await refused.until(() => refused.body.includes('}'));
    expect(JSON.parse(refused.body)).toMatchObject({ code: 403, message: 'Not today.' });
    const idle = await open(port);
    const busy = await Listener.to(roost, ['news']);
    roost.clock.advance(50_000);
    service().publish('news', {});
    await busy.receive(1);
    roost.clock.advance(10_000);
    await idle.ended();
    expect(idle.endedCleanly).toBe(true);
    expect(busy.reader.endedCleanly).toBe(false);
    roost.clock.advance(30_000);
    await busy.reader.ended();
    expect(busy.reader.endedCleanly).toBe(true);
  });

  it('RT-18 RT-20 RT-21 ends the streams of a stopping application cleanly', async () => {
    await start();
    const listener = await Listener.to(roost, ['news']);
    service().publish('news', { last: true });
    await listener.receive(1);
    await roost.close();
    await listener.reader.ended();
    expect(listener.reader.endedCleanly).toBe(true);
    expect(listener.reader.body.endsWith('data:{"last":true}\n\n')).toBe(true);
  });
});
