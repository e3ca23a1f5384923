import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { TimeoutError } from '../../src/kernel/errors/timeout.error.js';
import { type Notes, notesIn, type NotesDatabase } from '../database/notes.js';
import { gate } from '../support/gate.js';
import { eventually } from '../support/eventually.js';

/** What a transaction is on every kind of database. */
export function transactionContract(open: () => Promise<NotesDatabase>): void {
  let temporary: NotesDatabase;
  let database: Database;
  let sql: NotesDatabase['sql'];
  let insert: Notes['insert'];
  let ids: Notes['ids'];

  beforeEach(async () => {
    temporary = await open();
    ({ database, sql } = temporary);
    ({ insert, ids } = notesIn(temporary));
  });

  afterEach(() => temporary.remove());

  describe('a transaction', () => {
    it('TX-1 stores nothing when it fails', async () => {
      const work = database.transaction(async () => {
        await insert('a');
        await insert('b');
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(await ids()).toEqual([]);
    });

    it('TX-3 SCALE-2 shows its changes to nobody else before it commits', async () => {
      const inserted = gate();
      const seen = gate();
      const work = database.transaction(async () => {
        await insert('a');
        expect(await ids()).toEqual(['a']);
        inserted.open();
        await seen.opened;
      });
      await inserted.opened;
      expect(await ids()).toEqual([]);
      expect(await database.get(sql('SELECT id FROM notes WHERE id = ?', 'a'))).toBeUndefined();
      seen.open();
      await work;
      expect(await ids()).toEqual(['a']);
    });

    it('is ambient: everything called inside takes part, also after waiting', async () => {
      const outcome = await database.transaction(async () => {
        await sleep(1);
        await Promise.all([insert('a'), insert('b')]);
        return database.inTransaction;
      });
      expect(outcome).toBe(true);
      expect(database.inTransaction).toBe(false);
    });

    it('rolls the schema back as well', async () => {
      const work = database.transaction(async () => {
        await database.run(sql('CREATE TABLE other (id TEXT)'));
        await database.run(sql('ALTER TABLE notes ADD COLUMN more TEXT'));
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      await expect(database.all(sql('SELECT * FROM other'))).rejects.toMatchObject({ kind: 'syntax' });
      await expect(database.all(sql('SELECT more FROM notes'))).rejects.toMatchObject({ kind: 'syntax' });
    });
  });

  describe('a transaction inside another', () => {
    it('EXT-22 joins it and is committed and undone with it', async () => {
      const work = database.transaction(async () => {
        await database.transaction(() => insert('inner'));
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(await ids()).toEqual([]);
    });

    it('TX-1 is undone alone when it fails and its caller carries on', async () => {
      const told: string[] = [];
      await database.transaction(async () => {
        await insert('before');
        const inner = database.transaction(async () => {
          database.afterCommit(() => void told.push('commit'));
          database.afterRollback(() => void told.push('rollback'));
          await insert('inner');
          await database.transaction(() => insert('innermost'));
          throw new Error('no');
        });
        await expect(inner).rejects.toThrow('no');
        expect(told).toEqual(['rollback']);
        await insert('after');
      });
      expect(await ids()).toEqual(['before', 'after']);
      expect(told).toEqual(['rollback']);
    });

    it('takes turns with its siblings, so that one can fail alone', async () => {
      await database.transaction(async () => {
        const good = (id: string): Promise<unknown> =>
          database.transaction(async () => {
            await insert(`${id}1`);
            await nextTurn();
            await insert(`${id}2`);
          });
        const bad = database.transaction(async () => {
          await insert('bad');
          await nextTurn();
          throw new Error('no');
        });
        const results = await Promise.allSettled([good('a'), bad, insert('own'), good('b')]);
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      });
      expect(await ids()).toEqual(['a1', 'a2', 'own', 'b1', 'b2']);
    });

    it('that nobody waited for still belongs to the transaction', async () => {
      await database.transaction(async () => {
        await insert('a');
        void database.transaction(async () => {
          await sleep(5);
          await insert('b');
        });
      });
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('keeps a savepoint of its own below one that has not written yet', async () => {
      await database.transaction(async () => {
        const middle = database.transaction(async () => {
          await database.transaction(() => insert('innermost'));
          await insert('middle');
          throw new Error('no');
        });
        await expect(middle).rejects.toThrow('no');
      });
      expect(await ids()).toEqual([]);
    });
  });

  describe('work after a transaction', () => {
    it('TX-2 runs after the outermost commit, in order, and before the caller goes on', async () => {
      const order: string[] = [];
      await database.transaction(async () => {
        database.afterCommit(async () => {
          await nextTurn();
          order.push(`first sees ${(await ids()).join()}`);
        });
        await database.transaction(async () => {
          database.afterCommit(() => void order.push(`second, inside: ${database.inTransaction}`));
          await insert('a');
        });
        order.push('committing');
      });
      expect(order).toEqual(['committing', 'first sees a', 'second, inside: false']);
    });

    it('TX-2 never runs when the transaction is rolled back; the work for that case does', async () => {
      const order: string[] = [];
      const work = database.transaction(async () => {
        database.afterCommit(() => void order.push('commit'));
        database.afterRollback(async () => void order.push(`rollback sees ${(await ids()).length}`));
        await insert('a');
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(order).toEqual(['rollback sees 0']);
    });

    it('runs at once without a transaction, and not at all for a rollback', () => {
      const order: string[] = [];
      database.afterCommit(() => void order.push('commit'));
      database.onCommit(() => order.push('now'));
      database.afterRollback(() => void order.push('rollback'));
      expect(order).toEqual(['commit', 'now']);
    });

    it('changes nothing when it fails, and is logged', async () => {
      const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      const order: string[] = [];
      await database.transaction(async () => {
        database.onCommit(() => {
          throw new Error('logged');
        });
        database.afterCommit(() => Promise.reject(new Error('logged')));
        database.afterCommit(() => void order.push('next'));
        await insert('a');
      });
      expect(order).toEqual(['next']);
      expect(await ids()).toEqual(['a']);
      expect(logged).toHaveBeenCalledTimes(2);
      logged.mockRestore();
    });

    it('can hold up its own caller only, not the writers after it', async () => {
      const committed = gate();
      const release = gate();
      const first = database.transaction(async () => {
        database.afterCommit(() => {
          committed.open();
          return release.opened;
        });
        await insert('a');
      });
      await committed.opened;
      await insert('b');
      expect(await ids()).toEqual(['a', 'b']);
      release.open();
      await first;
    });
  });

  describe('a deadline', () => {
    it('BAT-12 rolls back at once, frees the writer, and refuses what the abandoned work still does', async () => {
      const controller = new AbortController();
      const hang = gate();
      const told: string[] = [];
      let afterwards: Promise<unknown> = Promise.resolve();
      const work = database.transaction(
        async () => {
          database.afterCommit(() => void told.push('commit'));
          database.afterRollback(() => void told.push('rollback'));
          await insert('a');
          controller.abort(new TimeoutError());
          await hang.opened;
          afterwards = Promise.allSettled([insert('late'), database.transaction(() => insert('later')), ids()]);
        },
        { deadline: controller.signal },
      );
      await expect(work).rejects.toBeInstanceOf(TimeoutError);
      expect(told).toEqual(['rollback']);
      await insert('b');
      hang.open();
      await nextTurn();
      expect(await afterwards).toMatchObject([
        { status: 'rejected', reason: { status: 408 } },
        { status: 'rejected', reason: { status: 408 } },
        { status: 'rejected', reason: { status: 408 } },
      ]);
      expect(await ids()).toEqual(['b']);
    });

    it('BAT-12 that passes during the last item commits nothing', async () => {
      const controller = new AbortController();
      const work = database.transaction(
        async () => {
          await insert('a');
          controller.abort(new TimeoutError());
        },
        { deadline: controller.signal },
      );
      await expect(work).rejects.toBeInstanceOf(TimeoutError);
      expect(await ids()).toEqual([]);
    });

    it('undoes the transactions inside as well', async () => {
      const controller = new AbortController();
      const hang = gate();
      const told: string[] = [];
      const work = database.transaction(
        () =>
          database.transaction(async () => {
            database.afterRollback(() => void told.push('inner rollback'));
            await insert('inner');
            controller.abort(new TimeoutError());
            await hang.opened;
            await insert('late');
          }),
        { deadline: controller.signal },
      );
      await expect(work).rejects.toBeInstanceOf(TimeoutError);
      hang.open();
      await eventually(() => expect(told).toEqual(['inner rollback']));
      expect(await ids()).toEqual([]);
    });

    it('while waiting for the writer gives up the place', async () => {
      const hold = gate();
      const first = database.transaction(() => hold.opened);
      const controller = new AbortController();
      const second = database.transaction(() => insert('second'), { deadline: controller.signal });
      const third = insert('third');
      controller.abort(new Error('gone'));
      await expect(second).rejects.toThrow('gone');
      hold.open();
      await Promise.all([first, third]);
      expect(await ids()).toEqual(['third']);
    });

    it('leaves a transaction alone that was in time', async () => {
      const controller = new AbortController();
      await database.transaction(() => insert('a'), { deadline: controller.signal });
      controller.abort(new TimeoutError());
      expect(await ids()).toEqual(['a']);
    });
  });

  describe('code that outlives its transaction', () => {
    it('goes on without one after a commit', async () => {
      const finished = gate();
      let late: Promise<unknown> = Promise.resolve();
      await database.transaction(async () => {
        await insert('a');
        late = finished.opened.then(() => insert('b'));
      });
      finished.open();
      await late;
      expect(await ids()).toEqual(['a', 'b']);
    });

    it('TX-1 can store nothing after a failure', async () => {
      const failed = gate();
      let late: Promise<unknown> = Promise.resolve();
      const work = database.transaction(async () => {
        late = failed.opened.then(() => insert('late'));
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      failed.open();
      await expect(late).rejects.toThrow('no');
      await database.runOutside(() => insert('other'));
      expect(await ids()).toEqual(['other']);
    });
  });

  describe('versions of tables', () => {
    it('change with a commit that names the table, and no earlier', async () => {
      const before = database.changes.version(['notes']);
      await database.transaction(async () => {
        await insert('a');
        expect(database.changes.version(['notes'])).toBe(before);
      });
      expect(database.changes.version(['notes'])).not.toBe(before);
    });

    it('stay the same for other tables, for a rollback and for reading', async () => {
      const other = database.changes.version(['other']);
      const notes = database.changes.version(['notes']);
      await database.transaction(() => ids());
      await database
        .transaction(async () => {
          await insert('a');
          throw new Error('no');
        })
        .catch(() => undefined);
      expect(database.changes.version(['notes'])).toBe(notes);
      await insert('b');
      expect(database.changes.version(['other'])).toBe(other);
    });

    it('change for all tables when nobody says what was written', async () => {
      const other = database.changes.version(['other']);
      const any = database.changes.version([]);
      await database.run(sql('CREATE TABLE more (id TEXT)'));
      expect(database.changes.version(['other'])).not.toBe(other);
      expect(database.changes.version([])).not.toBe(any);
    });

    it('count what a transaction inside wrote only if that was kept', async () => {
      const notes = database.changes.version(['notes']);
      await database.transaction(async () => {
        await database
          .transaction(async () => {
            await insert('undone');
            throw new Error('no');
          })
          .catch(() => undefined);
      });
      expect(database.changes.version(['notes'])).toBe(notes);
      await database.transaction(() => database.transaction(() => insert('kept')));
      expect(database.changes.version(['notes'])).not.toBe(notes);
    });
  });
}
