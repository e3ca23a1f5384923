import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let strict: TestRoost;
let origin: string;
let strictOrigin: string;

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
  mkdirSync(join(root, 'http:docs'));
  writeFileSync(join(root, 'docs', 'page.html'), 'page');
  symlinkSync(dir, join(root, 'up'));
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'config'), 'SECRET=2');
  writeFileSync(join(root, '.git', 'index.html'), 'SECRET=3');
  mkdirSync(join(root, 'docs', '.well-known'));
  writeFileSync(join(root, 'docs', '.well-known', 'x'), 'SECRET=4');
  writeFileSync(join(root, '.well-known', '.hidden'), 'SECRET=5');
  mkdirSync(join(root, '.well-known', 'acme-challenge'));
  writeFileSync(join(root, '.well-known', 'acme-challenge', 'to_ken-1'), 'proof');
  writeFileSync(join(root, '.well-known', 'assetlinks.json'), '[]');
  writeFileSync(join(root, 'style.3f2a'), 'a{}');
  symlinkSync('style.3f2a', join(root, 'style.css'));
  publish(dir, '..2026_11_26', 'first');
  symlinkSync('..data/mounted.html', join(root, 'mounted.html'));
  mkdirSync(join(root, 'mounted'));
  symlinkSync('../..data/mounted.html', join(root, 'mounted', 'index.html'));
}

/** As a kubelet does it: a new directory, and the link to it replaced in one step. */
function publish(dir: string, version: string, text: string): void {
  const root = join(dir, 'public');
  mkdirSync(join(root, version));
  writeFileSync(join(root, version, 'mounted.html'), text);
  symlinkSync(version, join(root, '..data_tmp'));
  renameSync(join(root, '..data_tmp'), join(root, '..data'));
}

beforeAll(async () => {
  roost = await startRoost();
  fill(roost.dir);
  origin = await roost.listen();
  strict = await startRoost({ config: { ROOST_INDEX_FALLBACK: false } });
  fill(strict.dir);
  strictOrigin = await strict.listen();
});
afterAll(async () => {
  await roost.close();
  await strict.close();
});

/** Sends exactly this target; `inject` resolves dots as a browser does. */
const ask = (origin: string, target: string) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const asking = request({ hostname, port, path: target, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    });
    asking.on('error', reject).end();
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
    ['/docs/empty', '/docs/empty/'],
    ['/app.js/', '/app.js'],
    ['/app.js//', '/app.js'],
    ['/docs/page.html/?a=/b', '/docs/page.html?a=/b'],
    ['/index.html', '/'],
    ['/index.html?a=1', '/?a=1'],
    ['/docs/index.html', '/docs/'],
    ['/http:docs', '/http:docs/'],
    ['/%C3%BC%20%26%20100%25.txt/', '/%C3%BC%20%26%20100%25.txt'],
  ])('OPS-151 OPS-152 redirects %s to %s, below a path prefix too', async (url, to) => {
    const { status, headers } = await get(url);
    expect(status).toBe(301);
    const { location } = headers as { location: string };
    expect(location).toMatch(/^\.{1,2}\//);
    // As a browser resolves it, in front of and behind a proxy that takes the prefix off.
    expect(new URL(location, `http://site${url}`).href).toBe(`http://site${to}`);
    expect(new URL(location, `http://site/pre/fix${url}`).href).toBe(`http://site/pre/fix${to}`);
  });

  it.each([
    '//docs',
    '/%5Cexample.com/..',
    '/%5C%5Cexample.com/',
    '//example.com/%2f..',
    '/%2F%2Fexample.com/',
    '/http:docs',
    '//example.com/',
  ])('OPS-151 never redirects %s to another host', async (url) => {
    const { status, headers } = await get(url);
    if (status !== 301) return expect(status).toBe(200);
    expect(new URL(headers.location as string, new URL(`http://site/.${url}`)).host).toBe('site');
  });

  it.each([
    '/some/page',
    '/docs/empty/',
    '/missing.js',
    '/tags/.net',
    '/article/a%2Fb',
    '/article/a%2fb/',
    '/user@example.com/100%25',
    '/search/%3Fq=%23a',
    '/a%5Cb',
    '/%E4%B8%AD%E6%96%87/%F0%9F%98%80',
    '/%00',
    "/~(a)!$'*+,;=:",
    '/a|b^c`{d}',
    '/apis%2Fhealth',
    '/apis',
    '/__',
    '/...',
  ])('OPS-152 shows the root index for %s, unless that is switched off', async (url) => {
    expect(await get(url)).toMatchObject({ status: 200, text: '<h1>root</h1>' });
    const head = await roost.inject({ method: 'HEAD', url });
    expect([head.status, head.headers['content-length']]).toEqual([200, '13']);
    expect(await strict.inject({ url })).toMatchObject({ status: 404, body: { code: 404, data: {} } });
  });

  it.each([
    '/app.js/deeper',
    '/circle',
    '/circle/deeper',
    '/pipe',
    `/${'long'.repeat(64)}`,
    `/${'long'.repeat(1500)}`,
    '/x'.repeat(3000),
  ])('OPS-152 OPS-153 nothing is at %s', async (url) => {
    expect(await get(url)).toMatchObject({ status: 200, text: '<h1>root</h1>' });
    expect(await strict.inject({ url })).toMatchObject({ status: 404, body: { code: 404, data: {} } });
  });

  it.each([
    '/.env',
    '/%2eenv',
    '/%252eenv',
    '/%2Eenv/',
    '/.git/config',
    '/.git/',
    '/.git',
    '/docs/.well-known/x',
    '/.well-known/.hidden',
    '/.WELL-KNOWN/x',
    '/..data/mounted.html',
    '/..2026_11_26/mounted.html',
    '/leak.txt',
    '/leak.txt/',
    '/beside',
    '/beside/',
    '/beside/index.html',
    '/linked/',
    '/up/outside.txt',
    '/..%2foutside.txt',
    '/..%5coutside.txt',
    '/%2e%2e%2foutside.txt',
    '/%252e%252e%252foutside.txt',
    '/docs/..%2f.env',
    '/.env%00.txt',
    '/leak.txt%00.js',
    '/a%5C..%5Cb',
  ])('OPS-153 %s is as a missing file', async (url) => {
    expect(await get(url)).toMatchObject({ status: 200, text: '<h1>root</h1>' });
    expect(await strict.inject({ url })).toMatchObject({ status: 404, body: { code: 404, data: {} } });
  });

  it.each([
    '/docs/%2e%2e/app.js',
    '/docs/../app.js',
    '/docs/./page.html',
    '/.',
    '/..',
    '/./',
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/docs/%2e%2e/.env',
    '/.%2e/%2e./outside.txt',
    '/.well-known/../.env',
    '/.well-known/..%2f.env',
    '//../outside.txt',
    '/\\..\\outside.txt',
  ])('OPS-153 %s as sent by a client that resolves nothing is as a missing file', async (target) => {
    expect(await ask(origin, target)).toEqual({ status: 200, text: '<h1>root</h1>' });
    const { status, text } = await ask(strictOrigin, target);
    expect([status, JSON.parse(text)]).toMatchObject([404, { code: 404, data: {} }]);
  });

  it.each(['/%', '/%zz', '/%ff', '/a%2', '/docs/%c3%28'])('CONV-5 %s cannot be read', async (target) => {
    const { status, text } = await ask(origin, target);
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 400, data: {} }]);
  });

  it('OPS-153 serves /.well-known/', async () => {
    expect(await get('/.well-known/x')).toMatchObject({ status: 200, text: 'x' });
    expect(await get('/%2ewell-known/x')).toMatchObject({ status: 200, text: 'x' });
    const challenge = await strict.inject({ url: '/.well-known/acme-challenge/to_ken-1' });
    expect(challenge).toMatchObject({ status: 200, text: 'proof' });
    const { status, headers, body } = await strict.inject({ url: '/.well-known/assetlinks.json' });
    expect([status, headers['content-type'], body]).toEqual([200, 'application/json; charset=utf-8', []]);
    expect((await strict.inject({ url: '/.well-known/' })).status).toBe(404);
  });

  it('OPS-153 serves what Kubernetes mounts, through its links, and its next version', async () => {
    expect(await strict.inject({ url: '/mounted.html' })).toMatchObject({ status: 200, text: 'first' });
    expect((await strict.inject({ url: '/mounted.html' })).headers['content-type']).toBe('text/html; charset=utf-8');
    expect(await strict.inject({ url: '/mounted/' })).toMatchObject({ status: 200, text: 'first' });
    expect((await strict.inject({ url: '/mounted.html', headers: { range: 'bytes=1-2' } })).text).toBe('ir');
    publish(strict.dir, '..2026_11_27', 'second');
    expect(await strict.inject({ url: '/mounted.html' })).toMatchObject({ status: 200, text: 'second' });
  });

  it('OPS-153 goes by the name in the URL, not by that behind a link', async () => {
    const { status, text, headers } = await get('/style.css');
    expect([status, text, headers['content-type']]).toEqual([200, 'a{}', 'text/css; charset=utf-8']);
  });

  it('OPS-150 never takes the paths of the API and of the admin UI', async () => {
    expect((await get('/api/health')).body.message).toBe('API is healthy.');
    expect(await get('/api/nothing')).toMatchObject({ status: 404, body: { code: 404 } });
    for (const url of ['/api', '/api/', '/%61pi/nothing', '//api/nothing', '/api%2Fnothing', '/api/.well-known/x']) {
      expect(await get(url)).toMatchObject({ status: 404, body: { code: 404, data: {} } });
    }
    expect((await roost.inject({ method: 'POST', url: '/app.js', body: {} })).status).toBe(404);
  });

  it.each(['/app.js', '/mounted.html', '/some/page'])('OPS-153 knows validators and ranges of %s', async (url) => {
    const { headers, text } = await get(url);
    const etag = headers.etag as string;
    const lastModified = headers['last-modified'] as string;
    expect(lastModified).toBeTypeOf('string');
    expect(headers['cache-control']).toBe('public, max-age=0');
    expect(headers['accept-ranges']).toBe('bytes');
    expect((await get(url, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(url, { 'if-none-match': `"other", ${etag}` })).status).toBe(304);
    expect((await get(url, { 'if-modified-since': lastModified })).status).toBe(304);
    expect((await get(url, { 'if-none-match': '"other"', 'if-modified-since': lastModified })).status).toBe(200);
    const head = await roost.inject({ method: 'HEAD', url, headers: { 'if-none-match': etag } });
    expect([head.status, head.text]).toEqual([304, '']);
    const part = await get(url, { range: 'bytes=1-3' });
    expect([part.status, part.text]).toEqual([206, text.slice(1, 4)]);
    expect(part.headers['content-range']).toBe(`bytes 1-3/${text.length}`);
    expect((await get(url, { range: 'bytes=-3' })).text).toBe(text.slice(-3));
    const stale = await get(url, { range: 'bytes=1-3', 'if-range': '"other"' });
    expect([stale.status, stale.text]).toEqual([200, text]);
    const beyond = await get(url, { range: 'bytes=1000-' });
    expect(beyond).toMatchObject({ status: 416, body: { code: 416, data: {} } });
    const failed = await get(url, { 'if-match': '"other"' });
    expect(failed).toMatchObject({ status: 412, body: { code: 412, data: {} } });
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
