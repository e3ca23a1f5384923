import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuxiliaryDatabase } from '../../src/database/database.js';
import { LogRetention } from '../../src/logs/log-retention.js';
import { LogsService } from '../../src/logs/logs.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { startRoost } from '../support/roost.js';

interface Entry {
  readonly level: number;
  readonly message: string;
  // Entries hold whatever was worth remembering.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: Record<string, any>;
}

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
});
afterAll(() => roost.close());

beforeEach(async () => {
  await settings({ logs: { maxDays: 5, minLevel: 0, logIP: true, logAuthId: false } });
  await roost.inject({ method: 'DELETE', url: '/api/logs', token });
});

async function settings(body: object): Promise<void> {
  expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body })).status).toBe(200);
}

async function entries(filter = "data.type = 'request'"): Promise<Entry[]> {
  const url = `/api/logs?sort=rowid&filter=${encodeURIComponent(filter)}`;
  const { body, status, text } = await roost.inject({ url, token });
  if (status !== 200) throw new Error(text);
  return body.items;
}

describe('the log of requests', () => {
  it('OPS-84 has one entry for a request that went well', async () => {
    await roost.inject({
      url: '/api/health?a=%C3%A9',
      headers: { 'user-agent': 'test agent', referer: 'https://example.com/' },
    });
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{15}$/),
      created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 0,
      message: 'GET /api/health?a=é',
      data: {
        type: 'request',
        url: '/api/health?a=%C3%A9',
        method: 'GET',
        status: 200,
        execTime: expect.any(Number),
        referer: 'https://example.com/',
        userAgent: 'test agent',
        auth: '',
        userIP: '127.0.0.1',
        remoteIP: '127.0.0.1',
      },
    });
  });

  it('OPS-84 has one entry for each answer of a connection, asked for all at once', async () => {
    const { hostname, port } = new URL(await roost.listen());
    const socket = connect(Number(port), hostname).resume();
    const heads = [1, 2, 3].map((n) => `GET /api/health?n=${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.write(heads.join(''));
    const logged = async () => (await entries()).map(({ message, data }) => [message, data['status']]);
    await expect.poll(logged).toHaveLength(3);
    // What would come twice has come by now.
    socket.end();
    await once(socket, 'close');
    expect(await logged()).toEqual([1, 2, 3].map((n) => [`GET /api/health?n=${n}`, 200]));
    for (const { data } of await entries()) expect(data['execTime']).toBeGreaterThan(0);
  });

  it('OPS-84 tells why a request was refused, at level 8', async () => {
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { meta: { appName: '' } } });
    const [entry] = await entries();
    expect(entry).toMatchObject({
      level: 8,
      data: { status: 400, auth: '_superusers', details: { meta: { appName: { code: 'validation_required' } } } },
    });
    expect(entry!.data['error']).not.toBe('');
  });

  it('OPS-84 says nothing of a failure in the entries of the same client that come after', async () => {
    for (const url of ['/api/health', '/api/nothing', '/api/health']) await roost.inject({ url });
    expect((await entries()).map(({ data }) => [data['status'], 'error' in data])).toEqual([
      [200, false],
      [404, true],
      [200, false],
    ]);
  });

  it('OPS-84 sees requests that no route owns, and those a guard refused', async () => {
    await roost.inject({ url: '/api/nothing' });
    await roost.inject({ url: '/api/settings' });
    expect((await entries()).map(({ data }) => data.status)).toEqual([404, 401]);
  });

  it('OPS-84 cuts long texts', async () => {
    await roost.inject({ url: `/api/health?x=${'a'.repeat(5000)}`, headers: { 'user-agent': 'b'.repeat(3000) } });
    const [{ data }] = (await entries()) as [Entry];
    expect(data.url).toHaveLength(3000);
    expect(data.url.endsWith('a...')).toBe(true);
    expect(data.userAgent).toHaveLength(2000);
  });

  it('OPS-84 names accounts and addresses only when the settings say so, from the next request on', async () => {
    await settings({ logs: { logIP: false, logAuthId: true } });
    await roost.inject({ method: 'DELETE', url: '/api/logs', token });
    await roost.inject({ url: '/api/collections', token });
    const [{ data }] = (await entries()) as [Entry];
    expect(data.authId).toMatch(/^[a-z0-9]{15}$/);
    expect(data).not.toHaveProperty('userIP');
    expect(data).not.toHaveProperty('remoteIP');
  });

  it('OPS-85 never holds what was planted as a secret', async () => {
    const planted = 'PLANTED-SECRET';
    await settings({ smtp: { password: planted } });
    const requests = [
      `/api/health?token=${planted}&x=1`,
      `/api/health?x=1&TOKEN=${planted}`,
      `/api/health?%74oken=${planted}`,
      `/api/health?code=${planted}&state=${planted}&access_token=${planted}&password=${planted}`,
      `/api/nothing?token=${planted}#token`,
      `/api/nothing?token=${planted}%ff`,
    ];
    for (const url of requests) {
      await roost.inject({ url, headers: { authorization: `Bearer ${planted}`, referer: `https://a.example${url}` } });
    }
    await roost.inject({
      url: '/api/collections/_superusers/auth-with-password',
      body: { identity: 'root@example.com', password: planted },
    });
    const { text, body } = await roost.inject({ url: '/api/logs?perPage=1000', token });
    expect(body.items.length).toBeGreaterThan(requests.length);
    expect(text).not.toContain(planted);
    expect(text).toContain('token=***&x=1');
  });

  it('OPS-86 leaves out what is asked for all the time, unless it fails', async () => {
    await roost.inject({ url: '/api/logs', token });
    await roost.inject({ url: '/api/logs/stats', token });
    await roost.inject({ method: 'HEAD', url: '/api/realtime' });
    const quiet = ['/api/oauth2-redirect?state=unknown&code=1', '/_'];
    for (const url of quiet) expect((await roost.inject({ url })).status, url).toBeLessThan(400);
    await roost.inject({ method: 'OPTIONS', url: '/api/health', headers: { origin: 'https://example.com' } });
    await roost.inject({ url: '/api/logs' });
    expect((await entries()).map(({ message }) => message)).toEqual(['GET /api/logs']);
  });

  it('RT-25 has an entry for a change of subscriptions, though none for the stream', async () => {
    const listener = await Listener.to(roost, ['news']);
    listener.close();
    await expect.poll(async () => (await entries()).map(({ message }) => message)).toEqual(['POST /api/realtime']);
  });

  it('OPS-81 stores nothing below the level of the settings', async () => {
    await settings({ logs: { minLevel: 8 } });
    await roost.inject({ url: '/api/health' });
    await roost.inject({ url: '/api/nothing' });
    expect((await entries('level >= 0')).map(({ message }) => message)).toEqual(['GET /api/nothing']);
  });
});

describe('the log of the application', () => {
  it('OPS-6 holds which settings were changed, without their values', async () => {
    await settings({ smtp: { password: 'another-planted-secret' }, meta: { appName: 'Other' } });
    const [entry] = await entries("data.type = 'application' && message ~ 'changed'");
    expect(entry!.message).toContain('meta.appName');
    expect(entry!.message).toContain('smtp.password');
    expect(JSON.stringify(entry)).not.toContain('another-planted-secret');
  });
});

describe('retention', () => {
  it('OPS-83 deletes at once what a change of the settings makes too low or too old', async () => {
    await roost.inject({ url: '/api/health' });
    await roost.inject({ url: '/api/nothing' });
    await entries();
    await settings({ logs: { minLevel: 5 } });
    await expect.poll(async () => (await entries('level < 5')).length).toBe(0);
    expect((await entries()).length).toBe(1);
    roost.clock.advance(-2 * 24 * 60 * 60 * 1000);
    roost.app.get(LogsService, { strict: false }).add({ level: 8, message: 'old', data: {} });
    roost.clock.reset();
    expect((await entries("message = 'old'")).length).toBe(1);
    await settings({ logs: { maxDays: 1 } });
    await expect.poll(async () => (await entries("message = 'old'")).length).toBe(0);
    expect((await entries()).length).toBe(1);
  });

  it('OPS-83 keeps everything for as many days as can be said', async () => {
    await roost.inject({ url: '/api/nothing' });
    await settings({ logs: { maxDays: Number.MAX_SAFE_INTEGER, minLevel: 5 } });
    await roost.app.get(LogRetention, { strict: false }).deleteOld();
    await expect.poll(async () => (await entries('level < 5')).length).toBe(0);
    expect((await entries()).length).toBe(1);
  });

  it('OPS-82 keeps nothing when maxDays is 0', async () => {
    await roost.inject({ url: '/api/health' });
    expect((await entries()).length).toBe(1);
    await settings({ logs: { maxDays: 0 } });
    await roost.inject({ url: '/api/health' });
    await expect.poll(async () => (await entries('id != ""')).length).toBe(0);
  });

  it('OPS-82 gives the space back when maxDays becomes 0', async () => {
    const database = roost.app.get(AuxiliaryDatabase, { strict: false });
    const logs = roost.app.get(LogsService, { strict: false });
    const pages = async () => {
      const sql = 'SELECT page_count AS "count" FROM pragma_page_count()';
      return (await database.get<{ count: number }>({ sql, params: [] }))!.count;
    };
    for (let index = 0; index < 1000; index++) logs.add({ level: 0, message: 'x'.repeat(1000), data: {} });
    // The process that writes many lets others go first.
    await expect.poll(async () => (await entries("message ~ 'xxx'")).length).toBeGreaterThan(0);
    const full = await pages();
    await settings({ logs: { maxDays: 0 } });
    await expect.poll(pages).toBeLessThan(full / 2);
  });
});
