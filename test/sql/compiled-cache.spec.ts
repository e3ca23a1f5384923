import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilterCache } from '../../src/kernel/filter/filter-cache.js';
import { ExpressionCompiler } from '../../src/kernel/resolve/expression-compiler.js';
import { SqliteCompiler } from '../../src/kernel/sql/sqlite-compiler.js';
import { NOW, relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  orgs: { fields: { name: 'text' } },
  users: { type: 'auth', fields: { name: 'text', level: 'number', orgs: relation('orgs', 9), data: 'json' } },
  robots: { type: 'auth', fields: { level: 'text', orgs: relation('orgs') } },
  posts: { fields: { title: 'text', total: 'number', owner: relation('users'), org: relation('orgs'), data: 'json' } },
});

const fresh = () => {
  const filters = new FilterCache();
  return new ExpressionCompiler(
    () => new SqliteCompiler(),
    (text) => filters.parse(text),
  );
};

const RULES = [
  'owner = @request.auth.id',
  'total > @request.query.n && title ~ @request.query.n',
  'data.x = @request.body.x || @request.body.x:length > 1 || @request.body.x:each ?= title',
  '@request.auth.orgs.name ?= title || @request.auth.level != total',
  '@request.auth.orgs ?= org && @request.auth.orgs:isset = true',
  '@request.body.title:changed = true || @request.body.owner.name = title || @request.body.org = null',
  '@request.headers.x_a:lower = title:lower && @now > @request.query.n && @request.auth.data.k = total',
];

const scalar = fc.constantFrom<unknown>(
  '',
  'a',
  'A',
  '5',
  '5.0',
  '%',
  5,
  0,
  true,
  false,
  null,
  undefined,
  [],
  ['a', 1],
  { k: 1 },
);
const text = fc.constantFrom('', 'a', '5', '2026-01-01T00:00:00Z');
const request = fc.record(
  {
    query: fc.record({ n: text }, { requiredKeys: [] }),
    headers: fc.record({ x_a: text }, { requiredKeys: [] }),
    body: fc.record({ x: scalar, title: scalar, owner: scalar, org: scalar }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const auth = fc.oneof(
  fc.constant(null),
  fc
    .record({
      id: text,
      level: fc.constantFrom(0, 5),
      orgs: fc.constantFrom([], ['o1'], ['o1', 'o2']),
      data: fc.constantFrom(null, { k: 5 }, { k: '' }),
    })
    .map((values) => db.record('users', values)),
  fc.record({ id: text, level: text, orgs: fc.constantFrom('', 'o1') }).map((values) => db.record('robots', values)),
);
const scope = { collection: db.get('posts'), catalog: db, now: NOW };

describe('remembered SQL', () => {
  it('SQL-2 what was compiled for one request is never wrong for another', () => {
    const compiler = fresh();
    fc.assert(
      fc.property(fc.constantFrom(...RULES), request, auth, (rule, asked, record) => {
        const query = { ...scope, caller: db.caller(record, asked), rule };
        expect(compiler.condition(query)).toEqual(fresh().condition(query));
        const list = { ...query, filter: 'total > 1', limit: 30 };
        expect(compiler.list(list).page(60)).toEqual(fresh().list(list).page(60));
        expect(compiler.find({ ...query, ids: ['a'] })).toEqual(fresh().find({ ...query, ids: ['a'] }));
      }),
      { numRuns: 400 },
    );
  });

  it('SQL-2 the same text serves all requests that look alike', () => {
    const compiler = fresh();
    const sql = (id: string) => {
      const caller = db.caller(db.record('users', { id }));
      return compiler.condition({ ...scope, caller, rule: 'owner = @request.auth.id' });
    };
    expect(sql('ann')).toEqual({ sql: '("posts"."owner" = ?)', params: ['ann'], tables: [], ip: '' });
    expect(sql('bob').sql).toBe(sql('ann').sql);
    expect(sql('bob').params).toEqual(['bob']);
  });

  it('SQL-2 another schema is compiled anew', () => {
    const before = new TestDatabase({ posts: { fields: { title: 'text' } } });
    const after = new TestDatabase({ posts: { fields: { title: 'number' } } });
    const compiler = fresh();
    const sql = (world: TestDatabase) => {
      const query = {
        catalog: world,
        collection: world.get('posts'),
        now: NOW,
        caller: db.caller(null),
        rule: "title = ''",
      };
      return compiler.condition(query).sql;
    };
    expect(sql(before)).toBe(`("posts"."title" = '')`);
    expect(sql(after)).toBe('("posts"."title" IS NULL)');
    const renamed = {
      find: (name: string) => (name === 'orgs_id' ? before.get('posts') : db.find(name)),
      all: () => db.all(),
    };
    const query = { ...scope, caller: db.caller(null), rule: "org.title = 'x'" };
    expect(() => compiler.condition(query)).toThrow();
    expect(compiler.condition({ ...query, catalog: renamed }).tables).toEqual(['posts']);
  });
});

describe('limits of SQLite', () => {
  it('FLT-6 two hundred conditions in a row and inside each other', () => {
    const row = Array.from({ length: 200 }, (_, i) => `owner.name != 'n${i}'`).join(' && ');
    expect(db.list('posts', row)).toEqual([]);
    const nested = Array.from({ length: 199 }).reduce<string>(
      (inner, _, i) => `(title = ${i} ${i % 2 ? '&&' : '||'} ${inner})`,
      'total = 1',
    );
    expect(db.list('posts', nested)).toEqual([]);
    const all = Array.from({ length: 60 }, (_, i) => `@collection.users:a${i}.orgs.name != 'n${i}'`)
      .slice(0, 30)
      .join(' && ');
    expect(db.list('posts', all)).toEqual([]);
  });
});
