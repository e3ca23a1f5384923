import { describe, expect, it } from 'vitest';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  permissions: { fields: { active: 'bool' } },
  authors: { fields: { name: 'text', permissions: relation('permissions', 9) } },
  posts: {
    fields: {
      title: 'text',
      published: 'bool',
      author: relation('authors'),
      editor: relation('authors'),
      reader: relation('authors'),
      tags: { type: 'select', values: ['a', 'b'], maxSelect: 2 },
    },
  },
});
db.insert('permissions', { on: { active: true }, off: {} });
db.insert('authors', {
  ann: { name: 'Ann', permissions: ['on'] },
  bob: { name: 'Bob', permissions: ['on', 'off'] },
  cy: { name: 'Cy' },
});
const AUTHORS = ['ann', 'bob', 'cy', '', 'gone'];
const posts = Array.from({ length: 60 }, (_, index) => [
  `p${index}`,
  {
    title: `Post ${index % 7}`,
    published: index % 2 === 0,
    author: AUTHORS[index % 5],
    editor: AUTHORS[(index >> 2) % 5],
    tags: index % 3 ? ['a'] : ['a', 'b'],
  },
]);
db.insert('posts', Object.fromEntries(posts));

const count = (filter: string, rule = '') => db.statements('posts', filter, { rule }).count();

const isGrouped = (filter: string, rule = '') => count(filter, rule).sql.includes('GROUP BY');

// `list` throws when the count is not the number of records that were listed.
describe('totals under conditions on related records', () => {
  it.each([
    'author.permissions.active = true',
    'author.permissions.active ?= true',
    'author.permissions.active != true',
    'author.name = ""',
    'author.name != "Ann" && published = true',
    'author.name = "Bob" || editor.permissions.active = true',
    'author.name = editor.name || published = true',
    'author.name = "Nobody"',
    'author.name = editor.name && title ~ "3"',
  ])('LIST-3 counts what it lists, asking each group of records once: %s', (filter) => {
    expect(isGrouped(filter)).toBe(true);
    db.list('posts', filter);
    for (const rule of ['editor.permissions.active = true', 'tags ?= "b"', 'title > "Post 2"']) {
      db.list('posts', filter, { rule });
    }
  });

  it.each([
    'title = "Post 1"',
    'title ~ author.name',
    'author.name = editor.name || title ~ "3"',
    'tags ?= "b"',
    'author.name = "Ann" || tags ?= "b"',
    'author.name = "Ann" && editor.name = "Bob" && reader.name = "" || published = true',
  ])('LIST-3 makes no groups of which there would be as many as records: %s', (filter) => {
    expect(isGrouped(filter)).toBe(false);
    db.list('posts', filter);
  });

  it.each([
    'author.permissions.active ?= true',
    // Says that there is a permission and that none is another one.
    'author.permissions.active = true',
  ])('LIST-3 reads the related records once for each group: %s', (filter) => {
    let asked = 0;
    db.sqlite.function('ask', () => ++asked);
    const { sql, params } = count(filter);
    const [row] = db.sqlite.prepare(sql.replaceAll('json_valid(', 'ask() AND json_valid(')).all(...params) as [
      { total: number },
    ];
    expect(row.total).toBe(db.list('posts', filter).length);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(30);
  });
});
