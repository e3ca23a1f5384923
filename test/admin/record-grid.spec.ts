import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { violations, type OpenOptions } from './support/browser.js';

const MANY = 130;

describe('the grid of records in the admin UI', () => {
  let ids: string[];
  const suite = adminSuite(async ({ api }) => {
    await api.collections.create({
      name: 'pens',
      type: 'base',
      fields: [
        { name: 'name', type: 'text', required: true, max: 12 },
        { name: 'price', type: 'number', min: 0 },
        { name: 'sold', type: 'bool' },
        { name: 'colour', type: 'select', values: ['red', 'blue'], maxSelect: 1 },
        { name: 'note', type: 'editor' },
        { name: 'more', type: 'json' },
        { name: 'extra_long_column_name', type: 'text' },
        { name: 'still_another_column', type: 'text' },
      ],
    });
    await api.settings.update({ batch: { enabled: true, maxRequests: 500 } });
  });
  // Every test begins with the same pens, as nobody has arranged them.
  beforeEach(async () => {
    const { api } = suite.server;
    await api.collections.truncate('pens');
    const batch = api.createBatch();
    for (let index = 0; index < MANY; index += 1) {
      batch.collection('pens').create({ name: `pen ${String(index).padStart(3, '0')}`, price: index, colour: 'red' });
    }
    ids = (await batch.send()).map(({ body }) => (body as { id: string }).id);
  });
  const open = async (options?: OpenOptions, place = '/collections/pens?sort=name') => {
    const page = await suite.open(place, options);
    await page.locator('tbody tr[data-id]').first().waitFor();
    return page;
  };
  const cell = (page: Page, row: number, name: string) =>
    page.locator(`tr[data-id="${ids[row]}"] td[data-name="${name}"]`);
  const stored = (row: number) => suite.server.api.collection('pens').getOne(ids[row]!);
  const heads = (page: Page) =>
    page.locator('thead th').evaluateAll((all) => all.map((head) => head.textContent?.trim() ?? ''));

  it('UI-72 edits a cell by double click, goes on by Tab into the next row, and saves one by one', async () => {
    const page = await open();
    await cell(page, 0, 'name').dblclick();
    await page.getByRole('textbox', { name: `name of ${ids[0]}` }).waitFor();
    await page.keyboard.type('quill');
    await page.keyboard.press('Tab');
    await page.getByRole('textbox', { name: `price of ${ids[0]}` }).waitFor();
    await page.keyboard.type('12.5');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: `sold of ${ids[0]}` }).selectOption('true');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: `colour of ${ids[0]}` }).selectOption('blue');
    await page.keyboard.press('Tab');
    // Rich text needs the room of the panel.
    await page.getByRole('textbox', { name: `more of ${ids[0]}` }).waitFor();
    await page.keyboard.type('{"ink": true}');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored(0))['more'] as unknown).toEqual({ ink: true });
    expect(await stored(0)).toMatchObject({ name: 'quill', price: 12.5, sold: true, colour: 'blue' });
    expect(await page.getByRole('dialog').count()).toBe(0);
    // To the row before, from its first cell.
    await cell(page, 1, 'name').dblclick();
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('textbox', { name: `still_another_column of ${ids[0]}` }).waitFor();
    await page.keyboard.press('Escape');
    await cell(page, 0, 'still_another_column').and(page.locator(':focus')).waitFor();
  });

  it('UI-72 is worked by keys alone: arrows to the cell, Enter and F2 edit, Esc leaves and saves nothing', async () => {
    const page = await open();
    await page.locator(`tr[data-id="${ids[0]}"]`).focus();
    await page.keyboard.press('ArrowRight');
    await cell(page, 0, 'id').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await cell(page, 1, 'name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: `name of ${ids[1]}` }).fill('never');
    await page.keyboard.press('Escape');
    await cell(page, 1, 'name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: `name of ${ids[1]}` }).fill('brush');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored(1))['name'] as string).toBe('brush');
    await cell(page, 1, 'name').and(page.locator(':focus')).waitFor();
    // What is not edited in its cell opens the record, as the row does.
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
  });

  it('UI-72 tells at the cell why it could not be saved, keeps what was typed, and gives it up by Esc', async () => {
    const page = await open();
    await cell(page, 0, 'name').dblclick();
    await page.getByRole('textbox', { name: `name of ${ids[0]}` }).fill('much too long a name');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    const failed = cell(page, 0, 'name');
    await failed.and(page.locator('[data-pending="failed"]')).waitFor();
    expect(await failed.getByRole('alert').textContent()).toMatch(/12/);
    expect(await failed.textContent()).toContain('much too long a name');
    expect((await stored(0))['name']).toBe('pen 000');
    expect(await violations(page)).toEqual([]);
    await failed.dblclick();
    const input = page.getByRole('textbox', { name: `name of ${ids[0]}` });
    expect(await input.inputValue()).toBe('much too long a name');
    await input.press('Escape');
    await failed.getByText('pen 000').waitFor();
    expect(await failed.getAttribute('data-pending')).toBeNull();
  });

  it('UI-72 opens the record by one click, and edits nothing while controls are hidden', async () => {
    await suite.server.api.settings.update({ meta: { hideControls: true } });
    try {
      const page = await open();
      await cell(page, 0, 'name').click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await cell(page, 0, 'name').focus();
      await page.keyboard.press('F2');
      expect(await page.locator('td[data-editing]').count()).toBe(0);
    } finally {
      await suite.server.api.settings.update({ meta: { hideControls: false } });
    }
    const page = await open();
    await cell(page, 0, 'name').click();
    await page.getByRole('dialog').waitFor();
  });

  it('UI-72 moves, pins, hides and resizes columns, and remembers it', async () => {
    const page = await open();
    const head = (name: string) => page.locator(`thead th[title="${name}"]`);
    await head('price').hover();
    await head('price').getByRole('button', { name: 'Column price' }).click();
    await page.getByRole('menuitem', { name: 'Move left' }).click();
    expect((await heads(page)).slice(0, 3)).toEqual(['id', 'price', 'name']);
    await head('colour').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
    expect((await heads(page)).slice(0, 3)).toEqual(['colour', 'id', 'price']);
    await head('sold').dragTo(head('name'), { targetPosition: { x: 4, y: 10 } });
    await expect.poll(() => heads(page)).toEqual(expect.arrayContaining(['sold']));
    expect((await heads(page)).indexOf('sold')).toBe((await heads(page)).indexOf('name') - 1);
    await head('more').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Hide' }).click();
    expect(await heads(page)).not.toContain('more');
    const widthOf = async (name: string) => (await head(name).boundingBox())!.width;
    const before = await widthOf('name');
    await head('name').getByRole('button', { name: 'name', exact: true }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => widthOf('name')).toBe(before + 16);
    const box = (await head('price').boundingBox())!;
    await page.mouse.move(box.x + box.width - 3, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 57, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => widthOf('price')).toBe(box.width + 60);
    await page.keyboard.press('Alt+ArrowRight');
    await page.reload();
    await page.locator('tbody tr[data-id]').first().waitFor();
    expect((await heads(page))[0]).toBe('colour');
    expect(await widthOf('price')).toBe(box.width + 60);
    expect(await heads(page)).not.toContain('more');
  });

  it.each([1024, 390])('UI-72 keeps the ticks and the first column in sight at %i pixels', async (width) => {
    const page = await open({ width, height: 800 });
    const scroller = page.getByRole('grid').locator('..');
    const tick = page.locator(`tr[data-id="${ids[0]}"] td`).first();
    const places = async () => [(await tick.boundingBox())!.x, (await cell(page, 0, 'id').boundingBox())!.x];
    const before = await places();
    await scroller.evaluate((element) => element.scrollTo(500, 0));
    await expect.poll(() => scroller.evaluate((element) => element.scrollLeft)).toBeGreaterThan(100);
    expect(await places()).toEqual(before);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
      expect(await violations(page)).toEqual([]);
    }
  });

  it('UI-72 begins at the top after a search', async () => {
    const page = await open();
    const scroller = page.getByRole('grid').locator('..');
    await scroller.evaluate((element) => element.scrollTo(0, 900));
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBeGreaterThan(100);
    await page.goto(`${suite.server.url}/_/#/collections/pens?sort=name&filter=price%20%3E%205`);
    await page.getByText('124 records').waitFor();
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(0);
  });

  it('UI-72 selects all that match, beyond what is loaded, and deletes them with progress', async () => {
    const page = await open(undefined, '/collections/pens?sort=name&filter=price%20%3E%3D%2010');
    await page.getByRole('checkbox', { name: 'Select all loaded records' }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('40 selected').waitFor();
    await bar.getByRole('button', { name: 'Select all 120 that match' }).click();
    await bar.getByText('120 selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).click();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    await page.route('**/api/collections/*/records/*', async (route) => {
      if (route.request().method() === 'DELETE' && (asked += 1) === 3) await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete 120 records' }).click();
    await bar.getByText('Deleting 2 of 120').waitFor();
    release();
    await page.getByText('Deleted 120 records.').waitFor();
    await page.getByText('Nothing matches').waitFor();
    expect((await suite.server.api.collection('pens').getList(1, 1)).totalItems).toBe(10);
  });
});
