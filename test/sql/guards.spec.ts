import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { BrokenRuleError } from '../../src/kernel/resolve/broken-rule.error.js';
import type { ListQuery } from '../../src/kernel/resolve/list-compiler.js';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  users: {
    type: 'auth',
    fields: {
      name: 'text',
      email: 'email',
      emailVisibility: 'bool',
      secret: { type: 'text', hidden: true },
      boss: { ...(relation('users') as object), hidden: true },
    },
  },
  closed: { fields: { name: 'text', post: relation('posts') }, listRule: null },
  owned: { fields: { name: 'text', owner: relation('users') }, listRule: 'owner = @request.auth.id' },
  nested: {
    fields: { name: 'text', owned: relation('owned') },
    listRule: "@collection.closed.name ?= 'c' && owned.owner = @request.auth.id",
  },
  broken: { fields: { name: 'text' }, listRule: 'gone = 1' },
  contacts: { fields: { email: 'email', emailVisibility: 'bool' } },
  posts: {
    fields: {
      title: 'text',
      broken: relation('broken'),
      author: relation('users'),
      authors: relation('users', 9),
      closed: relation('closed'),
      closeds: relation('closed', 9),
      owned: relation('owned'),
      owneds: relation('owned', 9),
      nested: relation('nested'),
    },
  },
});
db.insert('users', {
  ann: { name: 'Ann', email: 'ann@x.io', emailVisibility: true, secret: 's' },
  bob: { name: 'Bob', email: 'bob@x.io' },
});
db.insert('closed', { c: { name: 'c' } });
db.insert('owned', { oa: { name: 'A', owner: 'ann' }, ob: { name: 'B', owner: 'bob' } });
db.insert('contacts', { cid: { email: 'cid@x.io', emailVisibility: false } });
db.insert('nested', { na: { name: 'NA', owned: 'oa' }, nb: { name: 'NB', owned: 'ob' } });
db.insert('posts', {
  none: { title: 'none' },
  a: {
    title: 'a',
    author: 'ann',
    authors: ['ann'],
    closed: 'c',
    closeds: ['c'],
    owned: 'oa',
    owneds: ['oa'],
    nested: 'na',
  },
  b: { title: 'b', author: 'bob', authors: ['ann', 'bob'], owned: 'ob', owneds: ['oa', 'ob'], nested: 'nb' },
  bb: { title: 'bb', author: 'bob', authors: ['bob'], owned: 'ob', owneds: ['ob'] },
});
const ann = db.caller(db.record('users', { id: 'ann', name: 'Ann' }));
const list = (filter: string, options: Partial<ListQuery> = {}) =>
  db.list('posts', filter, { caller: ann, guarded: true, ...options });
const open = (filter: string) => list(filter, { guarded: false });

describe('filters and sorts of clients', () => {
  it.each(["@collection.closed.name = 'c'", "@request.auth.id != ''", "title = 'x' || @request.method = 'GET'"])(
    'GRD-1 %s is for superusers',
    (filter) => {
      expect(() => list(filter)).toThrow(ForbiddenError);
      expect(open(filter).length).toBeGreaterThan(0);
    },
  );

  it('GRD-1 the same characters in a text, and macros, are fine', () => {
    expect(list("title != '@request.auth.id' && @now > '2000'")).toHaveLength(4);
    expect(() => list('', { sort: '@request.auth.boss.name' })).toThrow(ForbiddenError);
    expect(list('', { sort: '@random' })).toHaveLength(4);
  });

  it.each([
    'author.secret',
    'author.boss.name',
    'author.boss',
    'authors.secret',
    'author.posts_via_author.author.secret',
  ])('GRD-2 %s is as unknown as any other name', (path) => {
    expect(() => list(`${path} = ''`)).toThrow(
      new BadRequestError(
        `Invalid filter: Unknown field ${JSON.stringify(path.includes('boss') ? 'boss' : 'secret')} (at position 0).`,
      ),
    );
    expect(() => list('', { sort: path })).toThrow(BadRequestError);
    expect(open(`${path} ?= ''`).length).toBeGreaterThan(0);
  });

  it('GRD-2 a hidden field is no way back', () => {
    const asking = { caller: ann, guarded: true };
    expect(() => db.list('users', "users_via_boss.name = ''", asking)).toThrow(BadRequestError);
    expect(db.list('users', "users_via_boss.name = ''", { ...asking, guarded: false })).toHaveLength(2);
  });

  it.each(['closed.name', 'closeds.id', 'closed_via_post.name', 'owned.owner.posts_via_author.closed.name'])(
    'GRD-3 %s leads through a closed collection',
    (path) => {
      expect(() => list(`${path} = 'c'`)).toThrow(BadRequestError);
      expect(() => list('', { sort: path })).toThrow(BadRequestError);
      expect(() => open(`${path} = 'c'`)).not.toThrow();
    },
  );

  it.each([
    ['closed.name', 'closed'],
    ['closed_via_post.name', 'closed_via_post'],
    ['missing_via_post.name', 'missing_via_post'],
    ['owned.owner.posts_via_author.closed.name', 'closed'],
    ['author.posts_via_author.author.posts_via_author.author.posts_via_author.closed.name', 'closed'],
    ['author.posts_via_author.author.posts_via_author.author.posts_via_author.missing.name', 'missing'],
  ])('GRD-8 %s is an unknown field, whether there is a closed collection or nothing', (path, unknown) => {
    const says = (what: string) => new BadRequestError(`Invalid ${what}: Unknown field "${unknown}" (at position 0).`);
    expect(() => list(`${path} = 'c'`)).toThrow(says('filter'));
    expect(() => list('', { sort: path })).toThrow(says('sort'));
  });

  it('REF-6 GRD-3 ids are no joins', () => {
    expect(list("closed.id = 'c' && closed = 'c' && closeds ?= 'c' && closeds:each ?= 'c'")).toEqual(['a']);
    expect(list('closeds:length = 1')).toEqual(['a']);
  });

  it('GRD-4 only rows count that the caller may list, and the row of nothing', () => {
    expect(open("owned.name != ''")).toEqual(['a', 'b', 'bb']);
    expect(list("owned.name != ''")).toEqual(['a']);
    expect(list("owned.name = '' || owned.name = 'B'")).toEqual(['none']);
    expect(list("owneds.name ?= 'B'")).toEqual([]);
    expect(list("owneds.name ?= 'A'")).toEqual(['a', 'b']);
    expect(open("owneds.name = 'A'")).toEqual(['a']);
    expect(list("owneds.name = 'A'")).toEqual(['a', 'b']);
    expect(list("nested.name != 'x'")).toEqual(['none', 'a', 'bb']);
  });

  it('GRD-4 the rule of the joined collection may use everything, and a broken one denies', () => {
    expect(list("nested.name = 'NA'")).toEqual(['a']);
    expect(list("nested.name = 'NB'")).toEqual([]);
    expect(list("nested.name = 'NA'", { caller: db.caller(null) })).toEqual([]);
    expect(() => list("broken.name = ''")).toThrow(BrokenRuleError);
  });

  it('GRD-4 SORT-4 a sort sees no more than a filter', () => {
    expect(list('', { sort: '-owned.name,-title' })).toEqual(['a', 'none', 'bb', 'b']);
    expect(list('', { sort: '-owned.name', guarded: false })).toEqual(['b', 'bb', 'a', 'none']);
    expect(list('', { sort: '-owneds.name' })).toEqual(['a', 'b', 'none', 'bb']);
  });

  it('GRD-5 emails count only where they may be seen', () => {
    expect(list("author.email ~ 'x.io'")).toEqual(['a']);
    expect(list("author.email != 'ann@x.io'")).toEqual([]);
    expect(list("author.email = ''")).toEqual([]);
    expect(list("author.email:lower ~ 'bob' || title = 'none'")).toEqual(['none']);
    expect(list("authors.email ?~ 'bob'")).toEqual([]);
    expect(list("authors.email = 'ann@x.io'")).toEqual(['a', 'b']);
    expect(open("authors.email = 'ann@x.io'")).toEqual(['a']);
    expect(db.list('users', "email ~ '@'", { guarded: true })).toEqual(['ann']);
    expect(db.list('users', "strftime('%s', email) = ''", { guarded: true })).toEqual(['ann']);
  });

  it('GRD-5 emails of records that are no accounts are fields like any other', () => {
    expect(db.list('contacts', "email = 'cid@x.io'", { guarded: true })).toEqual(['cid']);
  });

  it('SORT-6 hidden emails sort as nothing', () => {
    expect(db.list('users', '', { sort: 'email', guarded: true })).toEqual(['bob', 'ann']);
    expect(db.list('users', '', { sort: 'email' })).toEqual(['ann', 'bob']);
    expect(list('', { sort: '-author.email' })[0]).toBe('a');
  });

  it('GRD-2 the rule itself is not guarded', () => {
    const rule = "author.secret = 's' && @request.auth.id != ''";
    expect(list("title = 'a'", { rule })).toEqual(['a']);
    expect(list("title = 'b'", { rule })).toEqual([]);
  });

  it('MM-8 rule and filter choose their rows apart', () => {
    const rule = "authors.name ?= 'Ann'";
    expect(list("authors.name ?= 'Bob'", { rule })).toEqual(['b']);
    expect(list("authors.name ?= 'Bob' && authors.name ?= 'Ann'")).toEqual([]);
  });
});
