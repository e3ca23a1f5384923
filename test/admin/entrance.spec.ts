import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SmtpSink } from '../support/smtp-sink.js';
import { AdminBrowser, type AdminPage, type OpenOptions, signIn, violations } from './support/browser.js';
import { EMAIL, PASSWORD, Server } from './support/server.js';

describe('the ways into the admin UI', () => {
  let server: Server;
  let browser: AdminBrowser;
  let opened: AdminPage[] = [];

  const open = async (place: string, options?: OpenOptions) => {
    const result = await browser.open(place, { signedIn: false, ...options });
    opened.push(result);
    return result.page;
  };

  /** Runs a test against a server that nobody has set up yet. */
  const onEmptyServer = async (test: (visitor: AdminBrowser, empty: Server) => Promise<void>) => {
    const empty = await Server.start({ setup: false });
    const visitor = await AdminBrowser.launch(empty);
    try {
      await test(visitor, empty);
    } finally {
      await visitor.close();
      await empty.stop();
    }
  };

  beforeAll(async () => {
    server = await Server.start();
    browser = await AdminBrowser.launch(server);
  });
  afterEach(async () => {
    const complaints = opened.flatMap((each) => each.complaints);
    await Promise.all(opened.map((each) => each.context.close()));
    opened = [];
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('UI-10 AUTH-1602 shows the setup on the first visit, errors at their fields, and signs in after it', async () => {
    await onEmptyServer(async (visitor, empty) => {
      const { page, complaints } = await visitor.open('/', { signedIn: false });
      await page.getByRole('heading', { name: 'Welcome to Roost' }).waitFor();
      await page.getByText('superuser create').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByLabel('Setup token').fill(empty.setupToken);
      await page.getByLabel('E-mail').fill(EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByLabel('Password again').fill('something else');
      await page.getByRole('button', { name: 'Create superuser and sign in' }).click();
      await page.getByText('The two passwords are not the same.').waitFor();
      expect(await page.getByLabel('Password again').getAttribute('aria-invalid')).toBe('true');
      await page.getByLabel('Password again').fill(PASSWORD);
      expect(await page.getByLabel('Password again').getAttribute('aria-invalid')).not.toBe('true');
      await page.getByRole('button', { name: 'Create superuser and sign in' }).click();
      await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
      expect(complaints).toEqual([]);
    });
  });

  it('UI-10 AUTH-1602 shows the setup also to whoever comes by a link to the sign-in', async () => {
    await onEmptyServer(async (visitor) => {
      const { page } = await visitor.open('/login', { signedIn: false });
      await page.getByRole('heading', { name: 'Welcome to Roost' }).waitFor();
    });
  });

  it('UI-10 AUTH-1602 offers the restore from a backup to whoever comes with the setup link', async () => {
    const page = await open('/pbinstall/some.setup.token');
    expect(await page.getByLabel('Setup token').inputValue()).toBe('some.setup.token');
    await page.getByRole('button', { name: 'Initialise from a backup' }).waitFor();
  });

  it('UI-10 AUTH-1603 refuses a wrong password in words and lets the right one in', async () => {
    const page = await open('/login');
    await signIn(page, 'wrong');
    expect(await page.getByRole('alert').textContent()).toContain('The sign-in failed');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(EMAIL);
    await signIn(page);
    await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
  });

  it('UI-2 comes back to the same place after a session has ended', async () => {
    const page = await open('/settings/crons', { signedIn: true });
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.getItem('roost_admin_auth')!);
      localStorage.setItem('roost_admin_auth', JSON.stringify({ ...session, token: `${session.token}x` }));
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(page.url()).toContain('#/settings/crons');
    await signIn(page);
    await page.getByRole('heading', { name: 'Crons' }).waitFor();
  });

  it('UI-2 keeps the colour scheme in step between tabs', async () => {
    const page = await open('/collections', { signedIn: true });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('link', { name: 'Logs' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByText('Dark', { exact: true }).click();
    await other.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
  });

  it('UI-10 AUTH-1604 always says that a mail was sent', async () => {
    const page = await open('/request-password-reset');
    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('UI-10 AUTH-1605 says that a link to set a new password has expired, and holds the longest of addresses', async () => {
    const { id } = await server.api.collections.getOne('_superusers');
    const email = `${'a.very.long.address.'.repeat(3)}@${'subdomain.'.repeat(4)}example.com`;
    const claims = Buffer.from(JSON.stringify({ collectionId: id, email })).toString('base64url');
    const page = await open(`/auth/confirm-password-reset/x.${claims}.y`, { width: 390, touch: true });
    await page.getByText(`For ${email}`).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByLabel('New password', { exact: true }).fill('1234567890');
    await page.getByLabel('New password again').fill('1234567890');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await page.getByRole('alert').getByText('This link is not valid or has expired.').waitFor();
  });

  it('UI-10 AUTH-1605 handles links of any auth collection without touching the session of the admin', async () => {
    const claims = Buffer.from(
      JSON.stringify({ collectionId: 'x', email: 'a@example.com', newEmail: 'b@example.com' }),
    );
    const token = `x.${claims.toString('base64url')}.y`;
    const page = await open(`/auth/confirm-verification/${token}`, { signedIn: true });
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.getByText('A new one can be sent to a@example.com.').waitFor();
    await page.getByRole('button', { name: 'Send a new link' }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('roost_admin_auth'))).toContain(EMAIL);
    await page.goto(`${server.url}/_/#/auth/confirm-password-reset/${token}`);
    await page.getByText('For a@example.com').waitFor();
    await page.getByLabel('New password', { exact: true }).fill('1234567890');
    await page.getByLabel('New password again').fill('1234567890');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('New password again').fill('another one');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await page.getByText('The two passwords are not the same.').waitFor();
    await page.goto(`${server.url}/_/#/auth/confirm-email-change/${token}`);
    await page.getByText('b@example.com').waitFor();
    expect(await violations(page)).toEqual([]);
    for (const [place, title] of [
      ['/auth/oauth2-redirect-success', 'You are signed in'],
      ['/auth/oauth2-redirect-failure', 'The sign-in failed'],
    ]) {
      await page.goto(`${server.url}/_/#${place}`);
      await page.getByRole('heading', { name: title }).waitFor();
    }
    expect(await page.evaluate(() => localStorage.getItem('roost_admin_auth'))).toContain(EMAIL);
  });

  it('UI-10 AUTH-1602 starts from a backup on the first visit', async () => {
    const { backups, files } = server.api;
    await backups.delete('seed.zip').catch(() => undefined);
    await backups.create('seed.zip');
    const zip = await fetch(backups.getDownloadURL(await files.getToken(), 'seed.zip'));
    const buffer = Buffer.from(await zip.arrayBuffer());
    await onEmptyServer(async (visitor, empty) => {
      const { page } = await visitor.open(`/pbinstall/${empty.setupToken}`, { signedIn: false });
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Initialise from a backup' }).click(),
      ]);
      await chooser.setFiles({ name: 'seed.zip', mimeType: 'application/zip', buffer });
      const question = page.getByRole('dialog', { name: 'Start from this backup?' });
      await question.getByRole('button', { name: 'Upload and restore' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 });
      await signIn(page);
      await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
    });
  });

  it('UI-10 AUTH-1603 signs in with a password and the code of a mail', async () => {
    const sink = await SmtpSink.open();
    await server.api.settings.update({ smtp: { enabled: true, host: '127.0.0.1', port: sink.port } });
    await server.api.collections.update('_superusers', { otp: { enabled: true }, mfa: { enabled: true } });
    try {
      const page = await open('/login');
      await page.getByLabel('E-mail').fill(EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(`Step 2 of 2: a code was sent to ${EMAIL}`).waitFor();
      await expect.poll(() => sink.mails.length, { timeout: 12_000 }).toBeGreaterThan(0);
      await page.getByLabel('One-time code').fill(/\b\d{8}\b/.exec(sink.mails.at(-1)!.raw)![0]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: `Account: ${EMAIL}` }).waitFor();
    } finally {
      await server.api.collections.update('_superusers', { mfa: { enabled: false }, otp: { enabled: false } });
      await server.api.settings.update({ smtp: { enabled: false } });
      await sink.close();
    }
  });

  it('UI-10 AUTH-1603 asks for a one-time code as the second step', async () => {
    await server.api.collections.update('_superusers', { otp: { enabled: true }, mfa: { enabled: true } });
    try {
      const page = await open('/login');
      await page.getByText('Step 1 of 2').waitFor();
      await page.getByLabel('E-mail').fill(EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Step 2 of 2').waitFor();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('input')].some((input) => input.value.length >= 10),
      );
      await page.getByLabel('One-time code').fill('00000000');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('wrong or has expired');
      await page.getByRole('button', { name: 'Send another code' }).waitFor();
      expect(await violations(page)).toEqual([]);
    } finally {
      await server.api.collections.update('_superusers', { mfa: { enabled: false }, otp: { enabled: false } });
    }
  });
});
