import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { SCREENS } from './support/screens.js';
import { fillShop } from './support/shop.js';

/** Screens that are worked in, and what is done with them by keys alone further below. */
const TABBED = [
  'views of a list',
  'saving a view',
  'filter builder',
  'filter builder with groups',
  'duplicate that is not saved yet',
  'question about changes by somebody else',
  'records that point here',
  'test of a rule',
  'overview of rules',
  'insights',
  'SQL console',
  'query plan',
  'chart of a result',
  'saved SQL',
  'saving SQL',
];

/** More than any screen has. */
const MOST_STOPS = 400;

/** Whatever can be used on the topmost layer of a page, told by a mark that it is given. */
const markControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const layers = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')];
    const layer = layers.filter((each) => each.checkVisibility()).at(-1) ?? document.querySelector('main')!;
    const usable = 'a[href], button, input, select, textarea, [contenteditable="true"], [tabindex="0"]';
    // One of these is a stop of Tab, and arrows go to the others.
    const groups =
      '[role="tablist"], [role="toolbar"], [role="menu"], [role="radiogroup"], [role="tree"], [role="grid"]';
    return [...layer.querySelectorAll<HTMLElement>(usable)].flatMap((control, index) => {
      const isOff = control.matches(':disabled, [aria-hidden="true"] *, [type="hidden"]') || !control.checkVisibility();
      const radios = control.matches('[type="radio"]') ? control.closest('fieldset, form, [role="group"]') : null;
      const isOneOfMany = control.tabIndex < 0 && control.closest(groups) !== null;
      if (isOff || isOneOfMany || radios || control.closest(groups)?.matches('[role="radiogroup"]')) return [];
      const mark = String(index);
      control.dataset['tabTest'] = mark;
      const name = control.getAttribute('aria-label') ?? control.textContent?.trim() ?? '';
      return [`${mark} ${control.tagName.toLowerCase()} ${name}`.slice(0, 60)];
    });
  });

/** The marks of what Tab comes to, until it comes to the same place again. */
const tabbedTo = async (page: Page): Promise<Set<string>> => {
  const marks = new Set<string>();
  let repeated = 0;
  for (let stop = 0; stop < MOST_STOPS && repeated < 5; stop++) {
    await page.keyboard.press('Tab');
    const mark = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['tabTest'] ?? '');
    if (mark !== '' && marks.has(mark)) repeated++;
    marks.add(mark);
  }
  return marks;
};

/** Goes on by Tab until it is there. */
const reach = async (page: Page, role: 'button' | 'textbox' | 'combobox' | 'switch' | 'tab', name: string | RegExp) => {
  const target = page.getByRole(role, { name }).last();
  await target.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await target.evaluate((element) => element.contains(document.activeElement))) return target;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never comes to ${String(name)}.`);
};
const press = async (page: Page, role: 'button' | 'combobox' | 'switch', name: string | RegExp) => {
  await reach(page, role, name);
  await page.keyboard.press('Enter');
};

describe('the admin UI by keyboard alone', () => {
  const suite = adminSuite(async ({ api }) => {
    await fillShop(api, { posts: 30 });
  });
  const open = async (place: string) => {
    const page = await suite.open(place);
    await page.waitForLoadState('networkidle');
    return page;
  };

  it.each(TABBED)('OPS-210 Tab comes to everything that can be used: %s', async (name) => {
    const [, place, ...steps] = SCREENS.find(([title]) => title === name)!;
    const page = await open(place);
    for (const step of steps) await step(page);
    await page.waitForLoadState('networkidle');
    const controls = await markControls(page);
    expect(controls.length).toBeGreaterThan(0);
    const reached = await tabbedTo(page);
    expect(controls.filter((control) => !reached.has(control.split(' ')[0]!))).toEqual([]);
  });

  it('UI-73 OPS-210 builds a filter and saves it as a view', async () => {
    const page = await open('/collections/posts');
    await press(page, 'button', 'Build the filter');
    const dialog = page.getByRole('dialog', { name: 'Filter posts' });
    await dialog.waitFor();
    await press(page, 'combobox', 'Field');
    await page.getByRole('option', { name: 'views', exact: true }).waitFor();
    await page.keyboard.type('views');
    await page.keyboard.press('Enter');
    await press(page, 'combobox', 'Operator');
    await page.keyboard.type('is more than');
    await page.keyboard.press('Enter');
    await reach(page, 'textbox', 'Value of views');
    await page.keyboard.type('100');
    await press(page, 'button', 'Apply the filter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => decodeURIComponent(page.url())).toContain('views > 100');
    await press(page, 'button', /^Views/);
    await page.getByRole('menuitem', { name: 'Save as a new view' }).waitFor();
    await page.keyboard.type('Save as');
    await page.keyboard.press('Enter');
    await reach(page, 'textbox', 'Name');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Views: By keys' }).waitFor();
  });

  it('UI-74 OPS-210 tests a rule as somebody', async () => {
    const page = await open('/collections/posts');
    await press(page, 'button', 'Settings of the collection');
    await reach(page, 'tab', /./);
    const rules = page.getByRole('tab', { name: 'API rules' });
    for (let step = 0; step < 5 && (await rules.getAttribute('aria-selected')) !== 'true'; step++)
      await page.keyboard.press('ArrowRight');
    await press(page, 'button', 'Test as …: the List and search rule');
    const dialog = page.getByRole('dialog', { name: /^Test the List and search rule/ });
    await dialog.getByText(/of \d+ pass/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Test as …/);
  });

  it('UI-81 OPS-210 runs a statement and keeps it under a name', async () => {
    const page = await open('/settings/sql');
    await reach(page, 'textbox', 'SQL');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('SELECT name FROM _collections');
    // The editor takes Tab for itself until Escape frees it.
    await page.keyboard.press('Escape');
    await press(page, 'button', 'Run');
    await page.getByText('_superusers').first().waitFor();
    await press(page, 'button', 'Snippets');
    await page.getByRole('menuitem', { name: 'Save as a snippet…' }).waitFor();
    await page.keyboard.type('Save as');
    await page.keyboard.press('Enter');
    await reach(page, 'textbox', 'Name');
    await page.keyboard.type('Names');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () =>
        (await suite.server.api.send<{ name: string }[]>('/api/sql/snippets', {})).map(({ name }) => name),
      )
      .toContain('Names');
  });
});
