import type { CollectionModel, default as PocketBase } from 'pocketbase';
import { fillShop } from '../support/shop.js';
const WORD = 'Supercalifragilisticexpialidocious';

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
    title: `${WORD.repeat(8)}`,
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
