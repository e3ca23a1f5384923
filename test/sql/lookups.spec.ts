import { describe, expect, it } from 'vitest';
import { GUEST } from '../../src/kernel/records/caller.js';
import { NOW, relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  users: { type: 'auth', fields: { name: 'text' } },
  posts: { fields: { title: 'text', author: relation('users'), open: 'bool' } },
  comments: { fields: { post: relation('posts'), posts: relation('posts', 9), by: relation('users'), text: 'text' } },
});
db.insert('users', { ann: { name: 'Ann' }, bob: { name: 'Bob' } });
db.insert('posts', { p1: { author: 'ann' }, p2: { author: 'bob', open: true }, p3: { author: 'ann', open: true } });
db.insert('comments', {
  c3: { post: 'p1', posts: ['p2', 'p1'], by: 'ann' },
  c1: { post: 'p1', posts: ['p1'], by: 'bob' },
  c2: { post: 'p2', posts: [], by: 'bob' },
});
const ann = db.caller(db.record('users', { id: 'ann' }));
const scope = { catalog: db, caller: ann, now: NOW };
const find = (ids: string[], rule?: string, caller = ann) =>
  db.run(db.compiler.find({ ...scope, caller, collection: db.get('posts'), ids, rule })).map((row) => row['id']);
const children = (name: string, parents: string[], rule?: string) => {
  const collection = db.get('comments');
  const statement = db.compiler.children({ ...scope, collection, field: collection.field(name)!, parents, rule });
  return db.run(statement).map((row) => `${row['the parent']} ${row['id']}`);
};

describe('statements of the expander', () => {
  it('EXP-5 finds records by id under a rule', () => {
    expect(find(['p1'])).toEqual(['p1']);
    expect(find(['p3', 'p1', 'gone'])).toEqual(['p1', 'p3']);
    expect(find([])).toEqual([]);
    expect(find(['p1', 'p2', 'p3'], 'author = @request.auth.id || open = true')).toEqual(['p1', 'p2', 'p3']);
    expect(find(['p1', 'p2', 'p3'], 'author.name = "Ann" && @request.auth.id != ""')).toEqual(['p1', 'p3']);
    expect(find(['p1'], 'author = @request.auth.id', GUEST)).toEqual([]);
  });

  it('EXP-4 finds those who point to records in order of insertion', () => {
    expect(children('post', ['p2', 'p1'])).toEqual(['p1 c3', 'p1 c1', 'p2 c2']);
    expect(children('posts', ['p1', 'p2']).sort()).toEqual(['p1 c1', 'p1 c3', 'p2 c3']);
    expect(children('post', ['p1', 'p2'], 'by = @request.auth.id')).toEqual(['p1 c3']);
    expect(children('posts', ['p1'], 'by.name = "Bob"')).toEqual(['p1 c1']);
    expect(children('post', [])).toEqual([]);
  });

  it('EXP-8 takes at most 1000 records per record', () => {
    db.insert(
      'comments',
      Object.fromEntries(Array.from({ length: 1005 }, (_, i) => [`x${i}`, { post: 'p3', by: i < 3 ? 'bob' : 'ann' }])),
    );
    expect(children('post', ['p3', 'p1'])).toHaveLength(1002);
    expect(children('post', ['p3', 'p1'])).not.toContain('p3 x1000');
    expect(children('post', ['p3'], 'by = @request.auth.id').at(-1)).toBe('p3 x1002');
  });

  it('EXP-11 SQL-6 the statement is the same for any number of ids', () => {
    const sql = (ids: string[]) => db.compiler.find({ ...scope, collection: db.get('posts'), ids }).sql;
    expect(sql(['a', 'b'])).toBe(sql(Array.from({ length: 50_000 }, (_, i) => `id${i}`)));
    expect(find(Array.from({ length: 50_000 }, (_, i) => `p${i}`))).toEqual(['p1', 'p2', 'p3']);
  });
});
