import type { Page } from 'playwright-core';

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

/** Every screen of a signed-in superuser and how to get there, on a server filled by `fillShop`. */
export const SCREENS: readonly [name: string, place: string, ...steps: Step[]][] = [
  ['record list', '/collections/posts'],
  ['views of a list', '/collections/posts', click('button', 'Views')],
  ['saving a view', '/collections/posts', click('button', 'Views'), click('menuitem', 'Save as a new view')],
  ['filter builder', '/collections/posts', click('button', 'Build the filter')],
  ['record list without records', '/collections/empty'],
  ['record panel', '/collections/posts', firstRow],
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
  ['docs', '/docs'],
  ['unknown place', '/nowhere'],
];
