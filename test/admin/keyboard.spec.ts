import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { SCREENS } from './support/screens.js';
import { fillShop } from './support/shop.js';

/** Screens that are worked in. */
const TABBED = [
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
  'saving SQL',
];

/** More than any screen has. */
const MOST_STOPS = 400;

/** Whatever can be used on the topmost layer of a page, told by a mark that it is given. */
const markControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    // What is on top has the focus.
    const dialog = document.activeElement?.closest('dialog, [role="dialog"], [role="alertdialog"]');
    const layer = dialog ?? document.querySelector('main')!;
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
    // An editor of code takes Tab for itself until it is told to let go.
    if (await page.evaluate(() => document.activeElement?.matches('.cm-content') ?? false))
      await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const mark = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['tabTest'] ?? '');
    if (mark !== '' && marks.has(mark)) repeated++;
    marks.add(mark);
  }
  return marks;
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
    let controls = await markControls(page);
    // Until everything is there.
    await expect
      .poll(async () => {
        const before = controls;
        controls = await markControls(page);
        return controls.length > 0 && controls.length === before.length;
      })
      .toBe(true);
    const reached = await tabbedTo(page);
    expect(controls.filter((control) => !reached.has(control.split(' ')[0]!))).toEqual([]);
  });
});
