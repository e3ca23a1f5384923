import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { signIn } from './support/browser.js';
import { EMAIL } from './support/server.js';

const KEY = 'roost_admin_auth';
const REFRESH = '/api/collections/_superusers/auth-refresh';
const SETUP = '/api/setup';

describe('the session of the admin UI', () => {
  const suite = adminSuite();

  /** A page that writes down which calls of a start it makes, and can start again with another session. */
  async function visit(): Promise<{ page: Page; calls: string[]; start(session: object | null): Promise<void> }> {
    const page = await suite.open('/login', { signedIn: false });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const calls: string[] = [];
    page.on('request', (request: Request) => {
      const { pathname } = new URL(request.url());
      if (pathname === REFRESH || pathname === SETUP) calls.push(`${request.method()} ${pathname}`);
    });
    const start = async (session: object | null) => {
      await page.evaluate(
        ([key, value]) => (value === null ? localStorage.removeItem(key!) : localStorage.setItem(key!, value!)),
        [KEY, session && JSON.stringify(session)],
      );
      await page.goto('about:blank');
      calls.length = 0;
      await page.goto(`${suite.server.url}/_/#/settings/crons`);
    };
    return { page, calls, start };
  }

  function storedToken(page: Page): Promise<string | undefined> {
    return page.evaluate(
      (key) => (JSON.parse(localStorage.getItem(key) ?? '{}') as { token?: string }).token || undefined,
      KEY,
    );
  }

  /** A session as the SDK stores it, with a token that differs from the one in use. */
  async function session(claims: object = {}): Promise<{ token: string; record: object }> {
    const { token, record } = suite.server.api.authStore;
    if (Object.keys(claims).length === 0) return { token, record: record! };
    const [head, payload, signature] = token.split('.');
    const changed = { ...(JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object), ...claims };
    return {
      token: [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.'),
      record: record!,
    };
  }

  it('AUTH-1601 renews a stored token at the start, and goes on with the new one', async () => {
    const { page, calls, start } = await visit();
    const answers: string[] = [];
    page.on('response', async (response) => {
      if (new URL(response.url()).pathname === REFRESH)
        answers.push(((await response.json()) as { token: string }).token);
    });
    const stored = await session();
    // Tokens of one second are the same.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await start(stored);
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
    // The page does not wait for it.
    await expect.poll(() => answers.length).toBe(1);
    expect(calls).toEqual([`POST ${REFRESH}`]);
    expect(answers[0]).not.toBe(stored.token);
    await expect.poll(() => storedToken(page)).toBe(answers[0]);
  });

  it('AUTH-1601 does not try to renew one that has expired, and shows the login', async () => {
    const { page, calls, start } = await visit();
    await start(await session({ exp: Math.floor(Date.now() / 1000) - 10 }));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(calls).toEqual([`GET ${SETUP}`]);
  });

  it.each([401, 403])(
    'AUTH-1601 clears a token whose renewal is refused with %i, and shows the login',
    async (status) => {
      const { page, calls, start } = await visit();
      await page.route(`**${REFRESH}`, (route) =>
        route.fulfill({
          status,
          contentType: 'application/json',
          body: JSON.stringify({ code: status, message: 'No.', data: {} }),
        }),
      );
      await start(await session());
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(calls).toEqual([`POST ${REFRESH}`, `GET ${SETUP}`]);
      expect(await storedToken(page)).toBeUndefined();
    },
  );

  it('AUTH-1601 clears a token the server itself no longer knows', async () => {
    const { page, calls, start } = await visit();
    await start(await session({ id: 'nobody000000000' }));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Whichever call of the page is refused first.
    expect(calls.at(-1)).toBe(`GET ${SETUP}`);
    expect(await storedToken(page)).toBeUndefined();
  });

  it('AUTH-1601 keeps a token when the renewal fails for another reason', async () => {
    const { page, start } = await visit();
    await page.route(`**${REFRESH}`, (route) =>
      route.fulfill({ status: 503, contentType: 'text/plain', body: 'Later.' }),
    );
    const stored = await session();
    await start(stored);
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
    expect(await storedToken(page)).toBe(stored.token);
  });

  it.each([
    [true, 'Welcome to Roost'],
    [false, 'Sign in'],
  ])(
    'AUTH-1601 asks without a token whether a setup is required (%s), and shows what follows',
    async (required, title) => {
      const { page, calls, start } = await visit();
      await page.route(`**${SETUP}`, (route) => route.fulfill({ json: { required, tokenRequired: false } }));
      await start(null);
      await page.getByRole('heading', { name: title }).waitFor();
      expect(calls).toEqual([`GET ${SETUP}`]);
    },
  );

  it('UI-79 notices a revoked token before a list that seems empty is shown', async () => {
    const page = await suite.open('/collections/users');
    await page.getByRole('button', { name: 'New record' }).first().waitFor();
    await page.route('**/api/health', (route) => route.fulfill({ json: { code: 200, message: '', data: {} } }));
    await page.route('**/records?*', (route) =>
      route.fulfill({ json: { page: 1, perPage: 40, totalItems: 0, totalPages: 0, items: [] } }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('AUTH-1601 shows the login at any later 401, and goes on after it', async () => {
    const { page, start } = await visit();
    await start(await session());
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
    // A session that ended elsewhere: the next call of the page is refused.
    await page.route('**/api/logs**', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body: '{"code":401,"message":"No.","data":{}}' }),
    );
    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await storedToken(page)).toBeUndefined();
    await page.unroute('**/api/logs**');
    await signIn(page);
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
    expect(page.url()).toContain('#/logs');
  });
});
