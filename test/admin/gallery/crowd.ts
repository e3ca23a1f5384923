import type { CollectionModel, default as PocketBase } from 'pocketbase';
import type { Page } from 'playwright-core';
import type { SCREENS } from '../support/screens.js';
import { fillShop } from '../support/shop.js';
const WORD = 'Supercalifragilisticexpialidocious';

const LONG_POST = 'alltextsarelong';

type Click = (page: Page) => Promise<void>;
const button =
  (name: string | RegExp): Click =>
  (page) =>
    page.getByRole('button', { name }).first().click();

/** Places that only show what they can do with much in them. */
export const CROWDED: typeof SCREENS = [
  ['long texts in a list', '/collections/posts?filter=id="alltextsarelong"'],
  ['long texts in a panel', `/collections/posts?record=${LONG_POST}`],
  [
    'end of a panel',
    `/collections/posts?record=${LONG_POST}`,
    (page) => page.getByRole('dialog').locator('[data-field="internal"]').scrollIntoViewIfNeeded(),
  ],
  ['wide table', '/collections/wide'],
  [
    'wide table, at its end',
    '/collections/wide',
    (page) => page.locator('[class*="scroller"]').evaluate((element) => element.scrollTo(element.scrollWidth, 0)),
  ],
  ['columns of a wide table', '/collections/wide', button('Columns')],
  ['selection', '/collections/posts', (page) => page.locator('tbody input').nth(1).click()],
  [
    'question',
    '/collections/posts',
    (page) => page.locator('tbody input').nth(1).click(),
    (page) => page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click(),
  ],
  [
    'completion',
    '/collections/posts',
    async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('author.', { delay: 60 });
    },
  ],
  ['wrong filter', '/collections/posts?filter=nothing = 1'],
  ['new field', '/collections/posts', button('Settings of the collection'), button('New field')],
  [
    'review of changes',
    '/collections/posts',
    button('Settings of the collection'),
    (page) => page.getByRole('textbox', { name: 'Name of field contact' }).fill('mail'),
    button(/^Save$/),
  ],
  [
    'errors',
    '/collections/posts?record=new',
    (page) => page.getByRole('dialog').getByRole('button', { name: 'Create' }).click(),
  ],
  ['long names', '/collections/a_name_that_is_as_long_as_supercalifragilisticexpialidocious_allows'],
  [
    'fields with long names',
    '/collections/a_name_that_is_as_long_as_supercalifragilisticexpialidocious_allows',
    button('Settings of the collection'),
  ],
  [
    'sidebar',
    '/collections/posts',
    async (page) => {
      const drawer = page.getByRole('button', { name: 'Show collections' });
      if (await drawer.count()) await drawer.click();
      await page.getByLabel('Search collections').fill('part_2');
    },
  ],
  [
    'provider',
    '/collections/members',
    button('Settings of the collection'),
    (page) => page.getByRole('tab', { name: 'Options' }).click(),
    button(/^OAuth2/),
    button('Add provider'),
  ],
  ['logs filtered to nothing', '/logs?filter=level = 77'],
];

/**
 * Fills a server beyond what anybody would call tidy: 10,000 posts, 80 collections, a table of 40 columns, texts
 * without spaces and texts from right to left.
 */
export async function crowd(api: PocketBase): Promise<void> {
  await fillShop(api, { posts: 24 });
  await api.collections.create({
    name: 'wide',
    type: 'base',
    fields: Array.from({ length: 40 }, (_, index) => ({ name: `measure_${index}_of_something`, type: 'number' })),
  });
  await api.collection('wide').create(Object.fromEntries([['measure_0_of_something', 123456789.123]]));
  await api.collections.create({
    name: `a_name_that_is_as_long_as_${WORD.toLowerCase()}_allows`,
    type: 'base',
    fields: [{ name: `field_${WORD.toLowerCase()}_${WORD.toLowerCase()}`, type: 'text', help: `${WORD} `.repeat(8) }],
  });
  await api.collections.create({ name: 'empty', type: 'base', fields: [] });
  await api.collections.import(
    Array.from({ length: 74 }, (_, index) => ({
      name: `${['shop', 'forum', 'billing', 'reports', 'media'][index % 5]}_part_${index}`,
      type: 'base',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'post', type: 'relation', collectionId: 'shop_posts', maxSelect: 1 },
      ],
    })) as unknown as CollectionModel[],
  );
  await api.collection('posts').create({
    id: LONG_POST,
    title: WORD.repeat(8),
    body: `<p>${WORD.repeat(20)}</p><p dir="rtl">${'مرحبا بالعالم '.repeat(40)}</p>`,
    contact: `${WORD.toLowerCase()}@example.com`,
    website: `https://example.com/${WORD.repeat(10)}`,
    tags: ['news', 'release', 'howto'],
    meta: { [WORD.repeat(4)]: [WORD.repeat(4)] },
    files: ['report of the year.pdf', `${WORD.repeat(3)}.txt`].map((name) => new File(['text'], name)),
  });
  await api.send('/api/sql', {
    method: 'POST',
    body: {
      query:
        'INSERT INTO posts (id, title, views, active, published, tags, created, updated) ' +
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9975) ' +
        "SELECT printf('bulk%011d', i), 'Post number ' || i, i, i % 2, '2026-01-01 10:00:00.000Z', '[\"news\"]', " +
        "'2026-01-01 10:00:00.000Z', '2026-01-01 10:00:00.000Z' FROM n",
    },
  });
}
