import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { fillShop, PNG, type Shop } from './support/shop.js';

const SOON = { timeout: 10_000 };
const NO_TOASTS = '**/assets/toasts-*.js';

/** Holds back what matches until it is let go. */
async function hold(page: Page, url: string, method = 'GET'): Promise<{ asked: () => number; release: () => void }> {
  let release = () => {};
  let asked = 0;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    asked += 1;
    await released;
    await route.continue();
  });
  return { asked: () => asked, release };
}

/** Loads a place from nothing. A reload would do it too soon: a router at work on its first place puts that one back. */
async function openAnew(page: Page, url: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url);
}

describe('the admin UI and a server that is slow, failing or gone', () => {
  let shop: Shop;
  const suite = adminSuite(async (server) => {
    shop = await fillShop(server.api, { posts: 6 });
  });

  it('OPS-200 works on a computer without internet', async () => {
    const page = await suite.open('/collections/members');
    await page.locator('tr[data-id]').first().waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event('offline')));
    await page.getByRole('link', { name: / posts$/ }).click();
    await page.locator('tr[data-id]').filter({ hasText: 'Building a nest' }).waitFor();
  });

  it('says that the server is gone, and shows the list when the connection is back', async () => {
    const page = await suite.open('/collections/members');
    await page.locator('tr[data-id]').first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: / posts$/ }).click();
    await page.getByText('The server could not be reached').waitFor();
    await page.context().setOffline(false);
    await page.locator('tr[data-id]').first().waitFor();
    expect(await page.getByText('The server could not be reached').count()).toBe(0);
  });

  it('keeps the frame of a screen whose code cannot be fetched, and shows the screen when it can', async () => {
    const page = await suite.open('/settings/mail', { expected: ['dynamically imported module'] });
    await page.getByLabel('Sender name').waitFor();
    await page.route('**/assets/crons-screen-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Crons' }).click();
    await page.getByRole('alert').getByText('The server could not be reached').waitFor();
    expect(await page.getByRole('link', { name: 'Logs' }).isVisible()).toBe(true);
    await page.unroute('**/assets/crons-screen-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('__pbLogsCleanup__').first().waitFor();
  });

  it('UI-3 keeps a form and shows its error when there is no code for toasts', async () => {
    const page = await suite.open('/settings/mail');
    await page.route(NO_TOASTS, (route) => route.abort());
    await page.route('**/api/settings', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    );
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/toasts-'));
    await page.getByLabel('Sender name').fill('Somebody else');
    await page.keyboard.press('Control+s');
    await refused;
    await page.waitForTimeout(300);
    await page.getByRole('alert').getByText('The server could not be reached').waitFor();
    expect(await page.getByLabel('Sender name').inputValue()).toBe('Somebody else');
  });

  it('UI-3 leaves an open panel alone when the collections cannot be renewed', async () => {
    const page = await suite.open(`/collections/posts?record=${shop.posts[0]!.id}`);
    const views = page.getByRole('dialog').getByRole('textbox', { name: 'views' });
    await views.fill('4711');
    await page.route('**/api/collections?**', (route) =>
      route.fulfill({ status: 500, json: { code: 500, message: 'No.', data: {} } }),
    );
    const refused = page.waitForResponse((response) => response.status() === 500);
    await page.evaluate(() => new BroadcastChannel('roost-admin').postMessage('collections'));
    await refused;
    await page.waitForTimeout(300);
    expect(await views.inputValue()).toBe('4711');
  });

  it('UI-60 saves once, and keeps what is typed while it is saved', async () => {
    const page = await suite.open('/settings/mail');
    const name = page.getByLabel('Sender name');
    await name.fill('First');
    const save = await hold(page, '**/api/settings', 'PATCH');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(save.asked, SOON).toBe(1);
    await name.fill('Second');
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(200);
    expect(save.asked()).toBe(1);
    save.release();
    await page.getByText('Settings saved.').waitFor();
    expect(await name.inputValue()).toBe('Second');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(save.asked, SOON).toBe(2);
    await expect.poll(async () => (await suite.server.api.settings.getAll()).meta.senderName, SOON).toBe('Second');
  });

  it('UI-26 keeps what is typed into a record while it is saved', async () => {
    const page = await suite.open(`/collections/posts?record=${shop.posts[1]!.id}`);
    const panel = page.getByRole('dialog').first();
    const views = panel.getByRole('textbox', { name: 'views' });
    const contact = panel.getByRole('textbox', { name: 'contact' });
    await views.fill('21');
    const save = await hold(page, `**/records/${shop.posts[1]!.id}?**`, 'PATCH');
    await page.keyboard.press('Control+s');
    await expect.poll(save.asked, SOON).toBe(1);
    await contact.fill('later@example.com');
    const again = page.waitForResponse((each) => each.request().method() === 'GET' && each.url().includes('/records/'));
    save.release();
    await again;
    await page.getByText('Record saved.').waitFor();
    await page.waitForTimeout(300);
    expect([await views.inputValue(), await contact.inputValue()]).toEqual(['21', 'later@example.com']);
  });

  it('UI-26 stays open when something is typed into a record that is saved', async () => {
    const page = await suite.open(`/collections/posts?record=${shop.posts[3]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'views' }).fill('22');
    const save = await hold(page, `**/records/${shop.posts[3]!.id}?**`, 'PATCH');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(save.asked, SOON).toBe(1);
    await panel.getByRole('textbox', { name: 'contact' }).fill('later@example.com');
    save.release();
    await page.getByText('Record saved.').waitFor();
    await page.waitForTimeout(300);
    expect(await panel.getByRole('textbox', { name: 'contact' }).inputValue()).toBe('later@example.com');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.waitFor({ state: 'detached' });
    const stored = await suite.server.api.collection('posts').getOne(shop.posts[3]!.id);
    expect([stored['views'], stored['contact']]).toEqual([22, 'later@example.com']);
  });

  it('UI-69 offers no import before it is known what it would change', async () => {
    const page = await suite.open('/docs');
    const collections = await hold(page, '**/api/collections?**');
    await openAnew(page, `${suite.server.url}/_/#/settings/import`);
    await page.getByRole('heading', { name: 'Import collections' }).waitFor();
    await expect.poll(collections.asked, SOON).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    collections.release();
    await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
  });

  it('UI-50 keeps the entries when they cannot be renewed, and brings back the chart with them', async () => {
    const page = await suite.open('/docs');
    const fail = (url: string) =>
      page.route(url, (route) => route.fulfill({ status: 500, json: { code: 500, message: 'No.', data: {} } }));
    await fail('**/api/logs**');
    await fail('**/api/logs/stats**');
    await page.getByRole('link', { name: 'Logs' }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unrouteAll();
    await again.click();
    await page.getByRole('cell').first().waitFor();
    await page.getByRole('img', { name: /log entries in/ }).waitFor();
    const entries = await page.locator('tbody tr').count();
    await fail('**/api/logs**');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('No.').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(entries);
  });

  it('shows the shape of the list while the collections are on their way', async () => {
    const page = await suite.open('/docs');
    const collections = await hold(page, '**/api/collections?**');
    await openAnew(page, `${suite.server.url}/_/#/collections/posts`);
    const waiting = page.locator('main').getByRole('status', { name: 'Loading' });
    await expect.poll(() => waiting.count(), SOON).toBe(2);
    collections.release();
    await page.locator('tr[data-id]').first().waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it('UI-33 calls no record missing before it is known, and says when it could not be', async () => {
    const { id } = shop.posts[4]!;
    const [ada, grace] = shop.members;
    await suite.server.api.collection('posts').update(id, { readers: [ada!.id] });
    const page = await suite.open(`/collections/posts?record=${id}`);
    const field = page.getByRole('dialog').first().locator('[data-field="readers"]');
    await field.getByText(ada!.name).waitFor();
    await field.getByRole('button', { name: 'Choose records' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from members' });
    await picker.getByRole('checkbox', { name: `Choose ${grace!.id}` }).click();
    let answer = () => {};
    const asked = new Promise<void>((seen) => {
      const answered = new Promise<void>((resolve) => (answer = resolve));
      void page.route('**/api/collections/shop_members/records?**', async (route) => {
        seen();
        await answered;
        await route.fulfill({ status: 500, json: { code: 500, message: 'No.', data: {} } });
      });
    });
    await picker.getByRole('button', { name: 'Use selection' }).click();
    await asked;
    await field.getByRole('button', { name: `Open ${grace!.id}` }).waitFor();
    expect(await field.getByText('(missing)').count()).toBe(0);
    answer();
    await field.getByRole('alert').getByText('No.').waitFor();
    expect(await field.getByText('(missing)').count()).toBe(0);
    await page.unrouteAll();
    await field.getByRole('button', { name: 'Try again' }).click();
    await field.getByText(grace!.name).waitFor();
    expect(await field.getByRole('alert').count()).toBe(0);
  });

  it('UI-61 warns of no proxy header while it is not known what the server sees', async () => {
    const { settings } = suite.server.api;
    await settings.update({ trustedProxy: { headers: ['X-Real-IP'], useLeftmostIP: false } });
    const page = await suite.open('/docs');
    await page.route('**/api/health', (route) =>
      route.fulfill({ status: 500, json: { code: 500, message: 'No.', data: {} } }),
    );
    await page.goto(`${suite.server.url}/_/#/settings/application`);
    await page.getByRole('button', { name: /^Trusted proxy/ }).click();
    await page.getByRole('alert').getByText('could not be found out. No.').waitFor();
    const warning = page.getByText('The trusted headers are not in your requests');
    expect(await warning.count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Your address as the server sees it: 127.0.0.1').waitFor();
    await warning.waitFor();
    await settings.update({ trustedProxy: { headers: [], useLeftmostIP: false } });
  });

  it('shows one shape of what is coming until it is there, however many answers that takes', async () => {
    const page = await suite.open('/docs');
    const collections = await hold(page, '**/api/collections?**');
    const records = await hold(page, '**/api/collections/*/records?**');
    await openAnew(page, `${suite.server.url}/_/#/collections/posts`);
    const shape = page.locator('main [role="status"][aria-label="Loading"][data-late]').last();
    await shape.waitFor();
    await page.evaluate(() => {
      const look = () => {
        const unseen = document.querySelector('main [role="status"][aria-label="Loading"]:not([data-late])');
        if (unseen) document.body.dataset['blinked'] = 'yes';
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    });
    collections.release();
    await page.getByRole('heading', { name: 'posts' }).waitFor();
    await shape.waitFor();
    records.release();
    await page.locator('tr[data-id]').first().waitFor();
    expect(await page.evaluate(() => document.body.dataset['blinked'])).toBeUndefined();
  });

  it('shows all of a code sample while its editor is on its way', async () => {
    const page = await suite.open('/logs');
    const editor = await hold(page, '**/assets/code-editor-*.js');
    await openAnew(page, `${suite.server.url}/_/#/docs`);
    const sample = page.locator('textarea[aria-label="JavaScript sample"]');
    await sample.waitFor();
    expect(await sample.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeLessThanOrEqual(0);
    const before = await page.getByRole('heading', { name: 'Filters and rules' }).boundingBox();
    editor.release();
    await page.locator('.cm-content').first().waitFor();
    const after = await page.getByRole('heading', { name: 'Filters and rules' }).boundingBox();
    expect(Math.abs(after!.y - before!.y)).toBeLessThanOrEqual(1);
  });

  it('UI-50 shows where the chart will be while it is on its way', async () => {
    const page = await suite.open('/docs');
    const stats = await hold(page, '**/api/logs/stats**');
    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('cell').first().waitFor();
    const waiting = page.getByRole('status', { name: 'Loading' });
    await waiting.waitFor();
    stats.release();
    await page.getByRole('img', { name: /log entries in/ }).waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it('UI-17 loads a thumbnail once, whatever becomes of the file token, and a failed one anew', async () => {
    const { id } = shop.posts[2]!;
    const file = new File([PNG], 'nest.png', { type: 'image/png' });
    await suite.server.api.collection('posts').update(id, { files: [file] });
    const page = await suite.open('/docs');
    await page.clock.install();
    await page.goto(`${suite.server.url}/_/#/collections/posts`);
    const picture = page.locator(`tr[data-id="${id}"] img`);
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth), SOON).toBeGreaterThan(0);
    const first = await picture.getAttribute('src');
    // Tokens of one second are the same token, and the address of the picture with it.
    await setTimeout(1100);
    const renewed = page.waitForResponse('**/api/files/token');
    await page.clock.fastForward(95_000);
    await renewed;
    await page.waitForTimeout(300);
    expect(await picture.getAttribute('src')).toBe(first);
    await picture.dispatchEvent('error');
    await expect.poll(() => picture.getAttribute('src'), SOON).not.toBe(first);
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth), SOON).toBeGreaterThan(0);
  });
});
