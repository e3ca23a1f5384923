import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { violations } from './support/browser.js';
import { fillShop, PNG, type Shop } from './support/shop.js';

/** What people who come from elsewhere look for. */
describe('what is asked for daily in the admin UI', () => {
  let shop: Shop;
  const suite = adminSuite(async (server) => {
    shop = await fillShop(server.api, { posts: 6 });
  });
  const panelOf = async (name: string) => {
    const page = await suite.open(`/collections/${name}`);
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    const panel = page.getByRole('dialog', { name: `Collection ${name}` });
    await panel.getByLabel('Name', { exact: false }).first().waitFor();
    return { page, panel };
  };
  const newField = async (page: Page, type: string) => {
    await page.getByRole('button', { name: 'New field' }).click();
    await page.getByRole('button', { name: type, exact: true }).click();
  };

  it('UI-35 opens a picture by a click on its thumbnail', async () => {
    const picture = new File([PNG], 'stamp.png', { type: 'image/png' });
    await suite.server.api.collection('posts').update(shop.posts[0]!.id, { files: [picture] });
    const page = await suite.open('/collections/posts');
    const thumb = page.locator('tbody [data-file]').first();
    const name = (await thumb.getAttribute('data-file'))!;
    await thumb.click();
    await page.getByRole('dialog', { name }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('record=');
  });

  it('UI-33 shows what is in a related record while the pointer rests on it, and lets go by Esc', async () => {
    const page = await suite.open('/collections/posts');
    const chip = page.locator('tbody [data-peek]').first();
    const id = (await chip.getAttribute('data-peek'))!.split('/')[1]!;
    await chip.hover();
    const card = page.locator('[data-peek-card]');
    await card.getByText(id).waitFor();
    // It may be gone to, and stays.
    await card.hover();
    await card.getByText('members', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
  });

  it('UI-41 makes the collection a relation points to without losing what was edited', async () => {
    const { page, panel } = await panelOf('posts');
    await newField(page, 'Relation');
    await panel.getByRole('button', { name: 'New collection' }).click();
    const second = page.getByRole('dialog', { name: 'New collection' });
    await second.getByLabel('Name', { exact: false }).first().fill('publishers');
    await second.getByRole('button', { name: 'Create', exact: true }).click();
    await second.waitFor({ state: 'detached' });
    await expect.poll(() => panel.getByRole('combobox', { name: 'Collection' }).inputValue()).toBe('publishers');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Collection saved.').waitFor();
    const made = await suite.server.api.collections.getOne('publishers');
    const { fields } = await suite.server.api.collections.getOne('posts');
    expect(fields.some((field) => field['collectionId'] === made.id)).toBe(true);
  });

  it('UI-41 takes presets of types, tells the forms of thumbnails, and dates in any form or from a calendar', async () => {
    const { page, panel } = await panelOf('posts');
    await panel.getByRole('button', { name: 'Options of field files' }).click();
    const presets = panel.getByRole('group', { name: 'Presets of allowed types' });
    await presets.getByRole('button', { name: 'Archives' }).click();
    expect(await presets.getByRole('button', { name: 'Archives' }).getAttribute('aria-pressed')).toBe('true');
    await panel.getByText('application/zip').waitFor();
    await panel.getByText('fits into it, nothing is cut').waitFor();
    expect(await violations(page)).toEqual([]);
    await presets.getByRole('button', { name: 'Archives' }).click();
    await panel.getByText('application/zip').waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Options of field published' }).click();
    const earliest = panel.getByRole('textbox', { name: 'Earliest' });
    await earliest.fill('2030-01-01 10:00');
    await earliest.blur();
    expect(await earliest.inputValue()).toBe('2030-01-01 10:00:00.000Z');
    await earliest.fill('next week');
    await panel.getByText('No date and time').waitFor();
    await earliest.fill('');
    const latest = panel.getByRole('textbox', { name: 'Latest' });
    await panel.getByRole('button', { name: 'Choose from a calendar: Latest' }).click();
    await panel.locator('input[type="datetime-local"]').last().fill('2031-02-03T04:05:06');
    expect(await latest.inputValue()).toBe('2031-02-03 04:05:06.000Z');
  });

  it('UI-45 shows the address a provider has to know', async () => {
    const { page, panel } = await panelOf('members');
    await panel.getByRole('tab', { name: 'Options' }).click();
    await panel.getByRole('button', { name: /^OAuth2/ }).click();
    await panel.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('button', { name: 'GitHub' }).click();
    const redirect = page.getByRole('textbox', { name: 'Redirect URL' });
    expect(await redirect.inputValue()).toBe(`${suite.server.url}/api/oauth2-redirect`);
    await page.getByRole('button', { name: 'Copy the redirect URL' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/api/oauth2-redirect');
  });

  it('UI-45 shows a mail as it is read, without running anything of it', async () => {
    const { page, panel } = await panelOf('members');
    await panel.getByRole('tab', { name: 'Options' }).click();
    await panel.getByRole('button', { name: /^Mails/ }).click();
    await panel.getByRole('button', { name: /^Password reset/ }).click();
    await panel.getByRole('button', { name: 'Show what it looks like' }).first().click();
    const preview = panel.getByRole('region', { name: 'Password reset: preview' });
    const frame = preview.locator('iframe');
    expect(await frame.getAttribute('sandbox')).toBe('');
    const body = await frame.getAttribute('srcdoc');
    expect(body).toContain('TOKEN');
    expect(body).not.toMatch(/\{(APP_NAME|APP_URL|TOKEN)\}/);
    // The HTML has colours.
    await panel.locator('.cm-content .cm-line span').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('UI-47 lists the parameters of a body with type and requirement', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('button', { name: 'API preview' }).click();
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('button', { name: 'Create' }).click();
    const table = page.getByRole('table', { name: 'Body parameters' });
    const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name} ?(required|optional)`) });
    expect(await row('title').textContent()).toBe('titlerequiredStringWhat readers see first.');
    expect(await row('readers').textContent()).toContain('optionalRecord id[]Max 5');
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('button', { name: 'Update' }).click();
    await row('title').getByText('optional').waitFor();
  });

  it('UI-69 shows what an import changes property by property', async () => {
    const page = await suite.open('/settings/import');
    const { api } = suite.server;
    const posts = await api.collections.getOne('posts');
    const changed = {
      ...posts,
      createRule: '',
      fields: posts.fields
        .filter(({ name }) => name !== 'contact')
        .map((field) => (field.name === 'views' ? { ...field, max: 10 } : field)),
    };
    const box = page.getByRole('textbox', { name: 'Collections to import' });
    await box.click();
    await page.keyboard.insertText(JSON.stringify([changed]));
    await page.getByRole('switch', { name: /Merge/ }).press('Space');
    await page.getByRole('button', { name: /^posts changed/ }).click();
    const table = page.getByRole('table', { name: 'Properties of posts that change' });
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join('|')));
    expect(rows).toEqual(["createRule|@request.auth.id != ''|Everyone", 'views.max|empty|10', 'contact|email|–']);
    await page.getByRole('button', { name: 'Show it as JSON' }).click();
    await page.getByRole('region', { name: 'Differences of posts' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('UI-74 UI-16 shows all rules of all collections, and warns where one had better look', async () => {
    await suite.server.api.collections.create({
      name: 'wall',
      type: 'base',
      createRule: '',
      listRule: 'state = "gone"',
      fields: [{ name: 'state', type: 'select', values: ['here'], maxSelect: 1 }],
    });
    const page = await suite.open('/collections/posts', { width: 390, height: 844 });
    await page.getByRole('button', { name: 'Show collections' }).click();
    await page.getByRole('button', { name: 'Overview of all collections' }).click();
    await page.getByRole('tab', { name: 'Rules' }).click();
    const rulesOf = (name: string) => page.getByRole('region', { name: `Rules of ${name}` });
    for (const label of ['List', 'Sign-in', 'Manage'])
      await rulesOf('members').getByText(label, { exact: true }).waitFor();
    expect(await rulesOf('posts').getByText('Manage').count()).toBe(0);
    const kinds = page.getByRole('radiogroup', { name: 'Kind of rule' });
    expect(await kinds.textContent()).toContain('Warnings (3)');
    await kinds.getByText(/^Warnings/).click();
    // The accounts of a new server may be made by anybody.
    await rulesOf('users').getByText('Everyone can make an account.').waitFor();
    await rulesOf('wall').getByText('Everyone can create records').waitFor();
    await rulesOf('wall').getByText('Can never be true: state has no value "gone".').waitFor();
    expect(await rulesOf('members').count()).toBe(0);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
      expect(await violations(page)).toEqual([]);
    }
  });

  it('UI-15 finds a collection that was made a moment ago', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    await suite.server.api.collections.create({ name: 'brand_new', type: 'base', fields: [] });
    await page.evaluate(() => {
      location.hash = '#/collections/brand_new';
    });
    await page.getByRole('heading', { name: 'brand_new' }).waitFor();
  });
});
