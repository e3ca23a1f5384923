import { describe, expect, it } from 'vitest';
import {
  indexFields,
  indexForTable,
  leavesOutEmpty,
  parseIndex,
  parseIndexes,
  printIndex,
  uniqueColumn,
} from './index-definition.js';

describe('index definitions', () => {
  it('COL-120 takes every accepted form apart', () => {
    expect(
      parseIndex(
        "create unique index if not exists main.[my idx] on 'posts' (\"a\" collate NOCASE desc, `b`) where a != '';",
      ),
    ).toEqual({
      unique: true,
      name: 'my idx',
      table: 'posts',
      columns: [
        { name: 'a', expression: false, collate: 'NOCASE', sort: 'DESC' },
        { name: 'b', expression: false, collate: '', sort: '' },
      ],
      where: "a != ''",
    });
  });

  it('COL-120 keeps expressions as they are written', () => {
    const index = parseIndex('CREATE INDEX i ON t (lower(a, "x,y") DESC, json_extract(b, \'$.c\'))');
    expect(index?.columns).toEqual([
      { name: 'lower(a, "x,y")', expression: true, collate: '', sort: 'DESC' },
      { name: "json_extract(b, '$.c')", expression: true, collate: '', sort: '' },
    ]);
  });

  it.each([
    '',
    'CREATE TABLE x (a)',
    'CREATE INDEX ON posts (a)',
    'CREATE INDEX x ON posts ()',
    'CREATE INDEX x ON posts (a,)',
    'CREATE INDEX x ON posts',
    'CREATE INDEX x ON posts (a',
    'CREATE INDEX x ON posts (a) WHERE',
    'CREATE INDEX x ON posts (a) extra',
    'CREATE INDEX x ON posts (a); DROP TABLE posts',
    'CREATE INDEX x ON posts (a) WHERE a = ?',
    "CREATE INDEX x ON posts (a) WHERE a = 'open",
  ])('COL-122 COL-163 refuses %j', (sql) => {
    expect(parseIndex(sql)).toBeUndefined();
  });

  it('COL-121 prints the canonical form', () => {
    const one = parseIndex('create unique index "i" on t (a)')!;
    expect(printIndex({ ...one, table: 'posts' })).toBe('CREATE UNIQUE INDEX `i` ON `posts` (`a`)');
    const two = parseIndex('create index i on t (a, b desc) where b > 1')!;
    expect(printIndex(two)).toBe('CREATE INDEX `i` ON `t` (\n  `a`,\n  `b` DESC\n) WHERE b > 1');
  });

  it('COL-121 replaces another or a missing table name and leaves the right one alone', () => {
    expect(indexForTable('create  index i on posts (a)', 'posts')).toBe('create  index i on posts (a)');
    expect(indexForTable('create index i on other (a)', 'posts')).toBe('CREATE INDEX `i` ON `posts` (`a`)');
    expect(indexForTable('CREATE INDEX `i` ON `` (`a`)', 'posts')).toBe('CREATE INDEX `i` ON `posts` (`a`)');
  });

  it('COL-126 names the fields of an index, those of its expressions too', () => {
    const index = parseIndex('CREATE UNIQUE INDEX i ON t (a, lower("B") || c)')!;
    expect(indexFields(index, ['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
  });

  it('SQL-3 knows an index that leaves out empty values of a column', () => {
    const leavesOut = (where: string) => leavesOutEmpty(parseIndex(`CREATE INDEX i ON t (a) WHERE ${where}`)!, 'a');
    for (const where of ["a != ''", "A <> ''", "`a`!=''", '"a" != ""']) expect(leavesOut(where)).toBe(true);
    for (const where of ["b != ''", "a = ''", "a != 'x'", "a != '' AND b != ''", 'a != 1', "'a' != ''"]) {
      expect(leavesOut(where)).toBe(false);
    }
    expect(leavesOutEmpty(parseIndex('CREATE INDEX i ON t (a)')!, 'a')).toBe(false);
  });

  it('OPS-39 takes the indexes of a collection apart once, and leaves out what is none', () => {
    const texts = ['CREATE INDEX i ON t (a)', 'nonsense', 'CREATE UNIQUE INDEX j ON t (b)'];
    expect(parseIndexes(texts).map(({ name }) => name)).toEqual(['i', 'j']);
    expect(parseIndexes(texts)).toBe(parseIndexes(texts));
  });

  it('COL-4 finds the column of a single-column unique index only', () => {
    expect(uniqueColumn(parseIndex('CREATE UNIQUE INDEX i ON t (a COLLATE NOCASE)')!)?.name).toBe('a');
    expect(uniqueColumn(parseIndex('CREATE UNIQUE INDEX i ON t (a, b)')!)).toBeUndefined();
    expect(uniqueColumn(parseIndex('CREATE INDEX i ON t (a)')!)).toBeUndefined();
    expect(uniqueColumn(parseIndex('CREATE UNIQUE INDEX i ON t (lower(a))')!)).toBeUndefined();
  });
});
