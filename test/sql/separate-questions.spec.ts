import { describe, expect, it } from 'vitest';
import type { Instruction } from '../../src/database/sqlite/instructions.js';
import { estimateCost } from '../../src/database/sqlite/query-cost.js';
import { relation, TestDatabase } from './test-database.js';

const NOTES = {
  fields: { post: relation('posts'), title: 'text', kind: 'text' },
  listRule: "kind != 'secret'",
} as const;

const db = new TestDatabase({
  posts: { fields: { title: 'text', tags: { type: 'select', values: ['a', 'b'], maxSelect: 9 } } },
  a: NOTES,
  b: NOTES,
  c: NOTES,
  d: NOTES,
});

const ROWS = 1000;

/** Rows a search may visit for one post, if each table has a thousand: of every post all rows are looked through. */
function visits(filter: string, options: Parameters<TestDatabase['list']>[2] = {}): number {
  const { sql, params } = db.statements('posts', filter, options).page(0);
  const program = db.run<Instruction>({ sql: `EXPLAIN ${sql}`, params, tables: [] });
  return estimateCost(program, () => ROWS).visits / ROWS;
}

const back = (name: string) => `${name}_via_post.title`;

describe('MM-2 conditions that share no row are asked apart', () => {
  it.each([
    ['an or', `${back('a')} ?~ 'x' || ${back('b')} ?~ 'x' || ${back('c')} ?~ 'x' || ${back('d')} ?~ 'x'`],
    ['an and', `${back('a')} ?~ 'x' && ${back('b')} ?~ 'x' && ${back('c')} ?~ 'x' && ${back('d')} ?~ 'x'`],
    ['all of several', `${back('a')} ~ 'x' || ${back('b')} ~ 'x'`],
    ['an or inside an and', `(${back('a')} ?~ 'x' || ${back('b')} ?~ 'x') && ${back('c')} ?~ 'x'`],
    [
      'any rows of collections',
      "@collection.a.title ?~ 'x' || @collection.b.title ?~ 'x' || @collection.c.title ?~ 'x'",
    ],
    ['the items of a list', "tags:each ?= 'a' || @collection.a.title ?~ 'x'"],
  ])('%s', (_title, filter) => {
    expect(visits(filter)).toBeLessThan(10 * ROWS);
  });

  it('also where only rows count that the caller may list', () => {
    const filter = `${back('a')} ?~ 'x' || ${back('b')} ?~ 'x' || ${back('c')} ?~ 'x'`;
    expect(visits(filter, { guarded: true })).toBeLessThan(10 * ROWS);
  });

  it('also what hangs on a row that is chosen for all of it', () => {
    const either = `a_via_post.kind ?= 'k' && ${back('b')} ?~ 'x' || ${back('c')} ?~ 'x'`;
    expect(visits(`${back('a')} ?~ 'x' && (${either})`)).toBeLessThan(5 * ROWS * ROWS);
  });

  it('and those that share one are not', () => {
    expect(visits('@collection.a.title ?~ @collection.b.title')).toBeGreaterThan(ROWS);
  });

  it('GRD-4 a record without a row that counts is found by no alternative', () => {
    db.insert('posts', { p: { title: 'p' }, q: { title: 'q' } });
    db.insert('a', { a1: { post: 'p', title: 'x', kind: 'secret' } });
    expect(db.list('posts', `title = 'p' || title = 'q' || ${back('a')} ?= 'y'`, { guarded: true })).toEqual(['q']);
  });
});
