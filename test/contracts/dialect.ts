import { AsyncLocalStorage } from 'node:async_hooks';
import { access, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DatabaseDriver } from '../../src/config/roost-config.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { Database } from '../../src/database/database.js';
import type { SqlScript } from '../../src/database/dialect.js';
import { SqliteWriter } from '../../src/database/sqlite/sqlite-writer.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { type Notes, notesIn } from '../database/notes.js';
import { sql, temporaryDatabase, type TemporaryDatabase } from '../database/temporary-database.js';
import { gate } from '../support/gate.js';
import { transactionContract } from './transactions.js';

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n';

/** What SQLite must keep, whatever its driver. */
export function dialectContract(driver: DatabaseDriver): void {
  let temporary: TemporaryDatabase;
  let database: Database;

  beforeEach(async () => {
    temporary = await temporaryDatabase(driver);
    database = temporary.database;
  });

  afterEach(() => temporary.remove());

  const insert: Notes['insert'] = (id, text) => notesIn(temporary).insert(id, text);
  const ids: Notes['ids'] = (from) => notesIn(temporary).ids(from);

  transactionContract(() => temporaryDatabase(driver));

  describe('a transaction', () => {
    it('TX-3 takes nothing along that others have committed when it rolls back', async () => {
      const inserted = gate();
      const fail = gate();
      const order: string[] = [];
      const first = database
        .transaction(async () => {
          await insert('first');
          inserted.open();
          await fail.opened;
          throw new Error('no');
        })
        .catch(() => order.push('first'));
      await inserted.opened;
      const second = database.transaction(() => insert('second')).then(() => order.push('second'));
      const third = insert('third').then(() => order.push('third'));
      await sleep(20);
      expect(order).toEqual([]);
      fail.open();
      await Promise.all([first, second, third]);
      expect(order).toEqual(['first', 'second', 'third']);
      expect(await ids()).toEqual(['second', 'third']);
    });

    it('SCALE-1 writers take turns in order of arrival, whatever they are', async () => {
      const order: number[] = [];
      const writers = Array.from({ length: 30 }, (_, index) => {
        const work =
          index % 3 === 0
            ? insert(`n${index}`)
            : database.transaction(async () => {
                await insert(`n${index}`);
                if (index % 3 === 1) await nextTurn();
              });
        return work.then(() => order.push(index));
      });
      await Promise.all(writers);
      expect(order).toEqual(Array.from({ length: 30 }, (_, index) => index));
      expect(await ids()).toEqual(order.map((index) => `n${index}`));
    });

    it('TX-3 loses no update of those that read before they write', async () => {
      await database.run(sql("INSERT INTO notes (id, number) VALUES ('counter', 0)"));
      const count = async (): Promise<void> => {
        const row = await database.get<{ number: number }>(sql("SELECT number FROM notes WHERE id = 'counter'"));
        await nextTurn();
        await database.run(sql("UPDATE notes SET number = ? WHERE id = 'counter'", (row?.number ?? 0) + 1));
      };
      await Promise.all(Array.from({ length: 25 }, () => database.transaction(count)));
      expect(await database.get(sql("SELECT number FROM notes WHERE id = 'counter'"))).toEqual({ number: 25 });
    });

    it('goes on after a statement that was refused', async () => {
      await database.transaction(async () => {
        await insert('a');
        await expect(insert('a')).rejects.toMatchObject({ kind: 'unique' });
        await insert('b');
      });
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('onCommit runs in the order of the commits, before the next writer begins', async () => {
      const order: string[] = [];
      const write = (id: string): Promise<void> =>
        database.transaction(async () => {
          order.push(`${id} begins`);
          database.onCommit(() => order.push(`${id} committed`));
          await insert(id);
          await nextTurn();
        });
      await Promise.all([write('a'), write('b')]);
      expect(order).toEqual(['a begins', 'a committed', 'b begins', 'b committed']);
    });
  });

  describe('a shared transaction', () => {
    const share = <T>(work: () => Promise<T>): Promise<T> => Promise.resolve(database.sharedTransactions.run(work));

    it('is one for all who come together', async () => {
      const keys = Array.from({ length: 5 }, (_, index) =>
        share(async () => {
          await insert(`n${index}`);
          return database.transactions.key;
        }),
      );
      expect(new Set(await Promise.all(keys)).size).toBe(1);
      expect(await ids()).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
    });

    it('takes any number of them', async () => {
      const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => share(() => insert(name))));
      expect(await ids()).toEqual(names);
    });

    it('TX-1 undoes alone what fails in it, also after waiting', async () => {
      const told: string[] = [];
      const good = (id: string): Promise<unknown> =>
        share(async () => {
          await insert(`${id}1`);
          await nextTurn();
          await insert(`${id}2`);
        });
      const first = good('a');
      const bad = share(async () => {
        database.afterCommit(() => void told.push('commit'));
        database.afterRollback(() => void told.push('rollback'));
        await insert('bad');
        await nextTurn();
        throw new Error('no');
      });
      const refused = share(() => insert('a1'));
      const results = await Promise.allSettled([first, bad, refused, good('b')]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { message: 'no' } },
        { status: 'rejected', reason: { kind: 'unique' } },
        { status: 'fulfilled' },
      ]);
      expect(told).toEqual(['rollback']);
      expect(await ids()).toEqual(['a1', 'a2', 'b1', 'b2']);
    });

    it('SCALE-2 TX-3 answers nobody before everything is stored', async () => {
      const other = temporary.another();
      await other.lifecycle.open();
      const inserted = gate();
      const go = gate();
      let isAnswered = false;
      const first = share(() => insert('a')).then(() => (isAnswered = true));
      const second = share(async () => {
        await insert('b');
        inserted.open();
        await go.opened;
      });
      await inserted.opened;
      await nextTurn();
      expect(isAnswered).toBe(false);
      expect(await ids(other)).toEqual([]);
      go.open();
      await first;
      expect(await ids(other)).toEqual(['a', 'b']);
      await second;
    });

    it('TX-2 makes each wait only for what it left for after the commit', async () => {
      const release = gate();
      const first = share(async () => {
        database.afterCommit(() => release.opened);
        await insert('a');
      });
      await share(() => insert('b'));
      expect(await ids()).toEqual(['a', 'b']);
      release.open();
      await first;
    });

    it('TX-1 is done again by each alone when its commit fails', async () => {
      await database.run(
        sql('CREATE TABLE replies (id TEXT, note TEXT REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)'),
      );
      const reply = (note: string): Promise<unknown> =>
        database.run(sql('INSERT INTO replies (id, note) VALUES (?, ?)', note, note));
      const told: string[] = [];
      const results = await Promise.allSettled([
        share(() => insert('a')),
        share(() => reply('nobody')),
        share(async () => {
          database.afterCommit(() => void told.push('c'));
          await insert('c');
        }),
        share(() => insert('c')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { kind: 'foreignKey' } },
        { status: 'fulfilled' },
        { status: 'rejected', reason: { kind: 'unique' } },
      ]);
      expect(told).toEqual(['c']);
      expect(await ids()).toEqual(['a', 'c']);
      expect(await database.all(sql('SELECT id FROM replies'))).toEqual([]);
    });

    it('is done again by each alone when the disk is full for one of them', async () => {
      const page = await database.get<{ page_count: number }>(sql('PRAGMA page_count'));
      await database.run({ sql: `PRAGMA max_page_count = ${page!.page_count + 3}`, params: [] });
      const results = await Promise.allSettled([
        share(() => insert('a')),
        share(() => insert('large', 'x'.repeat(100_000))),
        share(() => insert('c')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { kind: 'full' } },
        { status: 'fulfilled' },
      ]);
      expect(await ids()).toEqual(['a', 'c']);
    });

    it('fails for all at once when it cannot begin', async () => {
      const busy = new DatabaseError('busy', 'database is locked');
      const begin = vi.spyOn(SqliteWriter.prototype, 'begin').mockRejectedValue(busy);
      const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => share(() => insert(name))));
      expect(results.map((result) => 'reason' in result && result.reason)).toEqual([busy, busy, busy]);
      expect(begin).toHaveBeenCalledTimes(1);
      begin.mockRestore();
      await share(() => insert('d'));
      expect(await ids()).toEqual(['d']);
    });

    it('EXT-22 is part of the transaction around it', async () => {
      const work = database.transaction(async () => {
        await share(() => insert('a'));
        await expect(share(() => insert('a'))).rejects.toMatchObject({ kind: 'unique' });
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(await ids()).toEqual([]);
    });

    it('leaves each in the context of whoever asked', async () => {
      const context = new AsyncLocalStorage<string>();
      const seen: string[] = [];
      const see = (where: string): void => void seen.push(`${where} ${context.getStore()}`);
      const one = (name: string): Promise<void> =>
        context.run(name, () =>
          share(async () => {
            see('in it');
            database.afterCommit(() => see('after it'));
            await insert(name);
            see('later');
          }),
        );
      await Promise.all([one('a'), one('b')]);
      expect(seen).toEqual(['in it a', 'later a', 'in it b', 'later b', 'after it a', 'after it b']);
    });

    it('SCALE-1 takes its turn in order of arrival, whatever the others are', async () => {
      const order: number[] = [];
      const kinds = [share, share, (work: () => Promise<unknown>) => database.transaction(work)];
      const writers = Array.from({ length: 40 }, (_, index) => {
        const write = () => insert(`n${index}`);
        const work = index % 7 === 6 ? write() : kinds[index % 3]!(write);
        return work.then(() => order.push(index));
      });
      await Promise.all(writers);
      expect(await ids()).toEqual(Array.from({ length: 40 }, (_, index) => `n${index}`));
      expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index));
    });

    it('waits for its turn like others', async () => {
      const begun = gate();
      const go = gate();
      const before = database.transaction(async () => {
        begun.open();
        await go.opened;
        await insert('before');
      });
      await begun.opened;
      const together = ['a', 'b'].map((name) => share(() => insert(name)));
      await sleep(20);
      expect(await ids()).toEqual([]);
      go.open();
      await Promise.all([before, ...together]);
      expect(await ids()).toEqual(['before', 'a', 'b']);
    });
  });

  describe('beside another process', () => {
    it('SCALE-1 a writer waits until the other one is done, and holds up nothing meanwhile', async () => {
      const other = temporary.another();
      const hold = gate();
      const begun = gate();
      const theirs = other.transaction(async () => {
        await other.run(sql("INSERT INTO notes (id) VALUES ('theirs')"));
        begun.open();
        await hold.opened;
      });
      await begun.opened;
      const ours = [insert('run'), database.transaction(() => insert('transaction'))];
      for (let turn = 0; turn < 5; turn++) {
        await sleep(5);
        expect(await ids()).toEqual([]);
      }
      hold.open();
      await Promise.all([theirs, ...ours]);
      expect(await ids()).toEqual(['theirs', 'run', 'transaction']);
    });

    it('OPS-175 notices its commits within a second', async () => {
      const told = vi.fn();
      const stop = database.changes.onExternalChange(told);
      const before = database.changes.version(['notes']);
      await insert('ours');
      const ours = database.changes.version(['notes']);
      expect(ours).not.toBe(before);
      await temporary.another().run(sql("INSERT INTO notes (id) VALUES ('theirs')"));
      await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1), { timeout: 1000 });
      expect(database.changes.version(['notes'])).not.toBe(ours);
      stop();
    });

    it('OPS-175 tells of its commits before the next transaction does anything', async () => {
      const seen: string[][] = [];
      database.changes.onForeignDefinitions(async () => void seen.push(await ids()));
      await insert('ours');
      await temporary.another().run(sql("INSERT INTO notes (id) VALUES ('theirs')"));
      await database.transaction(async () => {
        expect(seen).toEqual([['ours', 'theirs']]);
        await insert('more');
      });
      expect(seen).toHaveLength(1);
    });

    it('OPS-175 tells of its commits before a statement fails over a column that is gone', async () => {
      const told = vi.fn();
      const other = temporary.another();
      await ids(other);
      database.changes.onForeignDefinitions(told);
      await other.run(sql('ALTER TABLE notes RENAME COLUMN text TO words'));
      await expect(database.all(sql('SELECT text FROM notes'))).rejects.toMatchObject({ kind: 'syntax' });
      expect(told).toHaveBeenCalledTimes(1);
    });

    it('takes its own commits for nobody else’s', async () => {
      const told = vi.fn();
      database.changes.onExternalChange(told);
      await insert('a');
      await database.transaction(() => insert('b'));
      await sleep(900);
      expect(told).not.toHaveBeenCalled();
    });
  });

  describe('around a commit', () => {
    const watching = (told: string[]) => {
      database.commitWork.aroundCommit(() => {
        told.push('begins');
        return () => void told.push('ends');
      });
      database.onCommit(() => void told.push('committed'));
      database.afterRollback(() => void told.push('rolled back'));
    };

    it('whoever watches is told before it is asked for and when it has succeeded', async () => {
      const told: string[] = [];
      await database.transaction(async () => {
        await insert('a');
        await database.transaction(async () => watching(told));
        expect(told).toEqual([]);
      });
      expect(told).toEqual(['begins', 'committed', 'ends']);
    });

    it('and when it has failed, before anything follows from that', async () => {
      const told: string[] = [];
      await database.run(sql('CREATE TABLE replies (note TEXT REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)'));
      const failing = database.transaction(async () => {
        watching(told);
        await database.run(sql("INSERT INTO replies (note) VALUES ('nobody')"));
      });
      await expect(failing).rejects.toMatchObject({ kind: 'foreignKey' });
      expect(told).toEqual(['begins', 'ends', 'rolled back']);
    });

    it('is none when it is rolled back', async () => {
      const told: string[] = [];
      const work = database.transaction(async () => {
        watching(told);
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(told).toEqual(['rolled back']);
    });

    it('of a script and of exchanged files it is told as well', async () => {
      const told: string[] = [];
      database.changes.aroundOutsideCommits(() => {
        told.push('begins');
        return () => void told.push('ends');
      });
      database.changes.onForeignDefinitions(() => void told.push('read again'));
      const terms = { timeout: 60, most: { rows: 10, bytes: 1000 } };
      await database.upkeep.runScript({ ...terms, text: 'SELECT 1', writes: false });
      expect(told).toEqual([]);
      await database.upkeep.runScript({ ...terms, text: "INSERT INTO notes (id) VALUES ('a')", writes: true });
      expect(told).toEqual(['begins', 'read again', 'ends']);
      await database.lifecycle.whileClosed(async () => void told.push('closed'));
      expect(told.slice(3)).toEqual(['closed', 'begins', 'read again', 'ends']);
    });
  });

  describe('a slow statement', () => {
    it('SCALE-3 holds up no other read and no write', async () => {
      let isOver = false;
      const slow = database
        .all(
          sql(
            `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n`,
            2e6,
          ),
        )
        .then(() => (isOver = true));
      for (let turn = 0; turn < 20; turn++) {
        await insert(`n${turn}`);
        expect(await ids()).toHaveLength(turn + 1);
      }
      expect(isOver).toBe(false);
      await slow;
    });

    it('SCALE-3 is found by what it might have to read, before it ever ran', async () => {
      await fill(database, 250_000);
      let isOver = false;
      const slow = database
        .all(
          sql(
            "SELECT a.id FROM notes a JOIN notes b ON b.text > a.text WHERE a.text LIKE ? AND b.text = 'x'",
            '%nothing%',
          ),
        )
        .then(() => (isOver = true));
      await database.get(sql('SELECT id FROM notes WHERE id = ?', 'n1'));
      await nextTurn();
      expect(isOver).toBe(false);
      await slow;
    });

    it('OPS-148 is cut off at the limit with a 400 that says nothing', async () => {
      const limited = await temporaryDatabase(driver, { queryTimeout: 0.3 });
      const error = await limited.database.all(sql(ENDLESS)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BadRequestError);
      expect((error as BadRequestError).toBody()).toMatchObject({ code: 400, data: {} });
      expect(await limited.database.all(sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
      await limited.remove();
    });

    it('gives the same values as a quick one', async () => {
      const values = [1, 1.5, 'text', null, new Uint8Array([1, 2]), 5_000_000, 1];
      const text = 'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, typeof(?) AS g';
      const quick = await database.all(sql(text, ...values));
      const slow = await database.all(
        sql(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) ${text} FROM n LIMIT 1`,
          ...values,
        ),
      );
      expect(JSON.stringify(slow)).toBe(JSON.stringify(quick));
      expect(quick).toMatchObject([{ a: 1, b: 1.5, c: 'text', d: null, f: 5_000_000, g: 'integer' }]);
    });

    it('reports its errors like a quick one', async () => {
      const failing =
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT json(?) FROM n';
      await expect(database.all(sql(failing, '{'))).rejects.toBeInstanceOf(DatabaseError);
    });
  });

  describe('values', () => {
    it('an integer stays one, so that it equals its own text', async () => {
      await database.run(sql('INSERT INTO notes (id, text, number) VALUES (?, ?, ?)', 'a', 7, 7));
      expect(await database.all(sql('SELECT text, typeof(number) AS t FROM notes WHERE text = ?', 7))).toEqual([
        { text: '7', t: 'integer' },
      ]);
    });

    it('have the functions that filters need', async () => {
      const row = await database.get<Record<string, unknown>>(
        sql(`SELECT round(degrees(acos(cos(radians(60)))), 6) AS angle, strftime('%Y', '2024-05-01') AS year,
          json_extract('{"a":[1]}', '$.a[0]') AS json, 'ÄB' LIKE 'Äb' AS likes`),
      );
      expect(row).toEqual({ angle: 60, year: '2024', json: 1, likes: 1 });
    });
  });

  describe('errors', () => {
    const refusal = async (statement: string): Promise<DatabaseError> => {
      const error: unknown = await database.run(sql(statement)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DatabaseError);
      return error as DatabaseError;
    };

    it('ERR-2 a unique violation names the columns of the index, or the index where it has an expression', async () => {
      await database.run(sql('CREATE TABLE posts (id TEXT PRIMARY KEY, title TEXT, slug TEXT, mail TEXT)'));
      await database.run(sql('CREATE UNIQUE INDEX pair ON posts (title, slug)'));
      await database.run(sql("CREATE UNIQUE INDEX part ON posts (mail COLLATE NOCASE) WHERE mail != ''"));
      await database.run(sql("INSERT INTO posts VALUES ('1', 't', 's', 'm')"));
      const table = 'posts';
      expect(await refusal("INSERT INTO posts VALUES ('1', '', '', '')")).toMatchObject({
        kind: 'unique',
        table,
        columns: ['id'],
      });
      expect(await refusal("INSERT INTO posts VALUES ('2', 't', 's', '')")).toMatchObject({
        kind: 'unique',
        table,
        columns: ['title', 'slug'],
      });
      expect(await refusal("INSERT INTO posts VALUES ('2', '', '', 'M')")).toMatchObject({
        kind: 'unique',
        table,
        columns: ['mail'],
      });
      await database.run(sql('CREATE UNIQUE INDEX expression ON posts (lower(slug))'));
      expect(await refusal("INSERT INTO posts VALUES ('2', '', 'S', '')")).toMatchObject({
        kind: 'unique',
        index: 'expression',
      });
    });

    it('say what kind they are', async () => {
      await database.run(
        sql('CREATE TABLE child (id TEXT NOT NULL, parent TEXT REFERENCES notes (id), size INT CHECK (size > 0))'),
      );
      expect(await refusal("INSERT INTO child (id, parent) VALUES ('1', 'none')")).toMatchObject({
        kind: 'foreignKey',
      });
      expect(await refusal('INSERT INTO child (id) VALUES (NULL)')).toMatchObject({ kind: 'notNull', columns: ['id'] });
      expect(await refusal("INSERT INTO child (id, size) VALUES ('1', 0)")).toMatchObject({ kind: 'check' });
      expect(await refusal('INSERT INTO nowhere VALUES (1)')).toMatchObject({
        kind: 'syntax',
        message: 'no such table: nowhere',
      });
      const outside = database.all(sql("INSERT INTO notes (id) VALUES ('a') RETURNING id"));
      await expect(outside).rejects.toMatchObject({ kind: 'readonly' });
    });
  });

  describe('prepared statements', () => {
    it('survive a change of the schema', async () => {
      const all = sql('SELECT * FROM notes');
      await insert('a');
      expect(await database.all(all)).toEqual([{ id: 'a', text: '', number: null }]);
      await database.run(sql('ALTER TABLE notes ADD COLUMN more TEXT'));
      expect(await database.all(all)).toEqual([{ id: 'a', text: '', number: null, more: null }]);
      await database.run(sql('ALTER TABLE notes DROP COLUMN number'));
      expect(await database.all(all)).toEqual([{ id: 'a', text: '', more: null }]);
    });

    it('hold no snapshot open: the journal can always be moved into the file', async () => {
      for (let turn = 0; turn < 3; turn++) {
        await insert(`n${turn}`);
        expect(await ids()).toHaveLength(turn + 1);
        await database.get(sql('SELECT id FROM notes WHERE id != ?', 'x'));
        await database.upkeep.optimize();
        expect((await stat(`${temporary.file}-wal`)).size).toBe(0);
      }
    });
  });

  describe('closing', () => {
    it('OPS-195 ends also when the journal cannot be moved into the file, as on a full disk', async () => {
      await insert('a');
      await database.upkeep.optimize();
      await insert('b');
      // Whatever stands in the way of it: here the journal that would be read is no longer there.
      await truncate(`${temporary.file}-wal`, 40);
      await database.lifecycle.close();
      expect(await ids(temporary.another())).toEqual(['a']);
    });
  });

  describe('a snapshot', () => {
    it('OPS-102 holds what is committed, while a writer is at work', async () => {
      await insert('committed');
      await database.transaction(async () => {
        await insert('open');
        await database.runOutside(() => database.upkeep.snapshot(join(temporary.directory, 'copy.db')));
      });
      const copy = await temporaryDatabase(driver);
      await copy.database.run(sql('DROP TABLE notes'));
      await copy.database.run(sql(`ATTACH '${join(temporary.directory, 'copy.db')}' AS copy`));
      await copy.database.run(sql('CREATE TABLE notes AS SELECT * FROM copy.notes'));
      expect(await ids(copy.database)).toEqual(['committed']);
      await copy.remove();
      expect((await stat(join(temporary.directory, 'copy.db'))).mode & 0o777).toBe(0o600);
    });

    it('refuses a file that has content', async () => {
      await expect(database.upkeep.snapshot(temporary.file)).rejects.toBeInstanceOf(DatabaseError);
    });
  });

  describe('upkeep', () => {
    it('OPS-93 compact gives the space of deleted rows back', async () => {
      await fill(database, 20_000);
      await database.upkeep.optimize();
      const before = (await stat(temporary.file)).size;
      await database.run(sql('DELETE FROM notes'));
      await database.upkeep.compact();
      await database.upkeep.optimize();
      expect((await stat(temporary.file)).size).toBeLessThan(before / 2);
    });
  });

  describe('a script', () => {
    const script = (text: string, changes: Partial<SqlScript> = {}) =>
      database.upkeep.runScript({
        text,
        writes: false,
        timeout: 60,
        most: { rows: 1000, bytes: 1_000_000 },
        ...changes,
      });

    it('OPS-147 gives the columns and first rows of its last statement', async () => {
      await insert('a', 'x;y');
      await insert('b');
      const result = await script("SELECT 1; SELECT id, text FROM notes WHERE text != ';' ORDER BY id -- done;", {
        most: { rows: 1, bytes: 1000 },
      });
      expect(result.columns).toMatchObject([
        { name: 'id', type: 'TEXT' },
        { name: 'text', type: 'TEXT', nullable: true },
      ]);
      expect(result).toMatchObject({ rows: [['a', 'x;y']], changes: 0 });
      expect(await script('SELECT id FROM notes WHERE 0')).toMatchObject({ columns: [{ name: 'id' }], rows: [] });
    });

    it('OPS-147 that writes is all or nothing, and tells the rows of its last statement', async () => {
      const good = "INSERT INTO notes (id) VALUES ('a'), ('b'); UPDATE notes SET text = 'x'";
      expect(await script(good, { writes: true })).toMatchObject({ columns: [], rows: [], changes: 2 });
      const bad = "INSERT INTO notes (id) VALUES ('c'); INSERT INTO notes (id) VALUES ('a')";
      await expect(script(bad, { writes: true })).rejects.toMatchObject({ kind: 'unique' });
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('OPS-147 cannot write on a connection for reading', async () => {
      await expect(script("INSERT INTO notes (id) VALUES ('a')")).rejects.toMatchObject({ kind: 'readonly' });
    });

    it('OPS-147 OPS-148 is cut off in the middle of a statement and rolled back', async () => {
      const endless = `INSERT INTO notes (id) VALUES ('a'); INSERT INTO notes (id) ${ENDLESS.replace('count(*) AS c', 'i')}`;
      const cut = script(endless, { writes: true, timeout: 0.4 });
      await expect(cut).rejects.toBeInstanceOf(BadRequestError);
      await insert('after');
      expect(await ids()).toEqual(['after']);
      await expect(script(ENDLESS, { timeout: 0.3 })).rejects.toMatchObject({ status: 400 });
    });

    it('OPS-148 that writes takes its turn, and others theirs after it', async () => {
      const hold = gate();
      const first = database.transaction(async () => {
        await insert('first');
        await hold.opened;
      });
      const second = script("INSERT INTO notes (id) VALUES ('second')", { writes: true });
      const third = insert('third');
      hold.open();
      await Promise.all([first, second, third]);
      expect(await ids()).toEqual(['first', 'second', 'third']);
    });

    it('OPS-148 that writes has caches reloaded before it is answered', async () => {
      const reloaded: string[][] = [];
      database.changes.onExternalChange(async () => void reloaded.push(await ids()));
      await script("INSERT INTO notes (id) VALUES ('a')", { writes: true });
      expect(reloaded).toEqual([['a']]);
    });

    it.each([
      "ATTACH '/tmp/other.db' AS other",
      "VACUUM INTO '/tmp/other.db'",
      '/* x */ vacuum main into (SELECT 1)',
      "SELECT load_extension('x')",
      'COMMIT',
      "SELECT 1; DELETE FROM notes; END; ATTACH ':memory:' AS m",
    ])('OPS-148 is refused when it reaches beyond its transaction: %s', async (text) => {
      for (const writes of [true, false]) {
        await expect(script(text, { writes })).rejects.toMatchObject({ kind: 'refused' });
      }
      await expect(access('/tmp/other.db')).rejects.toThrow();
    });

    it('keeps the statements of a trigger together', async () => {
      await script(
        "CREATE TEMP TABLE x (a); CREATE TRIGGER copy AFTER INSERT ON notes BEGIN UPDATE notes SET text = 'seen'; SELECT 1; END; INSERT INTO notes (id) VALUES ('a');",
        { writes: true },
      );
      expect(await database.all(sql('SELECT text FROM notes'))).toEqual([{ text: 'seen' }]);
    });
  });

  describe('closing', () => {
    it('OPS-195 waits for the transaction that has begun, and refuses everything afterwards', async () => {
      const hold = gate();
      const work = database.transaction(async () => {
        await insert('a');
        await hold.opened;
      });
      const closing = database.lifecycle.close();
      await nextTurn();
      hold.open();
      await Promise.all([work, closing]);
      await expect(access(`${temporary.file}-wal`)).rejects.toThrow();
      await expect(insert('b')).rejects.toBeInstanceOf(DatabaseError);
      await expect(ids()).rejects.toBeInstanceOf(DatabaseError);
      await database.lifecycle.open();
      expect(await ids()).toEqual(['a']);
    });

    it('OPS-195 ends statements that run apart', async () => {
      const slow = database.all(sql(ENDLESS)).catch((error: unknown) => error);
      await sleep(150);
      await database.lifecycle.close();
      expect(await slow).toBeInstanceOf(DatabaseError);
    });

    it('OPS-105 for the time of some work lets everybody wait, then goes on with what is there', async () => {
      await insert('old');
      await database.upkeep.snapshot(join(temporary.directory, 'saved.db'));
      await insert('new');
      const told = vi.fn();
      database.changes.onExternalChange(told);
      const version = database.changes.version(['notes']);
      let reading: Promise<string[]> = Promise.resolve([]);
      await database.lifecycle.whileClosed(async () => {
        reading = ids();
        const { rename } = await import('node:fs/promises');
        await rename(join(temporary.directory, 'saved.db'), temporary.file);
      });
      expect(await reading).toEqual(['old']);
      expect(told).toHaveBeenCalledTimes(1);
      expect(database.changes.version(['notes'])).not.toBe(version);
      await insert('newer');
      expect(await ids()).toEqual(['old', 'newer']);
    });

    it('and whatever else waits for the writer is refused inside a transaction', async () => {
      await database.transaction(async () => {
        const refused = { kind: 'refused' };
        await expect(database.lifecycle.whileClosed(() => Promise.resolve())).rejects.toMatchObject(refused);
        await expect(database.upkeep.compact()).rejects.toMatchObject(refused);
        await expect(database.upkeep.optimize()).rejects.toMatchObject(refused);
        const script = { text: 'SELECT 1', writes: false, timeout: 1, most: { rows: 1, bytes: 1000 } };
        await expect(database.upkeep.runScript(script)).rejects.toMatchObject(refused);
      });
    });

    it('opens again also when that work fails', async () => {
      await insert('a');
      await expect(database.lifecycle.whileClosed(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await ids()).toEqual(['a']);
    });
  });
}

/** Rows `n1`, `n2` … with texts of some length. */
async function fill(database: Database, rows: number): Promise<void> {
  await database.run(
    sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO notes (id, text) SELECT 'n' || i, 'some text that is a little longer ' || i FROM n`,
      rows,
    ),
  );
}
