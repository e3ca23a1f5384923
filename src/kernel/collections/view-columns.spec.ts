import { describe, expect, it } from 'vitest';
import type { ViewColumnOrigin } from './view-column.js';
import { traceViewColumns } from './view-columns.js';
import { parseViewQuery } from './view-query.js';

const TABLES: Readonly<Record<string, readonly string[]>> = {
  posts: ['id', 'title', 'body', 'tags', 'author', 'secret'],
  users: ['id', 'name', 'key', 'text'],
};

function trace(sql: string) {
  return traceViewColumns(parseViewQuery(sql).tree, (table) => TABLES[table.toLowerCase()]);
}

/** What each column reads, as `table.column`, and `?` where it is not known. */
function reads(sql: string): string[] {
  return trace(sql).map(({ reads: found, unknown }) => {
    const names = found.map(({ table, column }) => `${table}.${column}`).sort();
    return [...(unknown.length === 0 ? [] : ['?']), ...new Set(names)].join(' ');
  });
}

const of = (table: string, column: string): ViewColumnOrigin => ({ kind: 'column', of: { table, column } });
const call = (name: string): ViewColumnOrigin => ({ kind: 'call', name });
const text = (isEmpty = false): ViewColumnOrigin => ({ kind: 'text', isEmpty });
const oneOf = (...values: ViewColumnOrigin[]): ViewColumnOrigin => ({ kind: 'oneOf', values });
const NULL: ViewColumnOrigin = { kind: 'null' };
const OTHER: ViewColumnOrigin = { kind: 'other' };

describe('columns of views', () => {
  it.each<[string, ViewColumnOrigin]>([
    ['p.id', of('posts', 'id')],
    ['"p"."title" AS t', of('posts', 'title')],
    ["p.'title' 't'", of('posts', 'title')],
    ['body text', of('posts', 'body')],
    ['BODY', of('posts', 'body')],
    ['main.p.title', of('posts', 'title')],
    ['(title) AS t', of('posts', 'title')],
    ['((p.[title])) AS t', of('posts', 'title')],
    ['count(*) AS n', call('count')],
    ['COUNT(DISTINCT title) OVER () m', call('count')],
    ['total(x)', call('total')],
    ["cast(a || 'as' AS Decimal(10, 2)) d", { kind: 'cast', type: 'decimal' }],
    ['cast(body AS double precision) d', OTHER],
    ["'12345' AS c", text()],
    ["'' AS c", text(true)],
    ["x'31' AS c", OTHER],
    ['1 AS one', OTHER],
    ['NULL AS n', NULL],
    ['title || body AS c', text()],
    ["CASE WHEN title = '' THEN 1 ELSE 2 END || body AS c", text()],
    ['max(title) || 7 || (SELECT 1) AS c', text()],
    ['title | body AS c', OTHER],
    ['title || body = id AS c', OTHER],
    ['title || body IS NOT NULL AS c', OTHER],
    ['NOT title || body AS c', OTHER],
    ["title || body -> '$.a' AS c", OTHER],
    ['UPPER(title) AS c', text()],
    ["strftime('%Y', id) AS c", text()],
    ["group_concat(title, ', ') FILTER (WHERE title != '') AS c", text()],
    ['max(title) AS c', oneOf(of('posts', 'title'))],
    ['min(DISTINCT title) OVER (PARTITION BY id) AS c', oneOf(of('posts', 'title'))],
    ['max(title) - 1 AS c', OTHER],
    ["coalesce(title, (body), NULL, '') AS c", oneOf(of('posts', 'title'), of('posts', 'body'), NULL, text(true))],
    ['ifnull(max(title), count(*)) AS c', oneOf(oneOf(of('posts', 'title')), call('count'))],
    ['nullif(title, body) AS c', oneOf(of('posts', 'title'))],
    ["iif(id = 'a', title, body) AS c", oneOf(of('posts', 'title'), of('posts', 'body'))],
    ["iif(id = 'a', title) AS c", oneOf(of('posts', 'title'))],
    ["CASE id WHEN 'a' THEN title WHEN 'b' THEN body END AS c", oneOf(of('posts', 'title'), of('posts', 'body'))],
    [
      'CASE WHEN 1 THEN CASE WHEN 2 THEN title ELSE 3 END ELSE body END AS c',
      oneOf(oneOf(of('posts', 'title'), OTHER), of('posts', 'body')),
    ],
    ['CASE WHEN 1 THEN title END + CASE WHEN 1 THEN title END AS c', OTHER],
    ['(SELECT name FROM users u WHERE u.id = p.author) AS c', of('users', 'name')],
    ['(SELECT count(*) FROM users) AS c', call('count')],
    ['title IS NOT DISTINCT FROM body AS c', OTHER],
    ['title COLLATE NOCASE AS c', OTHER],
    ['sum(title) AS c', call('sum')],
    ['true AS c', OTHER],
  ])('COL-133 sees what a column is: %s', (item, origin) => {
    expect(trace(`SELECT ${item} FROM posts p`).map((column) => column.origin)).toEqual([origin]);
  });

  it('COL-133 understands aliases, several FROM items and all kinds of JOIN', () => {
    const sql = `SELECT a.title, u.name, s.t, x.body, z.name AS n, j.value, title AS first
      FROM posts AS a, users u NATURAL LEFT OUTER JOIN "tags" JOIN (SELECT title AS t FROM posts) s ON s.t = a.title
      CROSS JOIN json_each(a.tags) j INNER JOIN main.posts x USING (id) JOIN (posts y JOIN users z ON z.id = y.id)`;
    expect(trace(sql).map(({ origin }) => origin)).toEqual([
      of('posts', 'title'),
      of('users', 'name'),
      of('posts', 'title'),
      of('posts', 'body'),
      of('users', 'name'),
      OTHER,
      of('posts', 'title'),
    ]);
  });

  it('COL-133 finds an unqualified column in whatever FROM item has it, the first before others', () => {
    const sql = 'SELECT name, id FROM posts JOIN users USING (id)';
    expect(trace(sql).map(({ origin }) => origin)).toEqual([of('users', 'name'), of('posts', 'id')]);
  });

  it('COL-133 looks through WITH and subqueries', () => {
    const sql = `WITH RECURSIVE later AS (SELECT t, n FROM counted), counted(t, n) AS (SELECT title, count(*) FROM posts),
      tree AS (SELECT id, title AS path, 1 AS depth FROM posts UNION ALL SELECT tree.id, tree.path, depth + 1 FROM tree)
      SELECT later.t, later.n, (SELECT s.name FROM (SELECT * FROM users) s) AS name, tree.id FROM later, tree`;
    expect(trace(sql).map(({ origin }) => origin)).toEqual([
      of('posts', 'title'),
      call('count'),
      of('users', 'name'),
      { kind: 'compound', arms: [of('posts', 'id'), of('posts', 'id')] },
    ]);
  });

  it('COL-133 tells what a column is in each SELECT of a compound', () => {
    const [column] = trace('SELECT title FROM posts UNION ALL SELECT count(*) FROM users EXCEPT SELECT 1');
    expect(column!.origin).toEqual({ kind: 'compound', arms: [of('posts', 'title'), call('count'), OTHER] });
  });

  it.each([
    ['upper(key) AS k', 'users.key'],
    ["substr(u.key, 1, 2) || 'x' AS k", 'users.key'],
    ['KEY AS k', 'users.key'],
    ['"Key" AS k', 'users.key'],
    ['`u` . [key] AS k', 'users.key'],
    ["u.'key' AS k", 'users.key'],
    ["'u'.key AS k", 'users.key'],
    ['main.u.key AS k', 'users.key'],
    ["'key' AS k", ''],
    ['CASE WHEN u.key > 1 THEN 1 ELSE 0 END AS k', 'users.key'],
    ['CASE u.key WHEN 1 THEN 1 END AS k', 'users.key'],
    ['cast(u.key AS text) AS k', 'users.key'],
    ['cast(name AS text) AS k', 'users.name'],
    ['((((u.key)))) AS k', 'users.key'],
    ['-u.key AS k', 'users.key'],
    ["json_object('a', u.name, 'b', u.key) AS k", 'users.key users.name'],
    ['max(u.key) AS k', 'users.key'],
    ["group_concat(name, ',' ORDER BY key) AS k", 'users.key users.name'],
    ['count(*) FILTER (WHERE u.key > 1) AS k', 'users.key'],
    ['row_number() OVER (PARTITION BY name ORDER BY u.key) AS k', 'users.key users.name'],
    ['row_number() OVER w AS k', 'users.key'],
    ['u.key COLLATE nocase AS k', 'users.key'],
    ["name LIKE 'a' ESCAPE '!' AND name IS NOT NULL AS k", 'users.name'],
    ['u.key IS DISTINCT FROM 1 AS k', 'users.key'],
    ['u.key IN (1, 2) AS k', 'users.key'],
    ["'a' IN (SELECT key FROM users) AS k", 'users.key'],
    ['name IN posts AS k', 'posts.author posts.body posts.id posts.secret posts.tags posts.title users.name'],
    ['name IN json_each(u.key) AS k', 'json_each.* users.key users.name'],
    ['(SELECT key FROM users LIMIT 1) AS k', 'users.key'],
    ['(SELECT u.key) AS k', 'users.key'],
    ['(SELECT title FROM posts WHERE author = u.id) AS k', 'posts.author posts.title users.id'],
    ['(SELECT count(*) FROM posts WHERE secret = 1) AS k', 'posts.secret'],
    ['(SELECT count(*) FROM posts JOIN users o ON o.key = title) AS k', 'posts.title users.key'],
    ['(SELECT title FROM posts ORDER BY secret LIMIT 1) AS k', 'posts.secret posts.title'],
    ['(SELECT count(*) FROM (SELECT * FROM posts)) AS k', ''],
    ['(SELECT count(*) FROM (SELECT id FROM posts WHERE secret = 1)) AS k', 'posts.secret'],
    ['(SELECT 1 FROM posts GROUP BY secret HAVING max(body) > 1) AS k', 'posts.body posts.secret'],
    ['EXISTS (SELECT * FROM posts WHERE author = u.id) AS k', 'posts.author users.id'],
    ['EXISTS (SELECT 1 FROM posts WHERE secret = name) AS k', 'posts.secret users.name'],
    ['EXISTS (SELECT secret AS s FROM posts WHERE s > 1) AS k', 'posts.secret'],
    ['EXISTS (SELECT DISTINCT secret FROM posts LIMIT 1 OFFSET 1) AS k', 'posts.secret'],
    ['EXISTS (SELECT secret FROM posts INTERSECT SELECT body FROM posts) AS k', 'posts.body posts.secret'],
    ['EXISTS (SELECT 1 FROM json_each(u.key)) AS k', 'json_each.* users.key'],
    ['(WITH c AS (SELECT u.key AS a) SELECT a FROM c) AS k', 'users.key'],
    ['(VALUES (u.key)) AS k', 'users.key'],
    ['(SELECT title FROM posts UNION SELECT key FROM users) AS k', 'posts.title users.key'],
    ['rowid AS k', ''],
    ['1 + random() AS k', ''],
    ['CURRENT_TIMESTAMP AS k', ''],
    ['missing AS k', '?'],
    ['"missing" AS k', '?'],
    ['u.missing AS k', '? users.id users.key users.name users.text'],
    ['to_jsonb(u) AS k', '? users.id users.key users.name users.text'],
    ['u.to_jsonb AS k', '? users.id users.key users.name users.text'],
    ['key(u) AS k', '? users.id users.key users.name users.text'],
    ['(u).key AS k', '? users.id users.key users.name users.text'],
    [
      '(SELECT json_agg(p) FROM posts p) AS k',
      '? posts.author posts.body posts.id posts.secret posts.tags posts.title',
    ],
    ['z.key AS k', '?'],
    ['(1).missing AS k', '?'],
  ])('COL-134 sees what an expression reads: %s', (item, expected) => {
    expect(reads(`SELECT ${item} FROM users u WHERE u.text = 1 WINDOW w AS (ORDER BY key)`)).toEqual([expected]);
  });

  it.each([
    ['a subquery', 'SELECT id, k, n FROM (SELECT id, key AS k, name AS n FROM users)', 'users.id,users.key,users.name'],
    ['a star', 'SELECT id, key AS k FROM (SELECT * FROM users)', 'users.id,users.key'],
    ['a star of one table', 'SELECT id, name FROM (SELECT p.*, u.name FROM posts p, users u)', 'posts.id,users.name'],
    [
      'a column without a name',
      'SELECT id, "upper(key)" FROM (SELECT id, upper(key) FROM users)',
      'users.id,users.key',
    ],
    [
      'columns that are called as what they show',
      'SELECT k.key, l.key, m.key, n.name FROM (SELECT (key), name AS key FROM users) k, ' +
        '(SELECT key COLLATE nocase, name AS key FROM users) l, (SELECT likely((key)) FROM users) m, ' +
        '(SELECT name, upper(key) FROM users) n',
      'users.key users.name,users.key users.name,users.key,users.name',
    ],
    [
      'a name that another column has by chance',
      'SELECT "upper(key)" FROM (SELECT upper(key), name AS "upper(key)" FROM users)',
      'users.key users.name',
    ],
    ['a WITH', 'WITH c AS (SELECT id, upper(key) AS k FROM users) SELECT id, k FROM c', 'users.id,users.key'],
    ['a WITH in any case', 'WITH "C" AS (SELECT key K FROM users) SELECT x.k FROM c X', 'users.key'],
    ['names of a WITH', 'WITH c(a, b) AS (SELECT id, key FROM users) SELECT b, a FROM c', 'users.key,users.id'],
    [
      'names of a WITH for a star, whose order is not known',
      'WITH c(a, b, c, d) AS (SELECT * FROM users) SELECT b FROM c',
      'users.id users.key users.name users.text',
    ],
    [
      'each SELECT of a compound',
      'SELECT id, name FROM users UNION SELECT id, secret FROM posts',
      'posts.id users.id,posts.secret users.name',
    ],
    [
      'a compound in a WITH',
      'WITH c AS (SELECT name AS x, id FROM users EXCEPT SELECT key, id FROM users) SELECT x, id FROM c',
      'users.key users.name,users.id',
    ],
    [
      'a compound with a star',
      'SELECT id, k FROM (SELECT id, name AS k, 1, 2 FROM users UNION ALL SELECT * FROM users)',
      'users.id users.key users.name users.text,users.id users.key users.name users.text',
    ],
    [
      'a recursive WITH, whose columns change places',
      'WITH c(a, b, d) AS (SELECT name, key, id FROM users UNION ALL SELECT b, a, d FROM c) SELECT a, b, d FROM c',
      'users.key users.name,users.key users.name,users.id',
    ],
    ['values', 'SELECT column1, column2 FROM (VALUES (1, 2), (3, (SELECT key FROM users)))', ',users.key'],
    [
      'a table function',
      'SELECT j.value, u.id, value AS v FROM users u, json_each(u.key) j',
      'json_each.* users.key,users.id,json_each.* users.key',
    ],
    [
      'a table function before its table',
      'SELECT j.value FROM json_each(u.key) j JOIN users u',
      'json_each.* users.key',
    ],
    ['joined columns', 'SELECT id, name FROM posts JOIN users USING (id)', 'posts.id users.id,users.name'],
    ['joined tables with an alias', 'SELECT z.name FROM (posts JOIN users u) AS z', 'users.name'],
    ['a table nobody knows', 'SELECT o.a, p.id, b FROM posts p, other o', 'other.a,posts.id,other.b'],
    ['a star of a table nobody knows', 'SELECT a FROM (SELECT * FROM other)', 'other.a'],
    [
      'no condition of the whole',
      'SELECT id FROM users WHERE key = 1 GROUP BY key HAVING key ORDER BY key',
      'users.id',
    ],
    [
      'no condition of a WITH',
      'WITH c AS (SELECT id FROM users WHERE key = 1) SELECT id, count(*) FROM c',
      'users.id,',
    ],
    [
      'a WITH that is named after the table in it',
      'WITH users AS (SELECT key AS id FROM main.users) SELECT id FROM users',
      'users.key',
    ],
    ['a WITH that reads itself from the start', 'WITH c AS (SELECT x FROM c) SELECT x FROM c', '?'],
    ['columns from outside', 'SELECT (SELECT (SELECT u.key FROM posts) FROM posts) FROM users u', 'users.key'],
    ['the nearest column of a name', 'SELECT (SELECT id FROM posts LIMIT 1) FROM users u', 'posts.id'],
  ])('COL-134 follows columns through %s', (_what, sql, expected) => {
    expect(reads(sql).join(',')).toBe(expected);
  });

  it('COL-134 reads nothing twice, however deep queries stand within queries', () => {
    const nested = (depth: number) => `${'(SELECT '.repeat(depth)}key FROM users${')'.repeat(depth)}`;
    expect(reads(`SELECT ${nested(200)} AS k FROM posts`)).toEqual(['users.key']);
    const chain = Array.from(
      { length: 200 },
      (_, at) => `c${at + 1} AS (SELECT x FROM c${at} UNION ALL SELECT coalesce(x, x) FROM c${at})`,
    );
    expect(reads(`WITH c0 AS (SELECT key AS x FROM users), ${chain.join(', ')} SELECT x FROM c200`)).toEqual([
      'users.key',
    ]);
  });
});
