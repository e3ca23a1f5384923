import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const MIB = 1024 * 1024;

describe('what every request passes', () => {
  let roost: TestRoost;
  let origin: string;
  let token: string;

  beforeAll(async () => {
    roost = await startRoost();
    origin = await roost.listen();
    token = await roost.createSuperuser();
  });

  afterAll(() => roost.close());

  const patchSettings = (body: unknown, headers: Record<string, string> = {}) =>
    roost.inject({ method: 'PATCH', url: '/api/settings', token, body, headers });

  /** Sends raw bytes and returns all that comes back until the server closes or goes quiet. */
  const raw = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      let answer = '';
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString();
        if (answer.includes('\r\n\r\n')) socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it.each(['{', '[1]', '"text"', '{"a":1} x', '{"a":1}{"b":2}', 'nonsense'])(
    'BODY-2 refuses the body %s with 400 and empty data',
    async (body) => {
      const response = await patchSettings(body, { 'content-type': 'application/json' });
      expect(response.status).toBe(400);
      expect(response.body).toEqual({ code: 400, message: expect.any(String), data: {} });
    },
  );

  it('BODY-1 refuses other content types with a body, and takes an empty body of any type', async () => {
    expect((await patchSettings('<a/>', { 'content-type': 'text/xml' })).status).toBe(400);
    expect((await patchSettings('', { 'content-type': 'text/xml' })).status).toBe(200);
  });

  it.each(['', 'json', 'undefined', 'application/', 'application / json', ';'])(
    'BODY-1 CONV-1 refuses a body of the type %j, which is none, and takes an empty one',
    async (type) => {
      const refused = await patchSettings('{"meta":{"hideControls":true}}', { 'content-type': type });
      expect(refused.status).toBe(400);
      expect(refused.body).toEqual({ code: 400, message: expect.any(String), data: {} });
      expect((await patchSettings('', { 'content-type': type })).status).toBe(200);
    },
  );

  it('BODY-1 reads the body of a client that names its type twice', async () => {
    const type = 'application/json, application/json';
    const response = await patchSettings('{"meta":{"appName":"Twice"}}', { 'content-type': type });
    expect([response.status, response.body.meta?.appName]).toEqual([200, 'Twice']);
  });

  it('BODY-1 reads the body of a client that offers HTTP/2 beside it', async () => {
    const body = JSON.stringify({ meta: { appName: 'Offered' } });
    const head = [
      'PATCH /api/settings HTTP/1.1',
      'Host: localhost',
      `Authorization: ${token}`,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    expect(await raw(`${head.join('\r\n')}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await roost.inject({ url: '/api/settings', token })).body.meta.appName).toBe('Offered');
  });

  it('OPS-34 answers 413 to a body of 33 MiB, declared or streamed', async () => {
    const body = JSON.stringify({ meta: { appName: 'x'.repeat(33 * MIB) } });
    const declared = await fetch(`${origin}/api/settings`, {
      method: 'PATCH',
      headers: { authorization: token, 'content-type': 'application/json' },
      body,
    });
    expect(declared.status).toBe(413);
    const chunk = new TextEncoder().encode('x'.repeat(MIB));
    let sent = 0;
    const streamed = await fetch(`${origin}/api/settings`, {
      method: 'PATCH',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: new ReadableStream({
        pull: (controller) => (sent++ < 34 ? controller.enqueue(chunk) : controller.close()),
      }),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    const message = expect.stringContaining('too large');
    expect(await streamed.json()).toEqual({ code: 413, message, data: {} });
    expect((await roost.inject({ url: '/api/health' })).status).toBe(200);
  });

  describe('with a client that waits to be asked for its body', () => {
    const settingsHead = (length: number, authorization = token) =>
      [
        'PATCH /api/settings HTTP/1.1',
        'Host: localhost',
        `Authorization: ${authorization}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        'Expect: 100-continue',
      ].join('\r\n');

    it('OPS-30 refuses without asking', async () => {
      expect(await raw(`${settingsHead(20, 'nobody')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
      expect(await raw(`${settingsHead(33 * MIB)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    });

    it('OPS-30 asks when it reads, and answers', async () => {
      const body = JSON.stringify({ meta: { appName: 'Awaited' } });
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname);
      socket.write(`${settingsHead(body.length)}\r\nConnection: close\r\n\r\n`);
      const [asked] = (await once(socket, 'data')) as [Buffer];
      expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(body);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
      expect((await roost.inject({ url: '/api/settings', token })).body.meta.appName).toBe('Awaited');
    });
  });

  it('OPS-30 refuses before the body is read', async () => {
    const response = await roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });

  it.each([
    '/api/nothing',
    '/api/../etc/passwd',
    '/api/collections/..%2f..%2fetc/records',
    '/api/collections/%00/records',
  ])('REC-4 answers %s with 404 in the usual shape', async (url) => {
    const response = await raw(`GET ${url} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 404 /);
    expect(response).toContain('"code":404');
    expect(response).toContain('"data":{}');
  });

  it('OPS-37 answers a malformed percent-encoding with 400', async () => {
    const response = await raw('GET /api/collections/%zz/records HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"code":400');
  });

  it('answers a header of 20 KiB with 431 and goes on', async () => {
    const response = await raw(`GET /api/health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_480)}\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
    expect(response).toContain('"code":431');
    expect((await roost.inject({ url: '/api/health' })).status).toBe(200);
  });

  it('OPS-36 answers a known path with another method with 404', async () => {
    expect((await roost.inject({ method: 'DELETE', url: '/api/health' })).status).toBe(404);
  });

  it('CONV-4 serves HEAD wherever GET is', async () => {
    const response = await roost.inject({ method: 'HEAD', url: '/api/health' });
    expect(response.status).toBe(200);
    expect(response.text).toBe('');
  });

  it('OPS-33 puts the security headers on every answer', async () => {
    for (const url of ['/api/health', '/api/settings', '/api/nothing']) {
      const { headers } = await roost.inject({ url });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'x-xss-protection': '1; mode=block',
      });
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers['server']).toBeUndefined();
    }
  });

  it.each([
    ['a malformed head', 'GARBAGE\r\n\r\n', 400],
    ['too large a head', `GET /api/health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_480)}\r\n\r\n`, 431],
    ['a head without Host', 'GET /api/health HTTP/1.1\r\n\r\n', 400],
  ])('OPS-33 puts the security headers on the answer to %s, and no cache keeps it', async (_what, bytes, status) => {
    const response = (await raw(bytes)).toLowerCase();
    expect(response.slice(0, 12)).toBe(`http/1.1 ${status}`);
    for (const line of [
      'x-content-type-options: nosniff',
      'x-frame-options: sameorigin',
      'x-xss-protection: 1; mode=block',
      'cache-control: no-store',
    ]) {
      expect(response.split(`\r\n${line}\r\n`), line).toHaveLength(2);
    }
    expect(response).toContain(`{"code":${status},"message":"`);
  });

  it('OPS-33 answers HTTP/1.0 without Host, and whoever expects what nobody knows', async () => {
    const health = `{"code":200,"message":"API is healthy.","data":{}}`;
    expect(await raw('GET /api/health HTTP/1.0\r\n\r\n')).toContain(health);
    const head = 'GET /api/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    expect(await raw(`${head}Expect: a-miracle\r\n\r\n`)).toContain(health);
  });

  it('CONV-1 OPS-33 OPS-84 refuses a request that names no host, and logs it', async () => {
    const [head, body] = (await raw('GET /api/health?hostless HTTP/1.1\r\n\r\n')).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 [^]*x-content-type-options: nosniff/);
    expect(JSON.parse(body!)).toEqual({ code: 400, message: expect.any(String), data: {} });
    const { body: logs } = await roost.inject({ url: "/api/logs?filter=data.url~'hostless'", token });
    expect(logs.items).toMatchObject([{ data: { status: 400 } }]);
    expect(await raw('GET /api/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('gives every request an id of its own', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => roost.inject({ url: '/api/health' })));
    expect(first!.headers['x-request-id']).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(first!.headers['x-request-id']).not.toBe(second!.headers['x-request-id']);
  });

  it('OPS-32 answers any OPTIONS with 204 and echoes the asked headers', async () => {
    const response = await roost.inject({
      method: 'OPTIONS',
      url: '/api/collections/x/records',
      headers: { origin: 'https://app.example', 'access-control-request-headers': 'x-one,x-two' },
    });
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE',
      'access-control-allow-headers': 'x-one,x-two',
      'access-control-max-age': '600',
    });
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    const bare = await roost.inject({ method: 'OPTIONS', url: '/api/health' });
    expect(bare.status).toBe(204);
    expect(bare.headers['access-control-allow-methods']).toBeUndefined();
  });

  it('OPS-32 takes an empty origin for none', async () => {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const { headers } = await roost.inject({ method, url: '/api/health', headers: { origin: '' } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['access-control-allow-methods']).toBeUndefined();
      expect(headers['vary']).toBe('Origin');
    }
  });

  it('OPS-32 OPS-20 neither counts nor logs an OPTIONS', async () => {
    const rules = [{ label: '/api/health', audience: '', duration: 60, maxRequests: 1 }];
    await patchSettings({ rateLimits: { enabled: true, rules } });
    const ask = async (method: 'OPTIONS' | 'GET') => (await roost.inject({ method, url: '/api/health' })).status;
    const statuses = [await ask('OPTIONS'), await ask('OPTIONS'), await ask('GET'), await ask('OPTIONS')];
    expect([...statuses, await ask('GET')]).toEqual([204, 204, 200, 204, 429]);
    await patchSettings({ rateLimits: { enabled: false } });
    const { body } = await roost.inject({ url: `/api/logs?filter=data.url='/api/health'`, token });
    const methods = body.items.map(({ data }: { data: { method: string } }) => data.method);
    expect([methods.includes('GET'), methods.includes('OPTIONS')]).toEqual([true, false]);
  });

  it('OPS-32 names the origin when origins are listed', async () => {
    const strict = await startRoost({ config: { ROOST_ORIGINS: 'https://*.example,http://localhost:300?' } });
    try {
      const ask = async (from: string) =>
        (await strict.inject({ url: '/api/health', headers: { origin: from } })).headers;
      expect(await ask('https://app.example')).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        vary: 'Origin',
      });
      expect((await ask('http://localhost:3001'))['access-control-allow-origin']).toBe('http://localhost:3001');
      expect((await ask('https://example.evil'))['access-control-allow-origin']).toBeUndefined();
      expect((await ask('https://example.evil'))['vary']).toBe('Origin');
    } finally {
      await strict.close();
    }
  });

  it('OPS-145 tells everybody that it is healthy and superusers more', async () => {
    expect((await roost.inject({ url: '/api/health' })).body).toEqual({
      code: 200,
      message: 'API is healthy.',
      data: {},
    });
    const { body } = await roost.inject({ url: '/api/health', token, headers: { 'x-forwarded-for': '1.2.3.4' } });
    expect(body.data).toEqual({ canBackup: true, realIP: '127.0.0.1', possibleProxyHeader: 'X-Forwarded-For' });
    await patchSettings({ trustedProxy: { headers: ['X-Ours'] } });
    const headers = { 'x-forwarded-for': '1.2.3.4', 'x-ours': '1.2.3.4' };
    const trusted = await roost.inject({ url: '/api/health', token, headers });
    expect(trusted.body.data).toMatchObject({ realIP: '1.2.3.4', possibleProxyHeader: 'X-Ours' });
    await patchSettings({ trustedProxy: { headers: [] } });
  });

  it('OPS-145 says so in the same shape when the database cannot be read', async () => {
    const broken = await startRoost();
    const reading = vi.spyOn(broken.app.get(Database, { strict: false }), 'get').mockRejectedValue(new Error('broken'));
    try {
      const { status, body } = await broken.inject({ url: '/api/health' });
      expect([status, body]).toEqual([503, { code: 503, message: expect.any(String), data: {} }]);
      reading.mockRestore();
      expect((await broken.inject({ url: '/api/health' })).status).toBe(200);
    } finally {
      vi.restoreAllMocks();
      await broken.close();
    }
  });

  it('OPS-145 does not wait longer than two seconds for a database that does not answer', async () => {
    const silent = await startRoost();
    const never = new Promise<never>(() => {});
    vi.spyOn(silent.app.get(Database, { strict: false }), 'get').mockReturnValue(never);
    try {
      const { status, body } = await silent.inject({ url: '/api/health' });
      expect([status, body]).toEqual([503, { code: 503, message: expect.any(String), data: {} }]);
    } finally {
      vi.restoreAllMocks();
      await silent.close();
    }
  });

  it('FLD-1 every JSON answer takes fields, those of health, file tokens and the API document too', async () => {
    expect((await roost.inject({ url: '/api/health?fields=code' })).body).toEqual({ code: 200 });
    expect((await roost.inject({ url: '/api/health?fields=code:nothing()' })).status).toBe(400);
    const fileToken = await roost.inject({ method: 'POST', url: '/api/files/token?fields=nothing', token });
    expect([fileToken.status, fileToken.body]).toEqual([200, {}]);
    const { body } = await roost.inject({ url: '/api/openapi.json?fields=info.title', token });
    expect(body).toEqual({ info: { title: 'Roost' } });
  });

  it('AUTH-201 AUTH-202 takes the bare token and Bearer in any case, and treats everything else as a guest', async () => {
    const status = async (authorization: string) =>
      (await roost.inject({ url: '/api/settings', headers: { authorization } })).status;
    expect(await status(token)).toBe(200);
    expect(await status(`Bearer ${token}`)).toBe(200);
    expect(await status(`bEaReR ${token}`)).toBe(200);
    for (const bad of ['', 'Bearer', 'Basic YTpi', `${token}x`, 'a.b.c', `Token ${token}`]) {
      expect(await status(bad), bad).toBe(401);
    }
  });
});
