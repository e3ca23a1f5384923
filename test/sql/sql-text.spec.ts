import { describe, expect, it } from 'vitest';
import { PostgresCompiler } from '../../src/kernel/sql/postgres-compiler.js';
import { SqliteCompiler } from '../../src/kernel/sql/sqlite-compiler.js';
import type { BoundSql } from '../../src/kernel/sql/bound-sql.js';
import { NOW, relation, TestDatabase } from './test-database.js';

const SKETCHES = {
  users: { type: 'auth', fields: { name: 'text', email: 'email', emailVisibility: 'bool', org: relation('users') } },
  tags: { fields: { name: 'text' }, listRule: "@request.auth.id != '' && name != 'secret'" },
  comments: { fields: { post: relation('posts'), posts: relation('posts', 9), text: 'text' } },
  posts: {
    fields: {
      title: 'text',
      total: 'number',
      done: 'bool',
      day: 'date',
      data: 'json',
      place: 'geoPoint',
      labels: { type: 'select', values: ['a', 'b'], maxSelect: 2 },
      author: relation('users'),
      tags: relation('tags', 9),
    },
  },
} as const;

/** Rules by what they show. */
const RULES: Readonly<Record<string, string>> = {
  'text against text': "title = 'a' || title != 'b' || title > 'c' || title ~ 'd' || title !~ 'e%'",
  'text against number': 'title = 5 || title < 5',
  'number against number and text': "total = 5 || total != '5' || total > 'x' || total < 5",
  'bool and date': "done = true || done != false || day > '2025-01-31T10:00:00+01:00' || day = @todayStart",
  'empty values': "title = '' || title != null || total = '' || data.x = '' || data.x != null || place != ''",
  'columns of one class': 'title = author || total = done || title != author',
  'columns of different classes': 'title = total || total != day || title > total',
  JSON: "data.a.0 = 5 || data.a != 'x' || data > 1 || data.a = title || data = total",
  modifiers: "title:lower = 'a' || labels:length > 1 || author:length = 1 || data.list:length = 2",
  'items in turn': "labels:each = 'a' || data.list:each ?= 5",
  'items as a whole': "labels ?= 'a' && labels ?!= 'b' && labels ~ 'c'",
  'single relation': "author.name = 'x' && author.org.name != 'y' && author.id = 'z'",
  'multiple relation': "tags.name ?= 'x' && tags:each ?= 'y' && tags.id ?!= title",
  'all of several': "tags.name = 'x' && tags.name != labels:each",
  'back-relations': "comments_via_post.text ?~ 'x' || comments_via_posts.text ?= 'y'",
  collections: '@collection.tags.name ?= title && @collection.tags:other.id ?= author',
  caller: '@request.auth.id != "" && author = @request.auth.id && author.org = @request.auth.org.name',
  request: '@request.query.q ~ title && total > @request.query.n && @request.body.tags.name ?= title',
  body: '@request.body.title:changed = true || @request.body.title:isset = false || @request.body.labels:each ?= title',
  functions: "geoDistance(place.lon, place.lat, 1, 2.5) < 3 || strftime('%Y', day) = '2026'",
};

describe.each([
  ['sqlite', () => new SqliteCompiler()],
  ['postgres', () => new PostgresCompiler()],
] as const)('%s', (name, newCompiler) => {
  const db = new TestDatabase(SKETCHES, newCompiler);
  const user = db.record('users', { id: 'ann', name: 'Ann', org: 'acme' });
  const caller = db.caller(user, { query: { q: 'q', n: '5' }, body: { title: 'T', tags: ['t'], labels: ['a'] } });
  const scope = { catalog: db, collection: db.get('posts'), caller, now: NOW };
  const print = (title: string, ...statements: readonly BoundSql[]) =>
    [`-- ${title}`, ...statements.map(({ sql, params }) => `${sql}\n-- ${JSON.stringify(params)}`)].join('\n');

  it('SQL-1 SQL-4 SQL-7 the text of conditions', async () => {
    const texts = Object.entries(RULES).map(([title, rule]) =>
      print(`${title}: ${rule}`, db.compiler.condition({ ...scope, rule })),
    );
    await expect(`${texts.join('\n\n')}\n`).toMatchFileSnapshot(`snapshots/${name}-conditions.sql`);
  });

  it('SQL-3 SQL-5 SQL-7 the text of statements', async () => {
    const rule = 'author = @request.auth.id';
    const list = db.compiler.list({
      ...scope,
      rule,
      filter: "tags.name ?= 'x' && author.email ~ 'y'",
      sort: '-total,title:lower,data.k,tags.name,author.email,@random',
      limit: 30,
      guarded: true,
    });
    const plain = db.compiler.list({ ...scope, limit: 30, sort: '@rowid' });
    const groups = db.compiler.list({ ...scope, limit: 30, rule: "author.name = 'x'", filter: "title ~ 'y'" });
    const comments = {
      ...scope,
      collection: db.get('comments'),
      parents: ['p1', 'p2'],
      rule: 'post.author = @request.auth.id',
    };
    const row = db.record('posts', { id: 'p', title: 'T', total: 5 }).toRow();
    const guest = db.caller(null);
    const checks = [caller, guest, caller].map((each) => ({ caller: each, rule }));
    const field = (each: string) => db.get('comments').field(each)!;
    const texts = [
      print('a guarded list', list.page(60), list.count()),
      print('a plain list', plain.page(0), plain.count()),
      print(
        'records by id',
        db.compiler.find({ ...scope, ids: ['p1'] }),
        db.compiler.find({ ...scope, ids: ['a', 'b'], rule }),
      ),
      print(
        'children',
        db.compiler.children({ ...comments, field: field('post') }),
        db.compiler.children({ ...comments, field: field('posts') }),
      ),
      print(
        'candidates',
        db.compiler.candidates({ catalog: db, collection: db.get('posts'), now: NOW, row, checks }).statement!,
      ),
      print('a total, its rule asked once for each author', groups.count()),
    ];
    await expect(`${texts.join('\n\n')}\n`).toMatchFileSnapshot(`snapshots/${name}-statements.sql`);
  });
});
