// @module-tag alone: asks whether the promises of this process are followed.
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql, temporaryDatabase, type TemporaryDatabase } from './temporary-database.js';
import { eventually } from '../support/eventually.js';

/** Before version 24, Node.js marks each promise while an AsyncLocalStorage is in use. */
const marksPromises = Number.parseInt(process.versions.node) < 24;
const arePromisesFollowed = (): boolean => Reflect.ownKeys(Promise.resolve()).length > 0;

describe('a database without query runners of a team', () => {
  let temporary: TemporaryDatabase;
  const insert = (id: string): Promise<unknown> =>
    temporary.database.run({ ...sql('INSERT INTO notes (id) VALUES (?)', id), writes: ['notes'] });
  const ids = async (): Promise<string[]> =>
    (await temporary.database.all<{ id: string }>(sql('SELECT id FROM notes ORDER BY id'))).map(({ id }) => id);

  beforeEach(async () => {
    temporary = await temporaryDatabase('better-sqlite3');
  });
  afterEach(() => temporary.remove());

  it('has promises followed during a transaction only', async () => {
    const { database } = temporary;
    await insert('a');
    expect(arePromisesFollowed()).toBe(false);
    const during = await database.transaction(async () => {
      await insert('b');
      await database.transaction(() => insert('c'));
      return arePromisesFollowed();
    });
    expect([during, arePromisesFollowed(), await ids()]).toEqual([marksPromises, false, ['a', 'b', 'c']]);
  });

  it('has them followed no longer when no code of a failed one is left', async () => {
    await temporary.database.transaction(() => Promise.reject(new Error('no'))).catch(() => undefined);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await eventually(() => {
      collectGarbage();
      expect(arePromisesFollowed()).toBe(false);
    });
  });

  it('has them followed as long as code of a failed one may go on, which stores nothing', async () => {
    const { database } = temporary;
    let late: Promise<unknown> | undefined;
    const failed = database.transaction(async () => {
      late = delay(30).then(() => insert('late'));
      await Promise.all([late, Promise.reject(new Error('no'))]);
    });
    await expect(failed).rejects.toThrow('no');
    await database.transaction(() => insert('other'));
    expect(arePromisesFollowed()).toBe(marksPromises);
    await expect(late).rejects.toThrow('no');
    expect(await ids()).toEqual(['other']);
  });

  it('TX-3 keeps those apart who were waiting already when a transaction began', async () => {
    const { database } = temporary;
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const outside = Array.from({ length: 20 }, async (_, index) => {
      await gate;
      const before = database.inTransaction;
      await Promise.resolve();
      await insert(`outside-${index}`);
      return before || database.inTransaction;
    });
    const inside = Array.from({ length: 20 }, async (_, index) => {
      await gate;
      await database.transaction(async () => {
        await insert(`inside-${index}`);
        await delay(1);
        if (index % 2 === 1) throw new Error('no');
      });
    });
    const ended = Promise.allSettled(inside);
    open();
    expect(await Promise.all(outside)).toEqual(outside.map(() => false));
    await ended;
    const kept = await ids();
    expect(kept.filter((id) => id.startsWith('outside')).length).toBe(20);
    expect(kept.filter((id) => id.startsWith('inside')).length).toBe(10);
  });

  it('refuses a transaction whose caller it would have to follow, and takes it inside another one', async () => {
    const { database } = temporary;
    expect(() => database.transactions.begin()).toThrow('query runners');
    await database.transaction(async () => {
      const { scope, begun } = database.transactions.begin();
      await begun;
      await insert('a');
      await database.transactions.rollback(scope);
    });
    expect(await ids()).toEqual([]);
  });
});
