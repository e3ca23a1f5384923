import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3_SECRET, S3Server } from '../support/s3-server.js';
import { adminSuite } from './support/admin-suite.js';
import { violations } from './support/browser.js';

describe('settings in the admin UI', () => {
  let untouched: Awaited<ReturnType<typeof stored>>;
  const suite = adminSuite(async (server) => {
    untouched = await server.api.settings.getAll();
  });
  // Every test begins with the settings of a new installation, another attempt at it too.
  beforeEach(async () => {
    await suite.server.api.settings.update(untouched);
    for (const { key } of await suite.server.api.backups.getFullList()) await suite.server.api.backups.delete(key);
  });
  const open = async (section: string, title: string) => {
    const page = await suite.open(`/settings/${section}`);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    return page;
  };
  const stored = () => suite.server.api.settings.getAll();
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Settings saved.').first().waitFor();
  };

  it('UI-60 UI-1 changes name and accent, shows errors at fields, refuses colours that are too light', async () => {
    const page = await open('application', 'Application');
    await page.getByLabel('Application name').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByLabel('Application name').and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByLabel('Application name').fill('Aviary');
    await page.getByLabel('Accent colour').fill('#ffee88');
    await page.getByText('Too light').waitFor();
    await page.getByRole('button', { name: 'Accent #5b4bb0' }).click();
    await save(page);
    expect((await stored()).meta).toMatchObject({ appName: 'Aviary', accentColor: '#5b4bb0' });
    expect(await page.title()).toBe('Application – Aviary');
    const accent = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-accent-7'),
    );
    expect(accent.trim()).toBe('#5b4bb0');
    expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  });

  it('UI-60 sets the limits of batch requests', async () => {
    const page = await open('application', 'Application');
    await page.getByRole('button', { name: /^Batch requests/ }).click();
    const section = page.getByRole('region', { name: 'Batch requests' });
    await section.getByRole('switch', { name: 'Enabled' }).press('Space');
    await section.getByLabel('Max requests').fill('25');
    await save(page);
    expect((await stored()).batch).toMatchObject({ enabled: true, maxRequests: 25 });
    await page.getByRole('button', { name: /^Batch requests Enabled/ }).waitFor();
  });

  it('UI-60 RT-84a limits the streams of an address and of an account', async () => {
    const page = await open('application', 'Application');
    await page.getByRole('button', { name: /^Realtime No limit/ }).click();
    const section = page.getByRole('region', { name: 'Realtime' });
    await section.getByLabel('Max streams per address').fill('300');
    await section.getByLabel('Max streams per account').fill('20');
    await save(page);
    expect((await stored())['realtime']).toEqual({ maxStreamsPerIP: 300, maxStreamsPerAccount: 20 });
    await page.getByRole('button', { name: /^Realtime Limited/ }).waitFor();
  });

  it('UI-61 shows the address the server sees, and warns about headers nobody sends', async () => {
    const page = await open('application', 'Application');
    await page.getByRole('button', { name: /^Trusted proxy/ }).click();
    const section = page.getByRole('region', { name: 'Trusted proxy' });
    await section.getByText('127.0.0.1').waitFor();
    await section.getByRole('button', { name: 'X-Forwarded-For' }).click();
    await save(page);
    await section.getByRole('status').waitFor();
    expect((await stored()).trustedProxy.headers).toEqual(['X-Forwarded-For']);
    await section.getByRole('button', { name: 'Clear' }).click();
    await save(page);
  });

  it('UI-62 warns when the own address is missing, and asks with the rescue command', async () => {
    const page = await open('application', 'Application');
    await page.getByRole('button', { name: /^Superuser IPs/ }).click();
    const section = page.getByRole('region', { name: 'Superuser IPs' });
    await section.getByLabel('Allowed addresses').pressSequentially('10.9.8.7,');
    await section.getByRole('alert').waitFor();
    await section.getByRole('button', { name: 'Add my IP (127.0.0.1)' }).click();
    await section.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const question = page.getByRole('dialog', { name: 'Restrict superusers to these addresses?' });
    await question.getByText('roost superuser ips').waitFor();
    await question.getByRole('button', { name: 'Restrict superusers' }).click();
    await page.getByText('Settings saved.').first().waitFor();
    expect((await stored()).superuserIPs).toEqual(['10.9.8.7', '127.0.0.1']);
  });

  it('UI-63 edits rate limits with completion, sorts them, shows a conflict at its rule', async () => {
    const page = await open('application', 'Application');
    await page.getByRole('button', { name: /^Rate limiting/ }).click();
    const section = page.getByRole('region', { name: 'Rate limiting' });
    await section.getByRole('button', { name: 'About labels' }).click();
    await page.getByRole('dialog', { name: 'Labels of rate limits' }).waitFor();
    await page.keyboard.press('Escape');
    await section.getByRole('button', { name: 'Add rule' }).click();
    await section.getByLabel('Label of rule 5').fill('_superusers:authR');
    await page.getByRole('option', { name: '_superusers:authRefresh' }).click();
    await section.getByRole('button', { name: 'Sort by precedence' }).click();
    expect(await section.getByLabel('Label of rule 1').inputValue()).toBe('_superusers:authRefresh');
    await section.getByLabel('Label of rule 1').fill('/api/');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await section.locator('[aria-invalid="true"]').first().waitFor();
    await section.getByLabel('Label of rule 1').fill('members:create');
    await page.keyboard.press('Escape');
    await section.getByLabel('Requests of rule 1').fill('9');
    await save(page);
    expect((await stored()).rateLimits.rules[0]).toMatchObject({ label: 'members:create', maxRequests: 9 });
    await section.getByRole('button', { name: 'Remove rule 1' }).click();
    await save(page);
  });

  it('UI-64 sends a test mail through the SMTP server that was set, keeps and clears its password', async () => {
    const mails: string[] = [];
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: (stream, _session, done) => {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('end', () => {
          mails.push(text);
          done();
        });
      },
    });
    const address = await new Promise<AddressInfo>((resolve) => {
      const listening = smtp.listen(0, '127.0.0.1', () => resolve(listening.address() as AddressInfo));
    });
    try {
      const page = await open('mail', 'Mail');
      await page.getByLabel('Sender name').fill('The birds');
      await page.getByRole('switch', { name: 'Use an SMTP server' }).press('Space');
      await page.getByLabel('SMTP host').fill('127.0.0.1');
      await page.getByLabel('Port').fill(String(address.port));
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByLabel('EHLO name').fill('birds.example.com');
      const clear = page.getByRole('button', { name: 'Clear the stored one' });
      const password = page.getByLabel('Password', { exact: true });
      // There is none yet.
      expect([await clear.count(), await password.getAttribute('placeholder')]).toEqual([0, null]);
      await password.fill('secret');
      await save(page);
      await clear.click();
      expect(await password.getAttribute('placeholder')).toBe('Will be cleared');
      await save(page);
      await clear.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Send test e-mail' }).click();
      const dialog = page.getByRole('dialog', { name: 'Send test e-mail' });
      await dialog.getByLabel('To').fill('reader@example.com');
      await dialog.getByRole('button', { name: 'Send' }).click();
      await page.getByText('A test mail was sent to reader@example.com.').waitFor();
      expect(mails.join()).toContain('To: reader@example.com');
      await page.getByRole('button', { name: 'Send test e-mail' }).click();
      expect(await dialog.getByLabel('To').inputValue()).toBe('reader@example.com');
    } finally {
      await new Promise<void>((resolve) => smtp.close(() => resolve()));
    }
  });

  it('UI-65 sets up S3, warns about files that stay behind, and says why the check fails', async () => {
    const page = await open('storage', 'Files storage');
    await page.getByRole('switch', { name: /Use S3 storage/ }).press('Space');
    await page.getByText('roost files copy --to s3').waitFor();
    await page.getByRole('textbox', { name: 'Endpoint' }).fill('http://127.0.0.1:9');
    await page.getByRole('textbox', { name: 'Bucket' }).fill('birds');
    await page.getByRole('textbox', { name: 'Region' }).fill('eu');
    await page.getByRole('textbox', { name: 'Access key' }).fill('key');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Secret', { exact: true }).fill('secret');
    await page.getByRole('switch', { name: /Open unprotected files/ }).press('Space');
    await save(page);
    // It was checked by itself.
    await page.getByRole('alert').first().waitFor({ timeout: 40_000 });
    const settings = await stored();
    expect(settings.s3).toMatchObject({ enabled: true, bucket: 'birds' });
    expect(settings.files).toEqual({ openUnprotected: true });
  }, 60_000);

  it('UI-65 says that a store was reached', async () => {
    const store = await S3Server.open('birds');
    try {
      const page = await open('storage', 'Files storage');
      await page.getByRole('switch', { name: /Use S3 storage/ }).press('Space');
      const { endpoint, region, accessKey } = store.settings();
      await page.getByRole('textbox', { name: 'Endpoint' }).fill(endpoint);
      await page.getByRole('textbox', { name: 'Bucket' }).fill('birds');
      await page.getByRole('textbox', { name: 'Region' }).fill(region);
      await page.getByRole('textbox', { name: 'Access key' }).fill(accessKey);
      await page.getByLabel('Secret', { exact: true }).fill(S3_SECRET);
      await page.getByRole('switch', { name: 'Path-style addresses' }).press('Space');
      await save(page);
      await page.getByText('Connected: a file was written and deleted.').waitFor();
      expect(store.requests.some(({ method, url }) => method === 'PUT' && url.startsWith('/birds/'))).toBe(true);
    } finally {
      await store.close();
    }
  });

  it('UI-66 OPS-104a makes, downloads, uploads and deletes backups, asks for the name before a restore, and tells how it ended', async () => {
    const page = await open('backups', 'Backups');
    await page.getByRole('button', { name: 'New backup' }).click();
    const dialog = page.getByRole('dialog', { name: 'New backup' });
    await dialog.getByLabel('Name').fill('Not Allowed');
    await dialog.getByRole('button', { name: 'Make backup' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await dialog.getByLabel('Name').fill('by-hand.zip');
    await dialog.getByRole('button', { name: 'Make backup' }).click();
    await page.getByText('by-hand.zip', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download by-hand.zip' }).click(),
    ]);
    const bytes = await readFile((await download.path())!);
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    await page
      .locator('main input[type="file"]')
      .setInputFiles({ name: 'uploaded.zip', mimeType: 'application/zip', buffer: bytes });
    await page.getByText('uploaded.zip', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More for uploaded.zip' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    const question = page.getByRole('dialog', { name: 'Restore this backup?' });
    expect(await question.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
    await question.getByRole('textbox').fill('uploaded.zip');
    await question.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('status').filter({ hasText: 'Restored uploaded.zip' }).waitFor();
    await page.getByRole('button', { name: 'More for uploaded.zip' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete backup' }).click();
    await page.getByText('Backup deleted.').waitFor();
    await page.getByRole('switch', { name: 'Make backups automatically' }).press('Space');
    await page.getByRole('button', { name: 'Presets' }).click();
    await page.getByRole('menuitem', { name: /Every Sunday/ }).click();
    await page.getByText('Next run').waitFor();
    await save(page);
    expect((await stored()).backups.cron).toBe('0 0 * * 0');
  });

  it('UI-67 lists the jobs with their next run and runs one now', async () => {
    const page = await open('crons', 'Crons');
    await page.getByText('__pbLogsCleanup__').waitFor();
    await page.getByText('next').first().waitFor();
    await page.getByRole('button', { name: 'Run now: __pbLogsCleanup__' }).click();
    await page.getByText('__pbLogsCleanup__ was started.').waitFor();
  });

  it('UI-70 runs SQL, sorts and exports the result, asks before writing, shows errors, remembers', async () => {
    await suite.server.api.send('/api/sql', { method: 'POST', body: { query: 'DROP TABLE IF EXISTS by_hand' } });
    const page = await open('sql', 'SQL console');
    const type = async (text: string) => {
      await page.getByRole('textbox', { name: 'SQL' }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
      await page.keyboard.press('Escape');
    };
    await type('SELECT name, type FROM _collections ORDER BY name');
    await page.getByRole('button', { name: 'Run' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('_superusers').waitFor();
    await result.getByRole('button', { name: 'name' }).click();
    await result.getByRole('button', { name: 'name' }).click();
    expect(await result.getByRole('columnheader', { name: 'name' }).getAttribute('aria-sort')).toBe('descending');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(await readFile((await download.path())!, 'utf8')).toContain('name,type');
    await type('SELECT nothing');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').first().waitFor();
    await type('CREATE TABLE by_hand (a)');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('dialog', { name: 'Run a writing statement?' }).getByRole('button', { name: 'Run' }).click();
    await page.getByText(/rows affected/).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('menuitem').nth(1).waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(2);
  });

  it('UI-81 explains a statement as a tree, draws two columns, and keeps statements under names for all superusers', async () => {
    const page = await open('sql', 'SQL console');
    const type = async (text: string) => {
      await page.getByRole('textbox', { name: 'SQL' }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
      await page.keyboard.press('Escape');
    };
    await type('SELECT * FROM (SELECT name FROM _collections ORDER BY fields) UNION SELECT id FROM _collections');
    await page.getByRole('button', { name: 'Explain' }).click();
    const plan = page.getByRole('region', { name: 'Query plan' });
    await plan.getByText(/^USE TEMP B-TREE FOR ORDER BY/).waitFor();
    expect(await plan.locator('ul ul').count()).toBeGreaterThan(0);
    await plan.getByText('Sorts all rows.').waitFor();
    expect(await violations(page)).toEqual([]);
    await type('DROP TABLE _sqlSnippets; SELECT 1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('One statement at a time can be explained.').waitFor();

    const counted = 'SELECT type, count(*) AS number FROM _collections GROUP BY type ORDER BY type';
    await type(counted);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('radiogroup', { name: 'Show as' }).getByText('Chart').click();
    const chart = page.getByRole('list', { name: 'number by type' });
    expect(await chart.getByRole('listitem').first().textContent()).toMatch(/^auth\d$/);
    expect(await violations(page)).toEqual([]);

    const snippets = page.getByRole('button', { name: 'Snippets' });
    await snippets.click();
    await page.getByText('Nothing was saved yet').waitFor();
    await page.getByRole('menuitem', { name: 'Save as a snippet…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Types of collections');
    await page.keyboard.press('Enter');
    await page.getByText('Snippet saved.').waitFor();
    const kept = () => suite.server.api.send('/api/sql/snippets', {});
    expect(await kept()).toMatchObject([{ name: 'Types of collections', query: counted }]);
    await type('SELECT 2');
    await page.reload();
    await snippets.click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Types of collections', exact: true }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'SQL' }).textContent()).toContain('GROUP BY type');
    await snippets.click();
    await page.getByRole('menuitem', { name: 'Save as a snippet…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Types of collections');
    await page.getByRole('button', { name: 'Write over it' }).click();
    await expect.poll(async () => (await kept()).length).toBe(1);
    await snippets.click();
    await page.getByRole('menuitem', { name: 'Delete Types of collections' }).click();
    await page.getByRole('button', { name: 'Delete snippet' }).click();
    await expect.poll(async () => (await kept()).length).toBe(0);
  });

  it('UI-80 shows what is slow and large, advice that leads to the collection, and that it failed', async () => {
    const { api } = suite.server;
    await api.collections.create({ name: 'wide_open', type: 'base', createRule: '', fields: [] });
    const page = await suite.open('/settings/insights', { expected: ['500'] });
    await page.getByRole('heading', { name: 'Insights' }).waitFor();
    await page.getByRole('note').getByText('Everyone can create records of wide_open').waitFor();
    await page.getByRole('img', { name: /requests and \d+ errors in the last hour/ }).waitFor();
    const routes = page.getByRole('region', { name: 'Slowest routes', exact: true });
    await routes
      .getByText(/^(GET|POST) \/api\//)
      .first()
      .waitFor();
    await page.getByRole('note').getByRole('link', { name: 'Open wide_open' }).click();
    await page.getByRole('heading', { name: 'wide_open' }).waitFor();
    await api.collections.delete('wide_open');

    const failing = await suite.open('/docs', { width: 390, height: 844, expected: ['500'] });
    await failing.locator('main').waitFor();
    const answer = { status: 500, json: { code: 500, message: 'Something went wrong.', data: {} } };
    await failing.route('**/api/insights', (route) => route.fulfill(answer));
    await failing.evaluate(() => {
      location.hash = '#/settings/insights';
    });
    await failing.getByText('Something went wrong.').first().waitFor();
    await failing.unroute('**/api/insights');
    await failing.getByRole('button', { name: 'Try again' }).click();
    await failing.getByRole('region', { name: 'Collections', exact: true }).waitFor();
    expect(await failing.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
