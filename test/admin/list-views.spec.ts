import PocketBase from 'pocketbase';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { tooWide, violations } from './support/browser.js';
import { EMAIL, PASSWORD } from './support/server.js';

describe('views of record lists in the admin UI', () => {
  const suite = adminSuite(async ({ api }) => {
    await api.collections.create({
      name: 'pens',
      type: 'base',
      fields: [
        { name: 'name', type: 'text' },
        { name: 'price', type: 'number' },
        { name: 'note', type: 'text' },
      ],
    });
    for (const [name, price] of [
      ['brush', 20],
      ['quill', 5],
      ['biro', 1],
    ]) {
      await api.collection('pens').create({ name, price });
    }
  });
  const FILTERED = `/collections/pens?filter=${encodeURIComponent('price > 2')}&sort=-price`;
  const open = async (place: string) => {
    const page = await suite.open(place);
    await page.locator('tbody tr[data-id]').first().waitFor();
    return page;
  };
  const menu = async (page: Page, item: string | RegExp) => {
    await page.getByRole('button', { name: /^Views/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const save = async (page: Page, name: string, shared: boolean) => {
    await menu(page, 'Save as a new view');
    const dialog = page.getByRole('dialog', { name: 'Save as a new view' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    if (shared) await dialog.getByRole('switch', { name: 'For all superusers' }).check();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Views: ${name}` }).waitFor();
  };
  const names = (page: Page) => page.locator('tbody td[data-name="name"]').allTextContents();
  const heads = (page: Page) =>
    page.locator('thead th').evaluateAll((all) => all.map((head) => head.textContent?.trim() ?? ''));
  const stored = () =>
    suite.server.api.send<{ name: string; filter: string; columns: object }[]>('/api/collections/pens/list-views', {});

  it('UI-73 keeps filter, sort and columns under a name, and an address that shows them to a colleague', async () => {
    const page = await open(FILTERED);
    await page.locator('thead th[title="note"]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Hide' }).click();
    await save(page, 'Dear ones', true);
    expect(await stored()).toMatchObject([{ name: 'Dear ones', filter: 'price > 2', columns: { hide: ['note'] } }]);
    const address = page.url();
    expect(address).toMatch(/view=\w{15}/);
    // A colleague has nothing of it in the browser.
    const other = await suite.open('/docs');
    await other.goto(address);
    await other.getByRole('button', { name: 'Views: Dear ones' }).waitFor();
    await expect.poll(() => names(other)).toEqual(['brush', 'quill']);
    expect(await heads(other)).not.toContain('note');
    await menu(other, 'No view');
    await expect.poll(() => heads(other)).toContain('note');
    await expect.poll(() => other.locator('tbody tr[data-id]').count()).toBe(3);
    expect(new URL(other.url()).hash).toBe('#/collections/pens');
    await menu(other, /Dear ones/);
    await expect.poll(() => names(other)).toEqual(['brush', 'quill']);
    await other.getByRole('button', { name: /^Views/ }).click();
    await other
      .getByRole('menuitem', { name: /Dear ones/ })
      .getByRole('img', { name: 'for all superusers' })
      .waitFor();
    expect(await violations(other)).toEqual([]);
  });

  it('UI-73 saves changes of a view, renames and deletes it', async () => {
    const page = await open(FILTERED);
    await save(page, 'Mine', false);
    await page.getByRole('button', { name: 'Views: Mine' }).click();
    await page.getByRole('menuitem', { name: 'Rename or share' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Save changes of the view' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('thead th[title="price"]').getByRole('button', { name: 'price', exact: true }).click();
    await expect.poll(() => names(page)).not.toEqual(['brush', 'quill']);
    await menu(page, 'Save changes of the view');
    await page.getByText('“Mine” saved.').last().waitFor();
    const sorted = new URLSearchParams(page.url().split('?')[1]).get('sort') ?? '';
    await expect.poll(async () => (await stored()).find(({ name }) => name === 'Mine')).toMatchObject({ sort: sorted });
    await menu(page, 'Rename or share');
    const dialog = page.getByRole('dialog', { name: 'Rename or share the view' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ours');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Views: Ours' }).waitFor();
    await menu(page, 'Delete the view');
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.getByText('“Ours” deleted.').waitFor();
    expect((await stored()).map(({ name }) => name)).not.toContain('Ours');
    expect(page.url()).not.toContain('view=');
  });

  it('UI-73 an address with a view of somebody else’s own still shows its filter and sort', async () => {
    const { api } = suite.server;
    const account = { email: 'other@example.com', password: PASSWORD, passwordConfirm: PASSWORD };
    await api.collection('_superusers').create(account);
    const other = new PocketBase(suite.server.url);
    await other.collection('_superusers').authWithPassword(account.email, PASSWORD);
    const { id } = await other.send<{ id: string }>('/api/collections/pens/list-views', {
      method: 'POST',
      body: { name: 'Private', filter: 'price > 2', sort: '-price' },
    });
    const page = await open(`${FILTERED}&view=${id}`);
    await expect.poll(() => names(page)).toEqual(['brush', 'quill']);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menuitem', { name: 'No view' }).waitFor();
    expect(await page.getByText('Private').count()).toBe(0);
    expect(await page.getByRole('button', { name: `Account: ${EMAIL}` }).count()).toBe(1);
  });

  it('UI-73 says that views are on their way, and why they do not come', async () => {
    const page = await suite.open('/docs', { expected: ['500'] });
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/list-views', async (route) => {
      await asked;
      await route.fulfill({ status: 500, json: { code: 500, message: 'Something went wrong.', data: {} } });
    });
    await page.goto(`${suite.server.url}/_/#/collections/pens`);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menu').getByText('Loading…').waitFor();
    answer();
    await page.getByRole('menu').getByText('Something went wrong.').waitFor({ timeout: 20_000 });
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  it('UI-73 fits a phone', async () => {
    const page = await suite.open('/collections/pens', { width: 360, height: 740 });
    await page.getByRole('button', { name: /^Views/ }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view' }).waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });
});
