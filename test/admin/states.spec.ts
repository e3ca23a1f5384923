import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { signIn, violations } from './support/browser.js';
import { EMAIL } from './support/server.js';
import { fillShop, type Shop } from './support/shop.js';

/** Answers what is not a GET as a server that no longer knows the session. */
async function endSession(page: Page): Promise<void> {
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 401, json: { status: 401, message: 'No.', data: {} } }),
  );
}

describe('the admin UI when things are not as they should be', () => {
  let shop: Shop;
  const suite = adminSuite(async (server) => {
    shop = await fillShop(server.api, { posts: 2 });
  });

  it('UI-2 keeps an open panel and what was typed when the session ends, out of reach until the next sign-in', async () => {
    const page = await suite.open('/collections/posts');
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    const panel = page.getByRole('dialog', { name: 'Collection posts' });
    await panel.getByRole('textbox', { name: 'Name of field internal' }).fill('inside');
    const title = await page.title();
    await endSession(page);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Your session has ended.').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await panel.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.unrouteAll();
    await signIn(page);
    await panel.waitFor();
    expect(await panel.getByRole('textbox', { name: 'Name of field inside' }).count()).toBe(1);
    expect(await page.title()).toBe(title);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Collection saved.').waitFor();
  });

  it('UI-2 starts the other tabs anew when somebody signs out in one', async () => {
    const page = await suite.open('/settings/mail');
    await page.getByLabel('Sender name').fill('Somebody else');
    const other = await page.context().newPage();
    await other.goto(`${suite.server.url}/_/#/settings/crons`);
    await other.getByRole('button', { name: `Account: ${EMAIL}` }).click();
    await other.getByRole('menuitem', { name: 'Logout' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Superusers of this Roost only.').waitFor();
    expect(await page.locator('input[value="Somebody else"]').count()).toBe(0);
  });

  it('takes a page that answers in place of the server for a failure, not for an empty answer', async () => {
    const page = await suite.open('/docs');
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
    await page.route('**/api/{collections/*/records,logs}**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Please sign in to the network</title>' }),
    );
    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('alert').getByText('Something else answered').waitFor();
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByRole('alert').getByText('Something else answered').waitFor();
    expect(await page.getByText('No records yet').count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('tr[data-id]').first().waitFor();
  });

  it('UI-26 says beside the form why a record was not saved, and what stands in it stays', async () => {
    const page = await suite.open(`/collections/posts?record=${shop.posts[0]!.id}`);
    const panel = page.getByRole('dialog').first();
    await panel.getByRole('textbox', { name: 'contact' }).fill('later@example.com');
    await page.route('**/records/**', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
        : route.fallback(),
    );
    await page.keyboard.press('Control+s');
    await panel.getByRole('alert').getByText('The server does not answer at the moment').waitFor();
    expect(await panel.getByRole('textbox', { name: 'contact' }).inputValue()).toBe('later@example.com');
    await panel.getByRole('button', { name: 'Reset form' }).click();
    expect(await panel.getByRole('alert').count()).toBe(0);
  });

  it('UI-17 says of a link to a record or a place that is gone what is missing, within the frame', async () => {
    const page = await suite.open('/collections/posts?record=gone00000000000');
    await page.getByRole('dialog').getByText('There is no such record').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('tr[data-id]').first().waitFor();
    await page.goto(`${suite.server.url}/_/#/nowhere/at/all`);
    await page.getByText('There is nothing at this address').waitFor();
    await page.getByRole('link', { name: 'Logs' }).waitFor();
    expect(await page.title()).toMatch(/^Not found – /);
    await page.goBack();
    await page.locator('tr[data-id]').first().waitFor();
    await page.goto(`${suite.server.url}/_/#/auth/confirm-verification/`);
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor();
  });

  it('UI-41 adds a field and copies in a page without TLS, which has neither random ids nor a clipboard', async () => {
    const page = await suite.open('/login', { signedIn: false });
    await page.context().addInitScript(() => {
      delete (Crypto.prototype as Partial<Crypto>).randomUUID;
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await page.reload();
    await signIn(page);
    await page.goto(`${suite.server.url}/_/#/collections/members`);
    await page.getByRole('button', { name: 'Settings of the collection' }).click();
    const panel = page.getByRole('dialog', { name: 'Collection members' });
    await panel.getByRole('button', { name: 'New field' }).click();
    await page.getByRole('button', { name: 'Number' }).click();
    await panel.getByRole('textbox', { name: 'Name of field field' }).waitFor();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy JSON' }).click();
    await page.getByText('Copied as JSON.').waitFor();
    const name = panel.getByRole('textbox', { name: 'Name of field field' });
    await name.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+v');
    await panel.getByRole('textbox', { name: /^Name of field .*shop_members/ }).waitFor();
  });

  it('UI-26 keeps the draft of who goes back at once', async () => {
    const page = await suite.open('/collections/posts');
    await page.locator('tr[data-id]').first().click();
    const contact = page.getByRole('dialog').getByRole('textbox', { name: 'contact' });
    await contact.waitFor();
    await contact.evaluate((input: HTMLInputElement) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, 'draft@example.com');
      input.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(() => history.back());
    });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByRole('button', { name: 'Restore them' }).click();
    expect(await contact.inputValue()).toBe('draft@example.com');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await page.goBack();
    await contact.waitFor();
    expect(await page.getByRole('button', { name: 'Restore them' }).count()).toBe(0);
  });

  it('UI-3 asks before settings that were not saved are left', async () => {
    const page = await suite.open('/settings/mail');
    const name = page.getByLabel('Sender name');
    await name.fill('Somebody else');
    await page.getByRole('link', { name: 'Crons' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Somebody else');
    expect(page.url()).toMatch(/#\/settings\/mail$/);
    // A typed address too, which is told to nobody before.
    await page.evaluate(() => {
      location.hash = '#/settings/storage';
    });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForFunction(() => location.hash === '#/settings/mail');
    expect(await name.inputValue()).toBe('Somebody else');
    await page.getByRole('link', { name: 'Crons' }).click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
  });

  it('UI-78 does not call a list live that hears nothing', async () => {
    const page = await suite.open('/collections/posts');
    await page.locator('tr[data-id]').first().waitFor();
    await page.route('**/api/realtime', (route) => route.abort());
    const live = page.getByRole('switch', { name: /Live/ });
    await live.click();
    await page.getByText('The server could not be reached').waitFor();
    await expect.poll(() => live.getAttribute('aria-checked')).toBe('false');
  });

  it('UI-80 says that figures are old which could not be refreshed', async () => {
    const page = await suite.open('/settings/insights');
    await page.getByRole('region', { name: 'Slowest routes' }).first().waitFor();
    const failed = { status: 400, json: { code: 400, message: 'Not at the moment.', data: {} } };
    await page.route('**/api/insights', (route) => route.fulfill(failed));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('These figures are old').waitFor();
    await page.getByRole('region', { name: 'Slowest routes' }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('UI-81 says in the dialog why a snippet was not saved', async () => {
    const page = await suite.open('/settings/sql');
    await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT 1');
    const failed = { status: 500, json: { code: 500, message: 'Something went wrong.', data: {} } };
    await page.route('**/api/sql/snippets', (route) =>
      route.request().method() === 'PUT' ? route.fulfill(failed) : route.fallback(),
    );
    await page.getByRole('button', { name: 'Snippets' }).click();
    await page.getByRole('menuitem', { name: 'Save as a snippet…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as a snippet' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('One');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Something went wrong.').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('One');
  });
});
