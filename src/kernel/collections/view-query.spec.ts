import { describe, expect, it } from 'vitest';
import { SqlTextError } from './sql-text.error.js';
import { changesByItself, parseViewQuery } from './view-query.js';

describe('view queries', () => {
  it('COL-91 COL-118 finds every table that is read, at any depth', () => {
    const { tables } = parseViewQuery(`WITH recent(id) AS (SELECT id FROM posts WHERE views IN popular)
      SELECT (SELECT count(*) FROM comments) AS n, recent.id, x FROM recent, (likes l JOIN [old likes])
      WHERE EXISTS (WITH recent AS (SELECT 1) SELECT * FROM recent) AND title IN (SELECT t FROM "words") OR a IS DISTINCT FROM b
      UNION ALL SELECT 1, 2, 3 FROM archive ORDER BY x`);
    expect(tables).toEqual(['posts', 'popular', 'comments', 'likes', 'old likes', 'words', 'archive']);
  });

  it('COL-91 tells a name of WITH from a table only where it is in force', () => {
    const { tables } = parseViewQuery(
      'SELECT id FROM (WITH posts AS (SELECT id FROM a) SELECT id FROM posts) JOIN posts',
    );
    expect(tables).toEqual(['a', 'posts']);
  });

  it('COL-131 allows WITH, parentheses, comments and closing semicolons', () => {
    const query = parseViewQuery('-- all; of them\n((SELECT id /* ; */ FROM posts)) ; ; -- end');
    expect(query.select).toBe('((SELECT id /* ; */ FROM posts))');
    expect(query.tables).toEqual(['posts']);
    const cte = parseViewQuery('WITH posts AS (SELECT 1 AS id) SELECT id FROM posts');
    expect(cte.tables).toEqual([]);
  });

  it.each([
    '',
    '-- nothing',
    'SELECT * FROM posts',
    'SELECT id, p.* FROM posts p',
    'SELECT id FROM a UNION SELECT * FROM b',
    'SELECT id FROM posts; SELECT 1',
    'SELECT id FROM posts; DROP TABLE posts',
    'SELECT id FROM posts) UNION SELECT id FROM (posts',
    'SELECT id FROM (posts',
    'SELECT id FROM posts WHERE a = ?1',
    'SELECT id FROM posts WHERE a = :a',
    "SELECT id FROM posts WHERE a = 'open",
    'DELETE FROM posts',
    'INSERT INTO posts (id) SELECT id FROM posts',
    'UPDATE posts SET id = 1 RETURNING id',
    'WITH x AS (SELECT 1) DELETE FROM posts',
    'PRAGMA table_info(posts)',
    'VALUES (1)',
    'SELECT id FROM posts\u0000',
  ])('COL-131 refuses %j', (sql) => {
    expect(() => parseViewQuery(sql)).toThrow(SqlTextError);
  });

  it('COL-131 refuses parentheses nested so deeply that nothing could walk through them', () => {
    const nested = (depth: number) => `SELECT id, ${'('.repeat(depth)}1${')'.repeat(depth)} AS n FROM posts`;
    expect(() => parseViewQuery(nested(500))).not.toThrow();
    expect(() => parseViewQuery(nested(50_000))).toThrow(SqlTextError);
  });

  it('COL-131 takes count(*) and arithmetic for no star column', () => {
    expect(() => parseViewQuery('SELECT id, count(*) AS n, a * b AS c FROM (SELECT * FROM posts)')).not.toThrow();
  });

  it('COL-118 never lets a name in double quotes turn into a text', () => {
    const query = parseViewQuery('SELECT id, "ti""t`le" AS "t", \'"kept"\' AS k FROM "posts" -- "x"');
    expect(query.select).toBe('SELECT id, `ti"t``le` AS `t`, \'"kept"\' AS k FROM `posts`');
  });

  it.each([
    "SELECT id FROM posts WHERE due > datetime('now', '-1 day')",
    "SELECT id FROM posts WHERE due > strftime('%Y')",
    "SELECT id FROM posts WHERE due > STRFTIME( '%s', 'NOW' )",
    'SELECT id FROM posts WHERE due > date()',
    "SELECT id, unixepoch('subsec') AS t FROM posts",
    'SELECT id FROM posts WHERE due > CURRENT_TIMESTAMP',
    'SELECT id FROM posts ORDER BY random() LIMIT 3',
  ])('LIST-3 tells that rows change by themselves: %s', (sql) => {
    expect(changesByItself(sql)).toBe(true);
  });

  it.each([
    "SELECT id, date(created) AS day, strftime('%Y', created) AS year FROM posts",
    "SELECT id, date, random_seed, now FROM posts WHERE text != 'now or never'",
  ])('LIST-3 tells that rows change with writes only: %s', (sql) => {
    expect(changesByItself(sql)).toBe(false);
  });
});
