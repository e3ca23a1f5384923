import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { violations } from './support/browser.js';
import { SCREENS } from './support/screens.js';
import { fillShop } from './support/shop.js';

describe('accessibility of the admin UI', () => {
  const suite = adminSuite(async (server) => {
    await fillShop(server.api, { posts: 12 });
    await server.api.collections.create({ name: 'empty', type: 'base', fields: [] });
    await fetch(`${server.url}/api/health`);
    await new Promise((resolve) => setTimeout(resolve, 4000));
  });

  for (const scheme of ['light', 'dark'] as const) {
    it.each(SCREENS.map(([name, place, ...steps]) => ({ name, place, steps })))(
      `OPS-204 axe finds nothing in the ${scheme} scheme: $name`,
      async ({ place, steps }) => {
        const page = await suite.open(place, { scheme });
        await page.locator('main').waitFor();
        await page.waitForLoadState('networkidle');
        for (const step of steps) {
          await step(page);
          await page.waitForLoadState('networkidle');
        }
        expect(await violations(page)).toEqual([]);
      },
    );
  }
});
