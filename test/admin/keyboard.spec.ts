import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { settled } from './support/browser.js';
import { enter, focusOn, keyTo } from './support/keys.js';
import { fillShop, type Shop } from './support/shop.js';

const POSTS = 12;

describe('the admin UI by keyboard alone', () => {
  let shop: Shop;
  const suite = adminSuite(async ({ api }) => {
    shop = await fillShop(api, { posts: POSTS });
  });
  beforeAll(async () => {
    await suite.server.api.settings.update({ meta: { hideControls: false } });
  });
  // What one test has stored for all superusers is nothing to the next one.
  beforeEach(async () => {
    const { api } = suite.server;
    for (const { name } of await api.send<{ name: string }[]>('/api/sql/snippets', {}))
      await api.send(`/api/sql/snippets/${encodeURIComponent(name)}`, { method: 'DELETE' });
  });

  const open = async (place = '/collections/posts') => {
    const page = await suite.open(place);
    await page.locator('tbody tr[data-id]').first().waitFor();
    return page;
  };
  const button = (inside: Page | Locator, name: string | RegExp) => inside.getByRole('button', { name, exact: true });
  const gone = (dialog: Locator) => dialog.waitFor({ state: 'detached' });
  /** Chooses from a list that opens below an input. */
  const choose = async (page: Page, box: Locator, option: string) => {
    await keyTo(page, box);
    await page.keyboard.press('ArrowDown');
    const wanted = page.getByRole('option', { name: option, exact: true });
    await wanted.waitFor();
    for (let at = 0; at < 40 && (await wanted.getAttribute('data-combobox-selected')) === null; at += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await wanted.waitFor({ state: 'hidden' });
  };
  /** Waits for a menu to take the focus, which is after it is drawn: a key before that is pressed outside of it. */
  const openMenu = async (page: Page) => focusOn(page.getByRole('menu'));
  /** Walks through a menu that has just opened. */
  const pick = async (page: Page, name: string | RegExp) => {
    await openMenu(page);
    await enter(page, page.getByRole('menuitem', { name }).first(), 'ArrowDown');
  };
  const filterOf = (page: Page) => new URLSearchParams(page.url().split('?')[1] ?? '').get('filter');

  it('UI-72 works the menu of a column, and gives its head the focus back', async () => {
    const page = await open();
    const heads = () => page.locator('thead th').evaluateAll((all) => all.map((head) => head.getAttribute('title')));
    const place = (await heads()).indexOf('views');
    const head = page.locator('thead th[title="views"]');
    await keyTo(page, head.getByRole('button', { name: 'views', exact: true }));
    await page.keyboard.press('Shift+F10');
    await pick(page, 'Move left');
    await expect.poll(async () => (await heads()).indexOf('views')).toBe(place - 1);
    await focusOn(head);
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(async () => (await heads()).indexOf('views')).toBe(place);
    await focusOn(head);
    await page.keyboard.press('Shift+F10');
    await openMenu(page);
    await page.keyboard.press('Escape');
    await focusOn(head);
  });

  it('UI-72 edits a cell and goes on to the next one', async () => {
    const page = await open();
    const row = page.locator('tbody tr[data-id]').first();
    const id = await row.getAttribute('data-id');
    await keyTo(page, row);
    const cell = row.locator('td[data-name="title"]');
    await keyTo(page, cell, 'ArrowRight');
    await page.keyboard.press('F2');
    await focusOn(page.getByRole('textbox', { name: `title of ${id}` }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await focusOn(cell);
    await expect
      .poll(async () => (await suite.server.api.collection('posts').getOne(id!))['title'] as string)
      .toBe('By keys');
  });

  it('UI-73 builds a filter, takes a line of it away, and comes back to where it was opened', async () => {
    const page = await open();
    const opener = button(page, 'Build the filter');
    await enter(page, opener);
    const dialog = page.getByRole('dialog', { name: 'Filter posts' });
    await focusOn(dialog);
    await choose(page, dialog.getByRole('combobox', { name: 'Field' }), 'views');
    await choose(page, dialog.getByRole('combobox', { name: 'Operator' }), 'is more than');
    await keyTo(page, dialog.getByRole('textbox', { name: 'Value of views' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('100');
    await enter(page, button(dialog, 'Apply the filter'));
    await gone(dialog);
    await expect.poll(() => filterOf(page)).toBe('views > 100');
    await focusOn(opener);
    await page.keyboard.press('Enter');
    await focusOn(dialog);
    await enter(page, button(dialog, 'Add condition'));
    await expect.poll(() => dialog.getByRole('group', { name: /^Condition on/ }).count()).toBe(2);
    await enter(page, button(dialog, 'Remove the condition').last());
    await expect.poll(() => dialog.getByRole('group', { name: /^Condition on/ }).count()).toBe(1);
    await focusOn(button(dialog, 'Remove the condition'));
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.getByRole('group', { name: /^Condition on/ }).count()).toBe(0);
    await focusOn(button(dialog, 'Add condition'));
    await page.keyboard.press('Escape');
    await gone(dialog);
    await focusOn(opener);
  });

  it('UI-73 saves a view under a name, opens and deletes it', async () => {
    const page = await open(`/collections/posts?filter=${encodeURIComponent('views > 100')}`);
    const views = page.getByRole('button', { name: /^Views/ });
    await enter(page, views);
    await pick(page, 'Save as a new view');
    const dialog = page.getByRole('dialog', { name: 'Save as a new view' });
    await focusOn(dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('Often seen');
    await page.keyboard.press('Enter');
    await gone(dialog);
    await page.getByRole('button', { name: 'Views: Often seen' }).waitFor();
    await focusOn(views);
    await page.keyboard.press('Enter');
    await pick(page, 'No view');
    await expect.poll(() => filterOf(page)).toBeNull();
    await focusOn(views);
    await page.keyboard.press('Enter');
    await pick(page, /^Often seen/);
    await expect.poll(() => filterOf(page)).toBe('views > 100');
    await focusOn(views);
    await page.keyboard.press('Enter');
    await pick(page, 'Delete the view');
    const question = page.getByRole('dialog').filter({ has: button(page, 'Delete view') });
    await focusOn(question);
    await enter(page, button(question, 'Delete view'));
    await gone(question);
    await focusOn(views);
  });

  it('UI-74 tries a rule as somebody, and comes back one step after the other', async () => {
    const page = await open();
    const settings = button(page, 'Settings of the collection');
    await enter(page, settings);
    const panel = page.getByRole('dialog', { name: 'Collection posts' });
    await focusOn(panel);
    await keyTo(page, panel.getByRole('tab', { name: 'Fields' }));
    await keyTo(page, panel.getByRole('tab', { name: 'API rules' }), 'ArrowRight');
    const test = button(panel, 'Test as …: the List and search rule');
    await enter(page, test);
    const dialog = page.getByRole('dialog', { name: 'Test the List and search rule as …' });
    await focusOn(dialog);
    await keyTo(page, dialog.getByRole('radio', { name: 'Guest' }));
    await keyTo(page, dialog.getByRole('radio', { name: 'An account' }), 'ArrowRight');
    await enter(page, button(dialog, 'Choose an account'));
    const picker = page.getByRole('dialog', { name: 'Choose from members' });
    await focusOn(picker);
    await keyTo(page, picker.getByRole('radio').first());
    await page.keyboard.press('Space');
    await enter(page, button(picker, 'Use selection'));
    await gone(picker);
    await dialog.getByText(`${POSTS} of ${POSTS} pass`).waitFor();
    const chosen = dialog.getByRole('button').filter({ hasText: shop.members.at(-1)!.name });
    await focusOn(chosen);
    await page.keyboard.press('Escape');
    await gone(dialog);
    await focusOn(test);
    await page.keyboard.press('Escape');
    await gone(panel);
    await focusOn(settings);
  });

  it('UI-74 goes through the rules of all collections', async () => {
    const page = await open();
    const opener = button(page, 'Overview of all collections');
    await enter(page, opener);
    const dialog = page.getByRole('dialog', { name: 'Overview' });
    await focusOn(dialog);
    await keyTo(page, dialog.getByRole('tab').first());
    await keyTo(page, dialog.getByRole('tab', { name: 'Rules' }), 'ArrowRight');
    await keyTo(page, dialog.getByRole('radio', { name: 'All' }));
    await keyTo(page, dialog.getByRole('radio', { name: /^Warnings/ }), 'ArrowRight');
    await expect.poll(() => dialog.getByRole('region', { name: /^Rules of/ }).count()).toBeLessThan(3);
    await page.keyboard.press('Escape');
    await gone(dialog);
    await focusOn(opener);
  });

  it('UI-76 hears of what somebody else changes, decides on a conflict, and finds the records that point here', async () => {
    const { api } = suite.server;
    const page = await open();
    const row = page.locator('tbody tr[data-id]').first();
    const id = (await row.getAttribute('data-id'))!;
    await enter(page, row);
    const panel = page.getByRole('dialog');
    const contact = panel.getByRole('textbox', { name: 'contact' });
    await keyTo(page, contact);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('mine@example.com');
    await api.collection('posts').update(id, { contact: 'theirs@example.com' });
    const notice = page.getByRole('status').filter({ hasText: 'Somebody else has just changed' });
    await notice.waitFor();
    // However far down somebody is, and whatever stands above it.
    await page.setViewportSize({ width: 1024, height: 500 });
    await contact.scrollIntoViewIfNeeded();
    const isSeen = (shown: Element) => {
      const { left, top, width } = shown.getBoundingClientRect();
      return shown.contains(document.elementFromPoint(left + width / 2, top + 10));
    };
    await expect.poll(() => notice.evaluate(isSeen)).toBe(true);
    // Nobody who is typing is taken away from it.
    await focusOn(contact);
    await page.keyboard.press('Control+s');
    const question = page.getByRole('dialog', { name: 'Somebody else changed the same fields' });
    await focusOn(button(question, 'Save'));
    await page.keyboard.press('Escape');
    await gone(question);
    await focusOn(contact);
    await page.keyboard.press('Control+s');
    await focusOn(button(question, 'Save'));
    await page.keyboard.press('Enter');
    await gone(question);
    await expect
      .poll(async () => (await api.collection('posts').getOne(id))['contact'] as string)
      .toBe('mine@example.com');
    await focusOn(panel);

    const people = await open('/collections/members');
    await enter(people, people.locator('tbody tr[data-id]').first());
    const link = people.getByRole('link', { name: 'posts by author' });
    await enter(people, link);
    await expect.poll(() => filterOf(people)).toMatch(/^author/);
    await people.locator('tbody tr[data-id]').first().waitFor();
  });

  it('UI-78 switches a list to live, and shows what has come', async () => {
    const page = await open();
    const live = page.getByRole('switch', { name: /Live/ });
    await keyTo(page, live);
    const listening = page.waitForResponse(
      (answer) => answer.url().endsWith('/api/realtime') && answer.request().method() === 'POST',
    );
    await page.keyboard.press('Space');
    await expect.poll(() => live.getAttribute('aria-checked')).toBe('true');
    await focusOn(live);
    await listening;
    const { id } = await suite.server.api.collection('posts').create({ title: 'Came while somebody looked' });
    await page.locator(`tr[data-id="${id}"]`).waitFor();
    await focusOn(live);
    await page.keyboard.press('Enter');
    await expect.poll(() => live.getAttribute('aria-checked')).toBe('false');
    await suite.server.api.collection('posts').delete(id);
  });

  it('UI-80 reaches everything of the insights, tables that scroll among it', async () => {
    const page = await suite.open('/settings/insights');
    const refresh = button(page, 'Refresh');
    await enter(page, refresh);
    await settled(page);
    await focusOn(refresh);
    await keyTo(page, page.getByRole('region', { name: 'Table: Slowest routes' }));
    await enter(page, page.getByRole('region', { name: 'Table: Collections' }).getByRole('link', { name: 'posts' }));
    await page.waitForURL(/collections\/posts/);
  });

  it('UI-81 runs SQL, keeps it under a name, brings it back and deletes it', async () => {
    const page = await suite.open('/settings/sql');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await keyTo(page, editor);
    await page.keyboard.insertText('SELECT count(*) AS number FROM posts');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: 'number' }).waitFor();
    const snippets = button(page, 'Snippets');
    await page.keyboard.press('Escape');
    await enter(page, snippets);
    await pick(page, 'Save as a snippet…');
    const dialog = page.getByRole('dialog', { name: 'Save as a snippet' });
    await focusOn(dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('How many');
    await page.keyboard.press('Enter');
    await gone(dialog);
    await focusOn(snippets);
    await page.keyboard.press('Enter');
    await pick(page, /^How many/);
    await focusOn(snippets);
    await page.keyboard.press('Enter');
    await pick(page, 'Delete How many');
    const question = page.getByRole('dialog').filter({ has: button(page, 'Delete snippet') });
    await focusOn(question);
    await enter(page, button(question, 'Delete snippet'));
    await gone(question);
    await focusOn(snippets);
  });

  it('UI-69 imports collections, and asks before data is lost', async () => {
    const page = await suite.open('/settings/import');
    const text = page.getByRole('textbox', { name: 'Collections to import' });
    await keyTo(page, text);
    await page.keyboard.insertText(
      '[{ "name": "brought", "type": "base", "fields": [{ "name": "a", "type": "text" }] }]',
    );
    await page.keyboard.press('Escape');
    await keyTo(page, page.getByRole('switch', { name: 'Merge with existing collections' }));
    await page.keyboard.press('Space');
    const run = page.getByRole('button', { name: /^Import/ });
    await enter(page, run);
    const question = page.getByRole('dialog', { name: 'Some data will be lost' });
    await focusOn(question);
    await page.keyboard.press('Escape');
    await gone(question);
    await focusOn(run);
    await keyTo(page, page.getByRole('switch', { name: 'Merge with existing collections' }), 'Shift+Tab');
    await page.keyboard.press('Space');
    await enter(page, run);
    await page.getByText('The collections were imported.').waitFor();
    // The button is gone with the text; whoever goes on by keys begins where the next text goes.
    await focusOn(text);
    await suite.server.api.collections.delete('brought');
  });
});
