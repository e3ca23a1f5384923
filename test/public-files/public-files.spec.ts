import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let strict: TestRoost;

function fill(dir: string): void {
  const root = join(dir, 'public');
  mkdirSync(join(root, 'docs', 'empty'), { recursive: true });
  mkdirSync(join(root, 'api'), { recursive: true });
  mkdirSync(join(root, '.well-known'), { recursive: true });
  writeFileSync(join(root, 'index.html'), '<h1>root</h1>');
  writeFileSync(join(root, 'docs', 'index.html'), '<h1>docs</h1>');
  writeFileSync(join(root, 'app.js'), 'console.log(1)');
  writeFileSync(join(root, 'ü & 100%.txt'), 'odd name');
  writeFileSync(join(root, '.env'), 'SECRET=1');
  writeFileSync(join(root, '.well-known', 'x'), 'x');
  writeFileSync(join(root, 'api', 'health'), 'shadow');
  writeFileSync(join(dir, 'outside.txt'), 'outside');
  symlinkSync(join(dir, 'outside.txt'), join(root, 'leak.txt'));
  symlinkSync(join(root, 'app.js'), join(root, 'inside.js'));
  // Elsewhere, under a path that begins like that of the directory.
  mkdirSync(`${root}-outside`);
  writeFileSync(join(`${root}-outside`, 'index.html'), 'outside');
  symlinkSync(`${root}-outside`, join(root, 'beside'));
  mkdirSync(join(root, 'linked'));
  symlinkSync(join(dir, 'outside.txt'), join(root, 'linked', 'index.html'));
  symlinkSync(join(root, 'circle'), join(root, 'circle'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
}

beforeAll(async () => {
  roost = await startRoost();
  fill(roost.dir);
  strict = await startRoost({ config: { ROOST_INDEX_FALLBACK: false } });
  fill(strict.dir);
});
afterAll(async () => {
  await roost.close();
  await strict.close();
});

const get = (url: string, headers?: Record<string, string>) => roost.inject({ url, headers });

describe('static files', () => {
  it.each([
    ['/', '<h1>root</h1>', 'text/html; charset=utf-8'],
    ['/docs/', '<h1>docs</h1>', 'text/html; charset=utf-8'],
    ['/app.js', 'console.log(1)', 'application/javascript; charset=utf-8'],
    ['/app.js?v=1', 'console.log(1)', 'application/javascript; charset=utf-8'],
    ['/inside.js', 'console.log(1)', 'application/javascript; charset=utf-8'],
    ['/%C3%BC%20%26%20100%25.txt', 'odd name', 'text/plain; charset=utf-8'],
  ])('OPS-150 OPS-153 serves %s', async (url, text, type) => {
    const answer = await get(url);
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const head = await roost.inject({ method: 'HEAD', url });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(text.length + (text.match(/[^\0-\x7f]/g)?.length ?? 0)),
    ]);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs?a=1', '/docs/?a=1'],
    ['/app.js/', '/app.js'],
    ['/app.js//', '/app.js'],
    ['/index.html', '/'],
    ['/docs/index.html', '/docs/'],
    ['//docs', '/docs/'],
    ['/%5Cexample.com/..', undefined],
  ])('OPS-151 redirects %s to %s, and never to another host', async (url, location) => {
    const { status, headers } = await get(url);
    if (location === undefined) return expect(status).not.toBe(301);
    expect({ status, location: headers.location }).toEqual({ status: 301, location });
  });

  it('OPS-152 answers missing paths with the root index, unless that is switched off', async () => {
    for (const url of ['/some/page', '/docs/empty/', '/missing.js']) {
      expect(await get(url)).toMatchObject({ status: 200, text: '<h1>root</h1>' });
      expect(await strict.inject({ url })).toMatchObject({ status: 404, body: { code: 404, data: {} } });
    }
  });

  it.each(['/app.js/deeper', '/circle', '/circle/deeper', '/pipe', `/${'long'.repeat(64)}`])(
    'OPS-152 OPS-153 nothing is at %s',
    async (url) => {
      expect(await get(url)).toMatchObject({ status: 200, text: '<h1>root</h1>' });
      expect(await strict.inject({ url })).toMatchObject({ status: 404, body: { code: 404, data: {} } });
    },
  );

  it.each(['/.env', '/.well-known/x', '/leak.txt', '/..%2foutside.txt', '/docs/%2e%2e/.env', '/%00', '/a%5C..%5Cb'])(
    'OPS-153 answers 404 to %s',
    async (url) => {
      const { status, text } = await get(url);
      expect(status).toBe(404);
      expect(text).not.toContain('SECRET');
      expect(text).not.toContain('outside');
    },
  );

  it.each(['/beside/', '/beside/index.html', '/linked/'])('OPS-153 shows nothing behind the link %s', async (url) => {
    const { status, text } = await strict.inject({ url });
    expect(status).toBe(404);
    expect(text).not.toContain('outside');
  });

  it('OPS-150 never takes the paths of the API and of the admin UI', async () => {
    expect((await get('/api/health')).body.message).toBe('API is healthy.');
    expect(await get('/api/nothing')).toMatchObject({ status: 404, body: { code: 404 } });
    expect((await get('/api')).status).toBe(404);
    expect((await roost.inject({ method: 'POST', url: '/app.js', body: {} })).status).toBe(404);
  });

  it('OPS-153 knows validators and ranges', async () => {
    const { headers } = await get('/app.js');
    expect(headers['last-modified']).toBeTypeOf('string');
    expect(headers['cache-control']).toBe('public, max-age=0');
    expect((await get('/app.js', { 'if-none-match': headers.etag as string })).status).toBe(304);
    const part = await get('/app.js', { range: 'bytes=0-6' });
    expect([part.status, part.text]).toEqual([206, 'console']);
  });

  it('OPS-86 is not logged unless it fails', async () => {
    const token = await strict.createSuperuser();
    await strict.inject({ url: '/app.js' });
    await strict.inject({ url: '/gone.js' });
    const { body } = await strict.inject({ url: `/api/logs?filter=data.url~'.js'`, token });
    expect(body.items.map(({ data }: { data: { url: string } }) => data.url)).toEqual(
      expect.arrayContaining(['/gone.js']),
    );
    expect(body.items.every(({ data }: { data: { url: string } }) => data.url !== '/app.js')).toBe(true);
  });
});
