import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  tags: { fields: { name: 'text', rank: 'number' } },
  users: { type: 'auth', fields: { name: 'text', team: relation('tags') } },
  notes: { fields: { post: relation('posts'), stars: 'number' } },
  posts: {
    fields: {
      title: 'text',
      total: 'number',
      done: 'bool',
      data: 'json',
      tag: relation('tags'),
      tags: relation('tags', 9),
    },
  },
  odd: { fields: { rowid: 'number', oid: 'number' } },
  titles: { type: 'view', viewQuery: 'SELECT id, title FROM posts', fields: { title: 'text' } },
});
db.insert('tags', { x: { name: 'x', rank: 3 }, y: { name: 'Y', rank: 1 }, z: { name: 'z', rank: 2 } });
db.insert('posts', {
  q: { title: 'b', total: 2, done: true, data: { k: 'text' }, tag: 'y', tags: ['x', 'z'] },
  p: { title: 'B', total: 10, done: false, data: { k: 5 }, tag: 'x', tags: ['y'] },
  r: { title: 'a', total: 2, done: true, data: { list: [1, 2] }, tags: ['x', 'y', 'z'] },
  s: { title: 'é', total: -1, done: false, data: { k: '' }, tag: 'z' },
});
db.insert('odd', { b: { rowid: 9, oid: 8 }, a: { rowid: 1, oid: 9 }, c: { rowid: 5, oid: 1 } });
db.insert('notes', { n1: { post: 'p', stars: 5 }, n2: { post: 'q', stars: 1 }, n3: { post: 'q', stars: 9 } });
const sorted = (sort: string) => db.list('posts', '', { sort }).join('');

describe('sort', () => {
  it('SORT-1 own fields, directions, several keys and blanks', () => {
    expect(sorted('title')).toBe('prqs');
    expect(sorted('-title')).toBe('sqrp');
    expect(sorted(' +total , -title ')).toBe('sqrp');
    expect(sorted('id')).toBe('pqrs');
    expect(sorted('-id')).toBe('srqp');
  });

  it('SORT-1 paths and modifiers', () => {
    expect(sorted('tag.name')).toBe('rqps');
    expect(sorted('title:lower,-total')).toBe('rpqs');
    expect(sorted('-tags:length')).toBe('rqps');
    expect(sorted('-data.list:length')[0]).toBe('r');
    expect(sorted('-tag.id')).toBe('sqpr');
  });

  it('SORT-3 nothing before numbers before text by bytes, false before true', () => {
    expect(sorted('data.k')).toBe('rpsq');
    expect(sorted('-data.k')).toBe('qspr');
    expect(sorted('done,title')).toBe('psrq');
    expect(sorted('total')).toBe('sqrp');
  });

  it('SORT-4 several related records place a record once, by the smallest or the largest', () => {
    expect(sorted('notes_via_post.stars')).toBe('rsqp');
    expect(sorted('-notes_via_post.stars')).toBe('qprs');
    expect(sorted('tags.rank')).toBe('sprq');
    expect(sorted('-tags.rank')).toBe('qrps');
  });

  it('SORT-4 independent of the filter', () => {
    expect(db.list('posts', "tags.name ?= 'z'", { sort: 'tags.rank' })).toEqual(['r', 'q']);
  });

  it('SORT-5 the same order where an index begins with the first key, which is then read in it', () => {
    const posts = { title: 'text', total: 'number' };
    const indexes = ['CREATE INDEX i_total ON indexed (total)', 'CREATE INDEX i_title ON indexed (title DESC)'];
    const both = new TestDatabase({ indexed: { fields: posts, indexes }, plain: { fields: posts } });
    expect(both.list('indexed', '', { sort: '-total,title' })).toEqual([]);
    const rows = Array.from({ length: 200 }, (_, at) => [
      `r${(at * 7) % 200}`,
      { title: `t${at % 13}`, total: at % 5 },
    ]);
    for (const name of ['indexed', 'plain']) both.insert(name, Object.fromEntries(rows));
    for (const sort of [
      '-total,title',
      'total,-title',
      '-title,total',
      'title,-total,id',
      'total',
      '-total',
      '-title',
    ]) {
      for (const filter of ['', "title != 't3' && total > 1", "title = 't1'"]) {
        expect(both.list('indexed', filter, { sort }), sort).toEqual(both.list('plain', filter, { sort }));
        const page = (name: string) =>
          both.run<{ id: string }>(both.statements(name, filter, { sort, limit: 7 }).page(9));
        expect(page('indexed'), sort).toEqual(page('plain'));
      }
    }
    const plan = (name: string, sort: string) => {
      const { sql, ...page } = both.statements(name, '', { sort }).page(0);
      const steps = both.run<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, ...page });
      return steps.map(({ detail }) => detail).join('; ');
    };
    expect(plan('plain', '-total,title')).toBe('SCAN plain; USE TEMP B-TREE FOR ORDER BY');
    expect(plan('indexed', '-total,title')).toContain('SEARCH indexed USING INDEX i_total (total>?)');
    expect(plan('indexed', 'title,total')).toContain('SEARCH indexed USING INDEX i_title (title<?)');
    // Row numbers are sorted there, not rows.
    expect(plan('indexed', '-total,title')).toMatch(/SEARCH indexed USING INTEGER PRIMARY KEY \(rowid=\?\)/);
    expect(plan('indexed', 'total')).toBe('SCAN indexed USING INDEX i_total');
  });

  it('SORT-2 SORT-5 insertion order, at the end of every sort', () => {
    expect(sorted('')).toBe('qprs');
    expect(sorted('@rowid')).toBe('qprs');
    expect(sorted('-@rowid')).toBe('srpq');
    expect(sorted('done')).toBe('psqr');
    expect(sorted('-done')).toBe('qrps');
    expect(sorted('@random').split('').sort().join('')).toBe('pqrs');
    const orders = new Set(Array.from({ length: 40 }, () => sorted('-@random')));
    expect(orders.size).toBeGreaterThan(1);
  });

  it('SORT-2 SORT-5 insertion order, whatever fields are called', () => {
    expect(db.list('odd', '')).toEqual(['b', 'a', 'c']);
    expect(db.list('odd', '', { sort: '-@rowid' })).toEqual(['c', 'a', 'b']);
  });

  it('SORT-2 SORT-5 views have no insertion order', () => {
    expect(db.list('titles', '')).toEqual(['p', 'q', 'r', 's']);
    expect(db.list('titles', '', { sort: '-title' })).toEqual(['s', 'q', 'r', 'p']);
    expect(() => db.list('titles', '', { sort: '@rowid' })).toThrow(BadRequestError);
  });

  it.each([
    'nothing',
    'title.x',
    'tag.nothing',
    ',',
    'title,',
    "'title'",
    '1',
    '@now',
    'true',
    'null',
    'title:each',
    'tags:each',
    'title:length',
    'title:isset',
    '@request.method',
    '@request.auth.name',
    '@request.query.x',
    '@collection.tags.name',
    'a,b,c,d,e,f,g,h,i',
    `title${'x'.repeat(251)}`,
    'title desc',
  ])('SORT-1 FLT-5 %s is no sort', (sort) => {
    expect(() => sorted(sort)).toThrow(/^Invalid sort: [^"]*("[^"]*")?[^"]* \(at position \d+\)\.$/);
    expect(() => sorted(sort)).toThrow(BadRequestError);
  });

  it('SORT-1 a superuser sorts by what is joined to them', () => {
    const caller = db.caller(db.record('users', { id: 'u', team: 'x' }));
    expect(db.list('posts', '', { sort: '@request.auth.team.name,title', caller }).join('')).toBe('prqs');
    expect(() => db.list('posts', '', { sort: '@request.auth.team', caller })).toThrow(BadRequestError);
  });

  it('LIST-3 no record is listed or counted twice', () => {
    expect(db.list('posts', "tags.name ?!= 'q' || notes_via_post.stars ?> 0", { sort: 'tags.name' })).toHaveLength(4);
  });
});
