import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { adminSuite } from '../support/admin-suite.js';
import { fillShop } from '../support/shop.js';

const OUT = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));

/** The pictures: file name, place, and what is done there first. */
const SHOTS: [name: string, place: string, step?: (page: Page) => Promise<void>][] = [
  ['records', '/collections/posts'],
  ['record', '/collections/posts', (page) => page.locator('tbody tr[data-id]').nth(3).click()],
  [
    'rules',
    '/collections/posts',
    async (page) => {
      await page.getByRole('button', { name: 'Settings of the collection' }).click();
      await page.getByRole('tab', { name: 'API rules' }).click();
    },
  ],
  [
    'overview',
    '/collections/posts',
    (page) => page.getByRole('button', { name: 'Overview of all collections' }).click(),
  ],
  ['api', '/collections/posts', (page) => page.getByRole('button', { name: 'API preview' }).click()],
  ['logs', '/logs'],
  ['settings', '/settings/application'],
];

describe('pictures of the main screens', () => {
  const suite = adminSuite(async (server) => {
    mkdirSync(OUT, { recursive: true });
    await fillShop(server.api);
    for (let index = 0; index < 40; index += 1) await fetch(`${server.url}/api/health`);
    await new Promise((resolve) => setTimeout(resolve, 4000));
  });

  for (const scheme of ['light', 'dark'] as const) {
    it.each(SHOTS.map(([name, place, step]) => ({ name, place, step })))(
      `$name, ${scheme}`,
      async ({ name, place, step }) => {
        const page = await suite.open(place, { scheme, width: 1280, height: 800 });
        await page.locator('main').waitFor();
        await page.waitForLoadState('networkidle');
        await step?.(page);
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(900);
        // Editors that are fetched when they are needed have a placeholder until they are there.
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${OUT}${name}-${scheme}.png` });
      },
    );
  }
});
