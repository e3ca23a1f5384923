import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { adminSuite } from './support/admin-suite.js';
import { tooWide, violations } from './support/browser.js';
import { fillShop } from './support/shop.js';

describe('the filter builder of the admin UI', () => {
  const suite = adminSuite(async ({ api }) => {
    await fillShop(api, { posts: 30 });
  });
  const filterOf = (page: Page) => new URLSearchParams(page.url().split('?')[1] ?? '').get('filter');
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Filter posts' });
  const open = async (place = '/collections/posts') => {
    const page = await suite.open(place);
    await page.getByRole('button', { name: 'Build the filter' }).click();
    await dialogOf(page).waitFor();
    return page;
  };
  const choose = async (page: Page, box: string, option: string, line = dialogOf(page).getByRole('group').last()) => {
    await line.getByRole('combobox', { name: box }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  it('UI-73 builds a filter by field, operator and value, with inputs that fit the field', async () => {
    const page = await open();
    const dialog = dialogOf(page);
    await choose(page, 'Field', 'views');
    await choose(page, 'Operator', 'is more than');
    await dialog.getByRole('textbox', { name: 'Value of views' }).fill('100');
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await choose(page, 'Field', 'active');
    await dialog.getByRole('combobox', { name: 'Value of active' }).click();
    await page.getByRole('option', { name: 'False' }).click();
    await dialog.getByRole('button', { name: 'Add group' }).click();
    await choose(page, 'Field', 'tags');
    await dialog.getByRole('combobox', { name: 'Value of tags' }).click();
    await page.getByRole('option', { name: 'howto' }).click();
    await dialog.getByRole('button', { name: 'Add condition' }).last().click();
    await choose(page, 'Field', 'published');
    await choose(page, 'Operator', 'is after');
    await dialog.getByRole('textbox', { name: 'Value of published' }).fill('2026-05-01 10:00');
    await dialog.getByRole('textbox', { name: 'Value of published' }).blur();
    const text = 'views > 100 && active = false && (tags ?= "howto" || published > "2026-05-01 10:00:00.000Z")';
    await dialog.getByRole('note', { name: 'The filter as text' }).getByText(text).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(filterOf(page)).toBe(text);
    const { totalItems } = await suite.server.api.collection('posts').getList(1, 1, { filter: text });
    expect(totalItems).toBeGreaterThan(0);
    await expect.poll(() => page.locator('tbody tr[data-id]').count()).toBe(totalItems);
  });

  it('UI-73 reads the text that is there, and leaves it as it was written where nothing was changed', async () => {
    const text =
      "(active=true || title ~ 'nest') && geoDistance(place.lon, place.lat, 16, 48) < 5000 && created <= @now";
    const page = await open(`/collections/posts?filter=${encodeURIComponent(text)}`);
    const dialog = dialogOf(page);
    const any = dialog.getByRole('group', { name: 'Any of these' });
    expect(await any.getByRole('textbox', { name: 'Value of title' }).inputValue()).toBe('nest');
    expect(await dialog.getByRole('textbox', { name: 'Value of created' }).inputValue()).toBe('@now');
    await dialog.locator('code').getByText('geoDistance(place.lon, place.lat, 16, 48) < 5000').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(filterOf(page)).toBe(text);
    await page.getByRole('button', { name: 'Build the filter' }).click();
    await any.getByRole('button', { name: 'Remove the condition' }).first().click();
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await expect
      .poll(() => filterOf(page))
      .toBe('title ~ "nest" && geoDistance(place.lon, place.lat, 16, 48) < 5000 && created <= @now');
  });

  it('UI-73 chooses related records, and says when a text cannot be read', async () => {
    const page = await open();
    const dialog = dialogOf(page);
    await choose(page, 'Field', 'author');
    await dialog.getByRole('button', { name: 'Choose' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from members' });
    await picker.getByRole('radio').first().check();
    await picker.getByRole('button', { name: 'Use selection' }).click();
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await expect.poll(() => filterOf(page)).toMatch(/^author = "\w{15}"$/);
    await page.goto(`${suite.server.url}/_/#/collections/posts?filter=${encodeURIComponent('views > ')}`);
    await page.getByRole('button', { name: 'Build the filter' }).click();
    await dialog.getByRole('alert').getByText('The text cannot be read as conditions').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(filterOf(page)).toBe('views > ');
  });

  it('UI-73 shows the words of a search as a search, which can be changed and narrowed', async () => {
    const page = await open('/collections/posts?filter=nest');
    const dialog = dialogOf(page);
    const words = dialog.getByRole('group', { name: 'Search' }).getByRole('textbox', { name: 'Words' });
    expect(await words.inputValue()).toBe('nest');
    expect(await dialog.getByRole('combobox').count()).toBe(0);
    await words.fill('perch');
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await expect.poll(() => filterOf(page)).toBe('perch');
    await page.getByRole('button', { name: 'Build the filter' }).click();
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await choose(page, 'Field', 'views');
    await choose(page, 'Operator', 'is more than');
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await expect.poll(() => filterOf(page)).toMatch(/^\(id ~ "perch" \|\| .*\) && views > 0$/);
    await page.getByRole('button', { name: 'Build the filter' }).click();
    expect(await words.inputValue()).toBe('perch');
    await dialog.getByRole('button', { name: 'Remove the search' }).click();
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await expect.poll(() => filterOf(page)).toBe('views > 0');
  });

  it('UI-73 fits a phone, and leaves the words of a search alone', async () => {
    const page = await suite.open('/collections/posts?filter=nest', { width: 390, height: 800 });
    await page.getByRole('button', { name: 'Build the filter' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('Looked for in id, title, body').waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply the filter' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(filterOf(page)).toBe('nest');
  });
});
