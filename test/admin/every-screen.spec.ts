import { beforeAll, describe, expect, it, vi } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { settled, tooWide, violations, violationsInColours } from './support/browser.js';
import { SCREENS } from './support/screens.js';
import { fillShop } from './support/shop.js';

interface Endpoint {
  readonly method: string;
  readonly path: RegExp;
}

describe('every screen of the admin UI', () => {
  const suite = adminSuite(async (server) => {
    await fillShop(server.api, { posts: 12 });
    await server.api.collections.create({ name: 'empty', type: 'base', fields: [] });
    await fetch(`${server.url}/api/health`);
    // The log panel needs a row to open.
    const isLogged = async () => expect((await server.api.logs.getList(1, 1)).totalItems).toBeGreaterThan(0);
    await vi.waitFor(isLogged, { timeout: 10_000, interval: 100 });
  });
  let published: Endpoint[];
  let names: Map<string, string>;
  const askedByAll = new Set<string>();

  beforeAll(async () => {
    const { api } = suite.server;
    published = endpoints(await api.send('/api/openapi.json', {}));
    names = new Map((await api.collections.getFullList()).map(({ id, name }) => [id, name]));
  });

  /** The document names collections, the client asks by id: a renamed collection stays open. */
  const named = (path: string) =>
    path.replace(/^(\/api\/collections\/)([^/]+)/, (_, before, id) => before + (names.get(id) ?? id));
  const isPublished = (method: string, path: string) =>
    [path, named(path)].some((form) => published.some((each) => each.method === method && each.path.test(form)));

  it.each(SCREENS.map(([name, place, ...steps]) => ({ name, place, steps })))(
    'OPS-202 OPS-204 asks the published API alone, axe finds nothing in either scheme, and it fits: $name',
    async ({ place, steps }) => {
      const asked = new Set<string>();
      const page = await suite.open(place, {
        prepare: (blank) =>
          blank.on('request', (request) => {
            const { origin, pathname } = new URL(request.url());
            if (origin === suite.server.url && !pathname.startsWith('/_/'))
              asked.add(`${request.method()} ${pathname}`);
          }),
      });
      await page.locator('main').waitFor();
      await settled(page);
      for (const step of steps) {
        await step(page);
        await settled(page);
      }
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
      expect(await violationsInColours(page)).toEqual([]);

      for (const width of [1024, 390]) {
        await page.setViewportSize({ width, height: 844 });
        // What is drawn anew for the width is there with the next frames.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        expect([width, await tooWide(page)]).toEqual([width, []]);
      }
      // The style sheets tell phones from the rest: what is in between is drawn as the widest, which axe has seen.
      expect(await violations(page)).toEqual([]);

      expect(asked.size).toBeGreaterThan(0);
      for (const each of asked) askedByAll.add(each);
      const unpublished = [...asked].filter((each) => {
        const [method, path] = each.split(' ') as [string, string];
        return !isPublished(method, path);
      });
      expect(unpublished).toEqual([]);
    },
  );

  it('OPS-202 asks for more than a dozen things on all screens together', () => {
    expect(askedByAll.size).toBeGreaterThan(12);
  });
});

/** What an OpenAPI document publishes. */
function endpoints(document: { paths: Record<string, object> }): Endpoint[] {
  return Object.entries(document.paths).flatMap(([template, methods]) => {
    const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, '[^/]+');
    return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: new RegExp(`^${pattern}$`) }));
  });
}
