import fc from 'fast-check';
import { connect } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { originForm, requestPath } from '../../src/http/adapter/request-path.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('the path of a URL', () => {
  it.each([
    ['/api/health', '/api/health'],
    ['/api/health?a=/b', '/api/health'],
    ['/api/health#a', '/api/health'],
    ['/api/health?a#b', '/api/health'],
    ['/api/health#a?b', '/api/health'],
    ['/%61pi/h%65alth?%61', '/api/health'],
    ['/gr%C3%B6%C3%9Fe', '/größe'],
    ['/a%2Fb%3Fc%23d', '/a/b?c#d'],
    ['/broken%', '/broken%'],
    ['/broken%ff', '/broken%ff'],
    ['/', '/'],
  ])('of %s is %s', (url, path) => expect(requestPath(url)).toBe(path));

  it('is the same however a client spells it', () => {
    const letter = fc.oneof(
      fc.constantFrom(...'/?#%azAZ09 ö&=.'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    const encoded = (text: string, isLower: boolean) =>
      [...Buffer.from(text)].map(
        (byte) => `%${byte.toString(16).padStart(2, '0')[isLower ? 'toLowerCase' : 'toUpperCase']()}`,
      );
    const spelled = fc.tuple(letter, fc.boolean(), fc.boolean()).map(([text, isEncoded, isLower]) => {
      const mayStand = /^[\w/.~-]$/.test(text);
      return { text, sent: mayStand && !isEncoded ? text : encoded(text, isLower).join('') };
    });
    fc.assert(
      fc.property(fc.array(spelled), fc.constantFrom('', '?', '?a=%', '#', '#x?y'), (letters, rest) => {
        const sent = letters.map((each) => each.sent).join('');
        expect(requestPath(`/${sent}${rest}`)).toBe(`/${letters.map((each) => each.text).join('')}`);
      }),
    );
  });

  it.each([
    ['http://a.example/api/health?x', '/api/health?x'],
    ['HTTPS://a.example:8090/', '/'],
    ['http://a.example', '/'],
    ['http://a.example?x=/y', '/?x=/y'],
    ['*', '*'],
    ['/http://a.example/b', '/http://a.example/b'],
  ])('of the target %s comes from %s', (target, url) => expect(originForm(target)).toBe(url));
});

describe('other spellings of a path', () => {
  let roost: TestRoost;
  let origin: string;
  let token: string;

  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    origin = await roost.listen();
    for (const name of ['api', '_']) {
      mkdirSync(join(roost.dir, 'public', name), { recursive: true });
      writeFileSync(join(roost.dir, 'public', name, 'x.txt'), 'hidden');
    }
    writeFileSync(join(roost.dir, 'public', 'index.html'), 'fallback');
  });
  afterAll(() => roost.close());
  afterEach(() => limit(false));

  /** Sends a request with exactly this target, and reads the whole answer. */
  const ask = (target: string, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname);
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  const status = async (target: string) => Number((await ask(target)).slice(9, 12));

  async function limit(enabled: boolean, ...labels: string[]): Promise<void> {
    const rules = labels.map((label) => ({ label, audience: '' as const, duration: 60, maxRequests: 1 }));
    await roost.app.get(SettingsService, { strict: false }).patch({ rateLimits: { enabled, rules } });
  }

  it.each([
    '/%61pi/health',
    '/api/h%65alth?a=b',
    '/api/health#a',
    '/api/health#/a',
    'http://a.example/api/health',
    'HTTP://b.example:1/%61pi/health?x',
  ])('OPS-21 %s is limited as /api/health', async (target) => {
    for (const label of ['/api/health', 'GET /api/health', '/api/', '/api/health/']) {
      await limit(true, label);
      expect([await status(target), await status('/api/health'), await status(target)]).toEqual([200, 429, 429]);
    }
  });

  it.each([
    '/%61pi/x.txt',
    '//api/x.txt',
    '/%5f/x.txt',
    '//%5F/x.txt',
    '/a%70i/nothing',
    '//api',
    '/%61pi',
    '/_%2Fx.txt',
  ])('OPS-150 %s shows no file of a directory that is named like the paths of routes', async (target) => {
    const answer = await ask(target);
    // What is not known below its own path, the admin UI answers.
    if (!/^\/%5f/i.test(target)) expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toMatch(/hidden|fallback/);
  });

  it('OPS-33 OPS-84 OPS-151 a target with scheme and host means its path', async () => {
    expect(await ask('http://a.example/some-page')).toMatch(/^HTTP\/1\.1 200 [^]*fallback$/);
    expect(await ask('http://a.example')).toMatch(/^HTTP\/1\.1 200 [^]*fallback$/);
    expect(await ask('http://a.example/api/files/a/b/c')).toMatch(/^HTTP\/1\.1 404 /);
    const url = '/api/health?from=absolute';
    await ask(`http://a.example${url}`);
    const filter = encodeURIComponent(`data.url ~ 'from=absolute'`);
    const { body } = await roost.inject({ url: `/api/logs?filter=${filter}`, token });
    expect(body.items).toMatchObject([{ message: `GET ${url}`, data: { url } }]);
  });

  it('CONV-1 a target that is nothing of that kind is refused', async () => {
    for (const target of ['ftp://a.example/api/health', 'http:///api/health', 'http://a.example#/api/health']) {
      expect(await status(target)).toBeGreaterThanOrEqual(400);
    }
  });
});
