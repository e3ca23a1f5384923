import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { settled } from './support/browser.js';
import { EMAIL } from './support/server.js';
import { fillShop } from './support/shop.js';

describe('what is everywhere in the admin UI', () => {
  const suite = adminSuite(async (server) => {
    await fillShop(server.api, { posts: 4 });
  });

  it('UI-1 has the places, the account menu, the colour scheme, and signs out', async () => {
    const page = await suite.open('/collections/posts');
    for (const place of ['Logs', 'Settings', 'Collections']) {
      await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place }).click();
      await page.waitForFunction((name) => location.hash.startsWith(`#/${name.toLowerCase()}`), place);
    }
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    expect(await page.title()).toBe('posts – Acme');
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).click();
    await page.getByText('Dark', { exact: true }).click();
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).click();
    await page.getByRole('menuitem', { name: 'Manage superusers' }).click();
    await page.getByRole('heading', { name: '_superusers' }).waitFor();
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('UI-4 moves through drop-downs by keyboard, copies, and shows dates in UTC and local time', async () => {
    const page = await suite.open('/collections/posts');
    await page.locator('tbody tr[data-id]').first().waitFor();
    await page.getByRole('button', { name: 'Columns' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitemcheckbox');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    const row = page.locator('tbody tr[data-id]').first();
    await row.hover();
    await row.getByRole('button', { name: 'Copy id' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await row.getAttribute('data-id'));
    await row.getByText('UTC').last().scrollIntoViewIfNeeded();
    await row.getByText('UTC').last().hover();
    await page.getByRole('tooltip').getByText(/local/).waitFor();
  });

  it('UI-5 has total, docs and version in the footer', async () => {
    const page = await suite.open('/collections/posts');
    const footer = page.getByRole('contentinfo');
    await footer.getByText('4 records').waitFor();
    await footer.getByText(/^Roost \d+\.\d+\.\d+/).waitFor();
    await footer.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { name: 'Filters and rules' }).waitFor();
  });

  it('OPS-210 lists the shortcuts on ?, focuses the search on /, frees code editors by Esc', async () => {
    const page = await suite.open('/collections/posts');
    await page.locator('tbody tr[data-id]').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Search or filter');
    await page.goto(`${suite.server.url}/_/#/settings/sql`);
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.click();
    await page.keyboard.press('Tab');
    expect(await editor.evaluate((element) => document.activeElement === element && element.textContent !== '')).toBe(
      true,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await editor.evaluate((element) => document.activeElement === element)).toBe(false);
  });

  it('OPS-204 keeps the focus inside an open panel and gives it back', async () => {
    const page = await suite.open('/collections/posts');
    const opener = page.getByRole('button', { name: 'Settings of the collection' });
    await opener.click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('tab', { name: 'Fields' }).waitFor();
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab');
      expect(await panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Settings of the collection',
    );
  });

  it('OPS-204 opens menus by keyboard and gives the focus back, from their first time on', async () => {
    const page = await suite.open('/collections/posts');
    const button = page.getByRole('button', { name: 'Columns' });
    const menu = page.getByRole('menu');
    for (const time of ['first', 'second']) {
      await button.focus();
      expect([time, await button.getAttribute('aria-expanded')]).toEqual([time, 'false']);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitemcheckbox');
      expect([time, await button.getAttribute('aria-expanded')]).toEqual([time, 'true']);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
      expect([time, await button.evaluate((element) => element === document.activeElement)]).toEqual([time, true]);
    }
  });

  it('OPS-204 never scrolls sideways from 360 px up', async () => {
    for (const place of [
      '/collections/posts',
      '/logs',
      '/settings/application',
      '/settings/backups',
      '/settings/import',
      '/docs',
      '/collections/posts?record=new',
    ]) {
      const page = await suite.open(place, { width: 360, height: 740 });
      await page.locator('main').waitFor();
      await settled(page);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([place, wider <= 0]).toEqual([place, true]);
    }
  });
});

describe('a development server', () => {
  const suite = adminSuite(undefined, ['--dev']);

  it('UI-5 says that --dev is on', async () => {
    const page = await suite.open('/collections');
    await page.getByText('The server runs with --dev').waitFor();
    await page.getByRole('button', { name: 'Hide this warning' }).click();
    await page.getByText('The server runs with --dev').waitFor({ state: 'detached' });
  });
});
