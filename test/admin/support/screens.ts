import type { Page } from 'playwright-core';
import { settled } from './browser.js';

/** One thing done on the way to a screen. */
export type Step = (page: Page) => Promise<void>;

const click =
  (role: 'button' | 'tab' | 'menuitem', name: string | RegExp): Step =>
  (page) =>
    page.getByRole(role, { name }).first().click();
/** A button of the sidebar, which is a drawer on narrow pages. */
const inSidebar =
  (name: string): Step =>
  async (page) => {
    const drawer = page.getByRole('button', { name: 'Show collections' });
    if (await drawer.count()) await drawer.click();
    await page.getByRole('button', { name }).first().click();
  };
const firstRow: Step = (page) => page.locator('tbody tr[tabindex]').first().click();

/** Types into the SQL console and does something with it. */
const withSql =
  (text: string, button: string): Step =>
  async (page) => {
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: button }).click();
  };
const COUNTED = 'SELECT type, count(*) AS number FROM _collections GROUP BY type ORDER BY type';

/** Somebody else changes the record that a panel shows. */
const changedElsewhere: Step = async (page) => {
  await page.getByRole('dialog').getByRole('textbox', { name: 'contact' }).waitFor();
  await settled(page);
  await page.evaluate(async () => {
    const { token } = JSON.parse(localStorage.getItem('roost_admin_auth')!) as { token: string };
    const id = new URLSearchParams(location.hash.split('?')[1]).get('record')!;
    const changed = await fetch(`../api/collections/posts/records/${id}`, {
      method: 'PATCH',
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        contact: `theirs${Date.now()}@example.com`,
        website: `https://theirs${Date.now()}.example`,
      }),
    });
    await changed.text();
  });
};

/** Every screen of a signed-in superuser and how to get there, on a server filled by `fillShop`. */
export const SCREENS: readonly [name: string, place: string, ...steps: Step[]][] = [
  ['record list', '/collections/posts'],
  ['views of a list', '/collections/posts', click('button', 'Views')],
  ['saving a view', '/collections/posts', click('button', 'Views'), click('menuitem', 'Save as a new view')],
  ['filter builder', '/collections/posts', click('button', 'Build the filter')],
  ['filter builder with a search', '/collections/posts?filter=nest', click('button', 'Build the filter')],
  [
    'filter builder with groups',
    `/collections/posts?filter=${encodeURIComponent("(active = true || title ~ 'nest') && geoDistance(place.lon, place.lat, 16, 48) < 5000")}`,
    click('button', 'Build the filter'),
  ],
  ['selection', '/collections/posts', (page) => page.locator('tbody input[type="checkbox"]').first().check()],
  ['record list without records', '/collections/empty'],
  ['record panel', '/collections/posts', firstRow],
  [
    'duplicate that is not saved yet',
    '/collections/posts',
    firstRow,
    click('button', 'More actions'),
    click('menuitem', 'Duplicate'),
    (page) => page.getByRole('dialog', { name: 'New posts record' }).waitFor(),
  ],
  [
    'notice of changes by somebody else',
    '/collections/posts',
    firstRow,
    changedElsewhere,
    (page) => page.getByRole('status').filter({ hasText: 'Somebody else has just changed' }).waitFor(),
  ],
  [
    'question about changes by somebody else',
    '/collections/posts',
    firstRow,
    (page) => page.getByRole('dialog').getByRole('textbox', { name: 'contact' }).fill('mine@example.com'),
    changedElsewhere,
    (page) => page.keyboard.press('Control+s'),
    (page) => page.getByRole('dialog', { name: 'Somebody else changed the same fields' }).waitFor(),
  ],
  [
    'records that point here',
    '/collections/members',
    firstRow,
    (page) => page.getByRole('region', { name: 'Records that point here' }).scrollIntoViewIfNeeded(),
  ],
  ['record panel of an account', '/collections/members', firstRow],
  ['record preview', '/collections/post_stats', firstRow],
  ['relation picker', '/collections/posts', firstRow, click('button', 'Choose records')],
  [
    'collection panel, fields',
    '/collections/posts',
    click('button', 'Settings of the collection'),
    click('button', 'Options of field files'),
  ],
  [
    'collection panel, rules',
    '/collections/posts',
    click('button', 'Settings of the collection'),
    click('tab', 'API rules'),
  ],
  [
    'test of a rule',
    '/collections/posts',
    click('button', 'Settings of the collection'),
    click('tab', 'API rules'),
    click('button', 'Test as …: the List and search rule'),
  ],
  ['collection panel, query', '/collections/post_stats', click('button', 'Settings of the collection')],
  [
    'collection panel, options',
    '/collections/members',
    click('button', 'Settings of the collection'),
    click('tab', 'Options'),
    click('button', /^OAuth2/),
    click('button', /^Mails/),
  ],
  ['index dialog', '/collections/posts', click('button', 'Settings of the collection'), click('button', 'New index')],
  ['new collection', '/collections/posts', inSidebar('New collection')],
  ['overview', '/collections/posts', inSidebar('Overview of all collections')],
  ['overview of rules', '/collections/posts', inSidebar('Overview of all collections'), click('tab', 'Rules')],
  ['API preview', '/collections/members', click('button', 'API preview')],
  ['account menu', '/collections/posts', click('button', /^Account/)],
  ['logs', '/logs'],
  ['log panel', '/logs', firstRow],
  ['logs settings', '/logs', click('button', 'Settings of the logs')],
  [
    'application',
    '/settings/application',
    click('button', /^Trusted proxy/),
    click('button', /^Rate limiting/),
    click('button', /^Superuser IPs/),
  ],
  ['mail', '/settings/mail'],
  ['test mail', '/settings/mail', click('button', 'Send test e-mail')],
  ['storage', '/settings/storage'],
  ['backups', '/settings/backups', click('button', 'New backup')],
  ['export', '/settings/export'],
  ['import', '/settings/import'],
  ['crons', '/settings/crons'],
  ['insights', '/settings/insights'],
  ['SQL console', '/settings/sql'],
  ['query plan', '/settings/sql', withSql('SELECT name FROM _collections ORDER BY fields', 'Explain')],
  ['result of SQL', '/settings/sql', withSql(COUNTED, 'Run')],
  [
    'chart of a result',
    '/settings/sql',
    withSql(COUNTED, 'Run'),
    (page) => page.getByRole('radiogroup', { name: 'Show as' }).getByText('Chart').click(),
  ],
  ['saved SQL', '/settings/sql', click('button', 'Snippets')],
  [
    'saving SQL',
    '/settings/sql',
    withSql(COUNTED, 'Run'),
    click('button', 'Snippets'),
    click('menuitem', 'Save as a snippet…'),
  ],
  ['docs', '/docs'],
  ['unknown place', '/nowhere'],
];
