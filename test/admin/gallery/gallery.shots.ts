import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { describe, it } from 'vitest';
import { adminSuite } from '../support/admin-suite.js';
import { SCREENS } from '../support/screens.js';
import { crowd, CROWDED } from './crowd.js';

const OUT = process.env.GALLERY_DIR ?? join(tmpdir(), 'roost-gallery');
const ONLY = new RegExp(process.env.GALLERY_ONLY ?? '');
const listOf = (name: string, all: string) => (process.env[name] ?? all).split(',');
const WIDTHS: Readonly<Record<string, [width: number, height: number]>> = {
  '1440': [1440, 900],
  '1024': [1024, 768],
  '390': [390, 844],
};

/** The frame of the page: what has to answer for anything else to be shown. */
const FRAME = /auth-refresh|\/api\/settings$|\/api\/collections\?|\/api\/health/;
const failed = (route: Route) =>
  route.fulfill({ status: 500, json: { code: 500, message: 'Something went wrong.', data: {} } });

/** What happens to requests, so that every screen shows how it waits and how it fails. */
const STATES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  full: async () => undefined,
  slow: (page) =>
    page.route('**/api/**', async (route) => {
      if (!FRAME.test(route.request().url())) await new Promise((resolve) => setTimeout(resolve, 8000));
      await route.continue().catch(() => undefined);
    }),
  failing: (page) =>
    page.route('**/api/**', (route) => (FRAME.test(route.request().url()) ? route.continue() : failed(route))),
  dead: (page) =>
    page.route('**/api/**', (route) => (/auth-refresh/.test(route.request().url()) ? route.continue() : failed(route))),
  offline: (page) =>
    page.route('**/api/**', (route) =>
      FRAME.test(route.request().url()) ? route.continue() : route.abort('internetdisconnected'),
    ),
};

/** Puts pictures side by side, at a third of their size. */
async function contactSheet(files: readonly string[], name: string, [width, height]: [number, number]): Promise<void> {
  const [tileWidth, tileHeight] = [
    Math.round(width / (width > 600 ? 2.4 : 1.5)),
    Math.round(height / (width > 600 ? 2.4 : 1.5)),
  ];
  const across = Math.max(1, Math.floor(1900 / tileWidth));
  const perSheet = across * Math.max(1, Math.floor(1900 / tileHeight));
  for (let from = 0; from < files.length; from += perSheet) {
    const part = files.slice(from, from + perSheet);
    const tiles = await Promise.all(
      part.map(async (file, index) => ({
        input: await sharp(file).resize(tileWidth, tileHeight, { fit: 'cover', position: 'top' }).toBuffer(),
        left: (index % across) * (tileWidth + 8),
        top: Math.floor(index / across) * (tileHeight + 8),
      })),
    );
    await sharp({
      create: {
        width: across * (tileWidth + 8),
        height: Math.ceil(part.length / across) * (tileHeight + 8),
        channels: 3,
        background: '#c040c0',
      },
    })
      .composite(tiles)
      .png()
      .toFile(join(OUT, `sheet-${name}-${from / perSheet + 1}.png`));
  }
}

describe('pictures of every screen', () => {
  const suite = adminSuite(async (server) => {
    mkdirSync(OUT, { recursive: true });
    await crowd(server.api);
    for (let index = 0; index < 60; index += 1) await fetch(`${server.url}/api/health?${'long='.repeat(index)}`);
    await new Promise((resolve) => setTimeout(resolve, 3500));
  });
  const cases = listOf('GALLERY_STATES', Object.keys(STATES).join()).flatMap((state) =>
    listOf('GALLERY_WIDTHS', '1440,1024,390').flatMap((width) =>
      listOf('GALLERY_SCHEMES', 'light,dark').map((scheme) => ({ state, width, scheme: scheme as 'light' | 'dark' })),
    ),
  );

  it.each(cases)('$state, $width, $scheme', async ({ state, width, scheme }) => {
    const [wide, high] = WIDTHS[width]!;
    const files: string[] = [];
    for (const [name, place, ...steps] of [...SCREENS, ...CROWDED].filter((each) => ONLY.test(each[0]))) {
      const page = await suite.open('/docs', { scheme, width: wide, height: high, expected: ['500', 'ERR_'] });
      await page.locator('main').waitFor();
      page.setDefaultTimeout(state === 'full' ? 6000 : 2500);
      await STATES[state]!(page);
      await page.goto(`${page.url().split('#')[0]!}#${place}`);
      if (state === 'dead') await page.reload();
      try {
        await page.waitForTimeout(state === 'full' ? 700 : 900);
        for (const step of steps) {
          await step(page);
          await page.waitForTimeout(state === 'full' ? 700 : 900);
        }
      } catch {
        // In a state where something is missing, what it would lead to is missing too.
        console.log(`${state} ${width} ${scheme}: "${name}" could not be reached`);
      }
      const file = join(OUT, `${state}-${width}-${scheme}-${name.replaceAll(/\W+/g, '-')}.png`);
      await page.screenshot({ path: file });
      await page.context().close();
      files.push(file);
    }
    await contactSheet(files, `${state}-${width}-${scheme}`, [wide, high]);
  });
});
