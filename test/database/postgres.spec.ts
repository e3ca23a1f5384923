import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { databaseClosed } from '../../src/database/database.error.js';
import { DataDirectoryError } from '../../src/database/data-directory.error.js';
import { PostgresDialect } from '../../src/database/postgres/postgres-dialect.js';
import { SchemaSync } from '../../src/database/schema-sync.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { transactionContract } from '../contracts/transactions.js';
import { gate } from '../support/gate.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { type Notes, notesIn } from './notes.js';
import { temporaryPostgres, type TemporaryPostgres } from './temporary-postgres.js';

let cluster: PostgresCluster;

beforeAll(async () => {
  cluster = await PostgresCluster.start();
});

afterAll(() => cluster.stop());

describe('PostgreSQL', () => {
  transactionContract(() => temporaryPostgres(cluster));

  let temporary: TemporaryPostgres;
  let database: Database;
  let sql: TemporaryPostgres['sql'];
  let insert: Notes['insert'];
  let ids: Notes['ids'];

  beforeEach(async () => {
    temporary = await temporaryPostgres(cluster);
    ({ database, sql } = temporary);
    ({ insert, ids } = notesIn(temporary));
  });

  afterEach(() => temporary.remove());

  describe('writers', () => {
    it('SCALE-16 wait for nobody who writes something else', async () => {
      const inserted = gate();
      const go = gate();
      const first = database.transaction(async () => {
        await insert('first');
        inserted.open();
        await go.opened;
      });
      await inserted.opened;
      await insert('second');
      expect(await ids()).toEqual(['second']);
      go.open();
      await first;
      expect(await ids()).toEqual(['first', 'second']);
    });

    it('SCALE-17 go on after a statement that failed in a transaction inside', async () => {
      await database.transaction(async () => {
        await insert('a');
        const again = database.transaction(() => insert('a'));
        await expect(again).rejects.toMatchObject({ kind: 'unique' });
        await insert('b');
      });
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('SCALE-17 go on after a statement that failed', async () => {
      await database.transaction(async () => {
        await insert('a');
        await expect(insert('a')).rejects.toMatchObject({ kind: 'unique' });
        await expect(database.all(sql('SELECT nothing FROM notes'))).rejects.toMatchObject({ kind: 'syntax' });
        await insert('b');
      });
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('SCALE-17 are told when the server commits nothing because a statement had failed', async () => {
      const work = database.transaction(async () => {
        await insert('a');
        const again = { sql: "INSERT INTO notes (id) VALUES ('a')", params: [], writes: ['notes'] };
        await Promise.resolve(database.writes.run(again)).catch(() => undefined);
      });
      await expect(work).rejects.toMatchObject({ kind: 'transactionOver' });
      expect(await ids()).toEqual([]);
    });

    it('SCALE-17 are told of a failure that came with what followed, and nobody of a savepoint', async () => {
      await insert('a');
      const again = { sql: "INSERT INTO notes (id) VALUES ('a')", params: [], writes: ['notes'] };
      const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      const work = database.transaction(async () => {
        await database.writes.runLast(again);
        // What was put off is sent together with the savepoint of this one.
        await database.transaction(() => insert('b'));
      });
      await expect(work).rejects.toMatchObject({ kind: 'unique' });
      expect(errors).not.toHaveBeenCalled();
      errors.mockRestore();
      expect(await ids()).toEqual(['a']);
    });

    it('BAT-12 a deadline stops the statement that runs at that moment', async () => {
      const controller = new AbortController();
      const work = database.transaction(
        async () => {
          await insert('a');
          const sleeping = database.all(sql('SELECT pg_sleep(600)'));
          controller.abort(new Error('too late'));
          await sleeping;
        },
        { deadline: controller.signal },
      );
      await expect(work).rejects.toThrow('too late');
      const asleep = sql(
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()",
      );
      await expect.poll(() => database.all(asleep)).toEqual([]);
      expect(await ids()).toEqual([]);
    });
  });

  describe('values', () => {
    it('are those that rows of every database have', async () => {
      const row = await database.get(
        sql(
          `SELECT 1.5::float8 AS float, 3::bigint AS big, count(*) AS count, 2.5::numeric AS "numeric", true AS yes,
            false AS no, 'x'::text AS "text", '{"a": [1]}'::jsonb ->> 'a' AS json, NULL AS nothing`,
        ),
      );
      expect(row).toEqual({
        float: 1.5,
        big: 3,
        count: 1,
        numeric: 2.5,
        yes: 1,
        no: 0,
        text: 'x',
        json: '[1]',
        nothing: null,
      });
    });

    it('come back as they were bound', async () => {
      await database.run(sql('INSERT INTO notes (id, text, number) VALUES (?, ?, ?)', 'a', 'ä"\\\n', -0.1));
      expect(await database.all(sql('SELECT id, text, number FROM notes'))).toEqual([
        { id: 'a', text: 'ä"\\\n', number: -0.1 },
      ]);
    });
  });

  describe('errors', () => {
    const refusal = async (statement: string): Promise<unknown> =>
      database.run(sql(statement)).catch((reason: unknown) => reason);

    it('ERR-2 a unique violation names the columns of the index, or the index where it has an expression', async () => {
      await database.run(sql('CREATE TABLE posts (id TEXT PRIMARY KEY, "the title" TEXT, slug TEXT)'));
      await database.run(sql('CREATE UNIQUE INDEX pair ON posts ("the title", slug)'));
      await database.run(sql("INSERT INTO posts VALUES ('1', 't', 's')"));
      expect(await refusal("INSERT INTO posts VALUES ('1', '', '')")).toMatchObject({
        kind: 'unique',
        table: 'posts',
        columns: ['id'],
      });
      expect(await refusal("INSERT INTO posts VALUES ('2', 't', 's')")).toMatchObject({
        kind: 'unique',
        table: 'posts',
        columns: ['the title', 'slug'],
      });
      await database.run(sql('CREATE UNIQUE INDEX expression ON posts (lower(slug))'));
      expect(await refusal("INSERT INTO posts VALUES ('2', '', 'S')")).toMatchObject({
        kind: 'unique',
        index: 'expression',
      });
    });

    it('say what kind they are', async () => {
      await database.run(
        sql('CREATE TABLE child (id TEXT NOT NULL, parent TEXT REFERENCES notes (id), size INT CHECK (size > 0))'),
      );
      expect(await refusal("INSERT INTO child VALUES ('1', 'none', 1)")).toMatchObject({ kind: 'foreignKey' });
      expect(await refusal('INSERT INTO child (size) VALUES (1)')).toMatchObject({ kind: 'notNull', columns: ['id'] });
      expect(await refusal("INSERT INTO child VALUES ('1', NULL, 0)")).toMatchObject({ kind: 'check' });
      expect(await refusal('INSERT INTO nowhere VALUES (1)')).toMatchObject({ kind: 'syntax' });
      expect(await refusal('SELECT nothing FROM notes')).toMatchObject({ kind: 'syntax', missingColumn: 'nothing' });
    });

    it('OPS-195 whoever goes on to read when the connections were closed is answered 503', async () => {
      const dialect = new PostgresDialect({ url: temporary.url, pool: 1, queryTimeout: 30 });
      const connections = await dialect.connect();
      await connections.close();
      await expect(connections.read(sql('SELECT 1 AS one'))).rejects.toEqual(databaseClosed());
    });

    it('OPS-148 a statement is cut off at the limit with a 400 that says nothing', async () => {
      const limited = await temporaryPostgres(cluster, { queryTimeout: 0.2 });
      const error: unknown = await limited.database.all(sql('SELECT pg_sleep(600)')).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BadRequestError);
      expect((error as BadRequestError).toBody()).toMatchObject({ code: 400, data: {} });
      expect(await limited.database.all(sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
      await limited.remove();
    });

    it.each([
      ['nobody is there', (url: string) => url.replace(/:\d+\//, ':1/'), /ECONNREFUSED/],
      ['the database is missing', (url: string) => url.replace(/[^/]+$/, 'nowhere'), /"nowhere" does not exist/],
      ['the name is unknown', (url: string) => url.replace('roost@', 'stranger:secret@'), /"stranger" does not exist/],
    ])('SCALE-18 the start says in one line that %s, without the password', async (_name, change, reason) => {
      const url = change(temporary.url);
      const other = new Database(new PostgresDialect({ url, pool: 1, queryTimeout: 30 }));
      const error: unknown = await other.lifecycle.open().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DataDirectoryError);
      expect((error as Error).message).toMatch(reason);
      expect((error as Error).message).not.toMatch(/\n|secret/);
    });
  });

  it('SCALE-18 a server that was away is used again when it is back', async () => {
    await insert('before');
    const begun = gate();
    const go = gate();
    const broken = database.transaction(async () => {
      await insert('lost');
      begun.open();
      await go.opened;
      await insert('more');
    });
    await begun.opened;
    await cluster.restart();
    go.open();
    await expect(broken).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => ids().catch(() => undefined)).toEqual(['before']);
    await insert('after');
    expect(await ids()).toEqual(['before', 'after']);
  });

  describe('changes of the schema', () => {
    const TEXTS = { name: 'tags', kind: 'text' } as const;
    const LISTS = { name: 'tags', kind: 'jsonArray' } as const;
    let schema: SchemaSync;

    beforeEach(async () => {
      schema = new SchemaSync(database);
      const columns = [{ name: 'id', kind: 'primaryKey' } as const, TEXTS];
      await schema.apply([{ kind: 'createTable', table: 'posts', columns }]);
    });

    const post = (id: string, tags: string): Promise<unknown> =>
      database.run(sql('INSERT INTO posts (id, tags) VALUES (?, ?)', id, tags));
    const tags = async (): Promise<unknown[]> =>
      (await database.all<{ tags: unknown }>(sql('SELECT tags FROM posts ORDER BY "_rowid_"'))).map((row) => row.tags);

    it('SCALE-12 rows have the order in which they came, and texts that of their bytes', async () => {
      for (const id of ['b', 'a', 'B', 'ä']) await post(id, '');
      const inOrder = async (by: string): Promise<unknown[]> =>
        (await database.all<{ id: string }>(sql(`SELECT id FROM posts ORDER BY ${by}`))).map(({ id }) => id);
      expect(await inOrder('"_rowid_"')).toEqual(['b', 'a', 'B', 'ä']);
      expect(await inOrder('id')).toEqual(['B', 'a', 'b', 'ä']);
    });

    it('COL-113 SCALE-13 a text becomes a list of it and a list its last item', async () => {
      await post('1', 'x"y');
      await post('2', '');
      await schema.apply([{ kind: 'convertColumn', table: 'posts', column: LISTS, from: 'text' }]);
      expect(await tags()).toEqual(['["x\\"y"]', '[]']);
      await database.run(sql(`INSERT INTO posts (id, tags) VALUES ('3', '["a","b"]'), ('4', DEFAULT)`));
      await schema.apply([{ kind: 'convertColumn', table: 'posts', column: TEXTS, from: 'jsonArray' }]);
      expect(await tags()).toEqual(['x"y', '', 'b', '']);
      await database.run(sql("INSERT INTO posts (id) VALUES ('5')"));
      expect((await tags()).at(-1)).toBe('');
    });

    it('SCALE-13 are undone with their transaction, renamed and removed columns too', async () => {
      const work = database.transaction(async () => {
        await schema.apply([
          { kind: 'renameColumn', table: 'posts', column: 'tags', to: 'words' },
          { kind: 'addColumn', table: 'posts', column: { name: 'number', kind: 'number' } },
          { kind: 'renameTable', table: 'posts', to: 'articles' },
          { kind: 'dropColumn', table: 'articles', column: 'words' },
        ]);
        expect(await schema.takenNames()).toContain('articles');
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect([...(await schema.takenNames())].filter((name) => /^(posts|articles)$/.test(name))).toEqual(['posts']);
      await post('1', 'kept');
      expect(await tags()).toEqual(['kept']);
    });

    it('COL-130 a view has the columns of its query, whose comments hide nothing', async () => {
      await post('1', 'x');
      expect(await schema.columnNames('SELECT id, tags AS words FROM posts -- all of them')).toEqual(['id', 'words']);
      await schema.createView({
        name: 'some posts',
        select: 'SELECT 7 AS id, tags FROM posts',
        columns: ['id'],
        castsId: true,
      });
      expect(await database.all(sql('SELECT * FROM "some posts"'))).toEqual([{ id: '7' }]);
      await schema.dropView('some posts');
      expect(await schema.takenNames()).not.toContain('some posts');
    });
  });
});
