import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminBrowser } from './support/browser.js';
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
      await page.waitForLoadState('networkidle');
    }
    expect([...hosts]).toEqual([new URL(server.url).host]);
    await context.close();
  });

  it('OPS-201 OPS-33a sends a strict policy, lasting assets and compressed bodies', async () => {
    const page = await fetch(`${server.url}/_/`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(page.headers.get('content-encoding')).toBe('br');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https://tile.openstreetmap.org; " +
        "connect-src 'self' https://nominatim.openstreetmap.org; script-src 'self'; frame-ancestors 'none'; " +
        "object-src 'none'; base-uri 'none'; form-action 'self'",
    );
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(html)![1]!;
    expect(script).toMatch(/-[\w-]{8}\.js$/);
    const asset = await fetch(`${server.url}/_/${script}`);
    expect(asset.headers.get('cache-control')).toBe('max-age=1209600, stale-while-revalidate=86400');
    const plain = await fetch(`${server.url}/_/${script}`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
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
    await page.getByRole('table').waitFor();
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
