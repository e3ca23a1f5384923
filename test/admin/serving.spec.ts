import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminBrowser, settled } from './support/browser.js';
import { Server } from './support/server.js';

describe('how the admin UI is served', () => {
  let server: Server;
  let browser: AdminBrowser;

  beforeAll(async () => {
    server = await Server.start();
    browser = await AdminBrowser.launch(server);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('names the packages whose code is in the client, with their licences', async () => {
    const text = await readFile(new URL('../../dist/licenses.txt', import.meta.url), 'utf8');
    expect(text).toMatch(/^elkjs [\d.]+ \(EPL-2\.0\b.*\)\nSource: \S*elkjs/m);
    expect(text).toContain('Eclipse Public License - v 2.0');
    for (const name of ['react', '@mantine/core', '@tiptap/core', 'pocketbase', 'nest-commander'])
      expect(text).toMatch(new RegExp(`^${name}( |$)`, 'm'));
    expect(text.match(/^elkjs /gm)).toHaveLength(1);
  });

  it('OPS-200 redirects /_ relatively and answers unknown places with the page', async () => {
    const redirect = await fetch(`${server.url}/_`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, '_/']);
    for (const place of ['/_/', '/_/anything']) {
      const page = await fetch(server.url + place);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    expect((await fetch(`${server.url}/_/assets/none.js`)).status).toBe(404);
  });

  it('shows the reference under /_/docs, with an anchor for every promise', async () => {
    const redirect = await fetch(`${server.url}/_/docs`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, 'docs/']);
    const { page, context } = await browser.open('/docs');
    await page.getByRole('link', { name: 'reference' }).click();
    await page.getByRole('link', { name: 'Records', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor();
    expect(await page.locator('#REC-7').innerText()).toBe('REC-7');
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));
    for (const link of new Set(links.map((each) => each.split('#')[0]!))) {
      expect((await fetch(link)).status, link).toBe(200);
    }
    await context.close();
  });

  it('OPS-200 asks no other host for anything', async () => {
    const { page, context } = await browser.open('/collections');
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    for (const place of ['/collections', '/logs', '/settings/application', '/docs']) {
      await page.goto(`${server.url}/_/#${place}`);
      await settled(page);
    }
    expect([...hosts]).toEqual([new URL(server.url).host]);
    await context.close();
  });

  it('OPS-201 OPS-33a sends a strict policy, lasting assets and compressed bodies', async () => {
    const page = await fetch(`${server.url}/_/`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(page.headers.get('content-encoding')).toBe('br');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    // Only what came over TLS may ask for it.
    expect(page.headers.get('strict-transport-security')).toBeNull();
    const html = await page.text();
    const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
    expect(scripts.map(([, attributes]) => attributes)).toEqual(['']);
    const hash = createHash('sha256').update(scripts[0]![2]!).digest('base64');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https://tile.openstreetmap.org; " +
        `connect-src 'self' https://nominatim.openstreetmap.org; script-src 'sha256-${hash}' 'strict-dynamic'; ` +
        "worker-src 'none'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'self'",
    );
    const script = /src:"\.\/(assets\/[^"]+\.js)"/.exec(html)![1]!;
    expect(script).toMatch(/-[\w-]{8}\.js$/);
    const asset = await fetch(`${server.url}/_/${script}`);
    expect(asset.headers.get('cache-control')).toBe('max-age=1209600, stale-while-revalidate=86400');
    const plain = await fetch(`${server.url}/_/${script}`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  describe('OPS-33a uploads', () => {
    let scriptUrl: string;

    beforeAll(async () => {
      await server.api.collections.create({
        name: 'scripts',
        type: 'base',
        viewRule: '',
        fields: [{ name: 'file', type: 'file', maxSize: 1000 }],
      });
      const file = new File(['document.title = "taken over";'], 'x.js');
      const record = await server.api.collection('scripts').create({ file });
      scriptUrl = server.api.files.getURL(record, record['file'] as string);
    });

    /** Every way by which a page could be made to run a script; what became of each. */
    const tryAll = async (page: Page, url: string): Promise<string[]> => {
      const waysOfElements = await page.evaluate(async (src) => {
        const outcome = (start: (done: (result: string) => () => void) => void) =>
          new Promise<string>((resolve) => start((result) => () => resolve(result)));
        const script = (type: string) =>
          outcome((done) => {
            const element = Object.assign(document.createElement('script'), { type, src });
            element.addEventListener('load', done('ran'));
            element.addEventListener('error', done('refused'));
            document.body.append(element);
          });
        const framed = outcome((done) => {
          const frame = document.createElement('iframe');
          frame.srcdoc = `<script src="${src}"></script><script>document.title = "inlined"</script>`;
          frame.addEventListener('load', () => done(frame.contentDocument!.title ? 'ran' : 'refused')());
          document.body.append(frame);
        });
        const worker = outcome((done) => new Worker(src).addEventListener('error', done('refused'))).catch(
          () => 'refused',
        );
        return Promise.all([script(''), script('module'), framed, worker]);
      }, url);
      const imported = await page.evaluate<string>(`import("${url}").then(() => "ran", () => "refused")`);
      return [...waysOfElements, imported];
    };

    it('are never run by the page, whatever asks for them', async () => {
      const file = await fetch(scriptUrl);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript']);
      const { page, context } = await browser.open('/collections/scripts');
      await page.locator('tr[data-id]').waitFor();
      expect(await tryAll(page, scriptUrl)).toEqual(Array(5).fill('refused'));
      expect(await page.title()).not.toBe('taken over');
      await context.close();
    });

    it('nor where the page is served below a path, and its own code is run there', async () => {
      const proxy = createServer(({ method, url = '', headers }, response) => {
        const { port } = new URL(server.url);
        const path = url.replace('/apps/a;b,c', '');
        request({ port, method, path, headers: { ...headers, host: '127.0.0.1' } }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        }).end();
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/apps/a;b,c`;
      const { page, context, complaints } = await browser.open('/docs');
      // They have code of their own, the logs a chart besides.
      for (const [place, name] of [
        ['logs', 'Logs'],
        ['settings/application', 'Application'],
      ] as const) {
        await page.goto(`${base}/_/?${name}#/${place}`);
        await page.getByRole('heading', { name }).first().waitFor();
      }
      expect(complaints).toEqual([]);
      expect(await tryAll(page, scriptUrl.replace(server.url, base))).toEqual(Array(5).fill('refused'));
      await context.close();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    });
  });

  it('OPS-203 loads less than 300 KiB before the first screen is there', async () => {
    const { page, context } = await browser.open('about', { signedIn: true });
    await page.goto('about:blank');
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes = new Map<string, number>();
    const urls = new Map<string, string>();
    session.on('Network.requestWillBeSent', (event) => urls.set(event.requestId, event.request.url));
    session.on('Network.loadingFinished', (event) => sizes.set(event.requestId, event.encodedDataLength));
    await page.goto(`${server.url}/_/#/collections/_superusers`);
    await page.getByRole('grid').waitFor();
    const total = [...sizes].filter(([id]) => urls.get(id)?.includes('/_/')).reduce((sum, [, size]) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(300 * 1024);
    await context.close();
  });

  it('OPS-203 asks for a list while the code that draws it is still on its way, and only once', async () => {
    const { page, context } = await browser.open('/docs');
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/records\?.*perPage=40/.test(request.url())) asked.push(request.url());
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/assets/base-*.js', async (route) => {
      await arrived;
      await route.continue();
    });
    const filter = encodeURIComponent('email != ""');
    await page.goto(`${server.url}/_/#/collections/_superusers?filter=${filter}&sort=email`, { waitUntil: 'commit' });
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
    expect(await page.locator('#root > *').count()).toBe(0);
    arrive();
    await page.locator('tr[data-id]').waitFor();
    expect(asked).toHaveLength(1);
    await context.close();
  });
});
