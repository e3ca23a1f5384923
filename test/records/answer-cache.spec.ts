import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CollectionStore } from '../../src/collections/collection-store.js';
import type { Database } from '../../src/database/database.js';
import { ReadRouter } from '../../src/database/sqlite/read-router.js';
import { CatalogSnapshot } from '../../src/kernel/collections/catalog-snapshot.js';
import { AnswerCache } from '../../src/records/read/answer-cache.js';
import { sql as sqlOf, temporaryDatabase, type TemporaryDatabase } from '../database/temporary-database.js';

const driver = process.env.DATABASE_DRIVER === 'sqlite3' ? 'sqlite3' : 'better-sqlite3';
const sql = (...args: Parameters<typeof sqlOf>) => ({ ...sqlOf(...args), tables: [] });
const ALL = sql('SELECT id, text FROM notes ORDER BY id');

let temporary: TemporaryDatabase;
let database: Database;
let cache: AnswerCache;

beforeEach(async () => {
  temporary = await temporaryDatabase(driver);
  database = temporary.database;
  cache = new AnswerCache(database, { catalog: new CatalogSnapshot([]) } as unknown as CollectionStore);
  await database.run(sql("INSERT INTO notes VALUES ('a', 'A', 1), ('b', 'B', 2)"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await temporary.remove();
});

async function idsOf(statement = ALL): Promise<unknown[]> {
  return (await cache.rows(statement)).map(({ id }) => id);
}

describe('rows that many ask for', () => {
  it('are those of the last commit, whoever made it', async () => {
    const writeAs = (writer: Database, id: string) => writer.run(sql('INSERT INTO notes VALUES (?, ?, ?)', id, id, 3));
    for (let time = 0; time < 3; time++) expect(await idsOf()).toEqual(['a', 'b']);
    await writeAs(database, 'c');
    for (let time = 0; time < 3; time++) expect(await idsOf()).toEqual(['a', 'b', 'c']);
    await writeAs(temporary.another(), 'd');
    for (let time = 0; time < 3; time++) expect(await idsOf()).toEqual(['a', 'b', 'c', 'd']);
    await database.lifecycle.whileClosed(async () => writeAs(temporary.another(), 'e'));
    expect(await idsOf()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await database.upkeep.runScript({
      text: "DELETE FROM notes WHERE id <> 'e'",
      writes: true,
      timeout: 10,
      most: { rows: 1, bytes: 1000 },
    });
    expect(await idsOf()).toEqual(['e']);
  });

  it('are what a transaction sees inside of it, and nobody sees that before it is committed', async () => {
    for (let time = 0; time < 3; time++) await idsOf();
    let inside: unknown[] = [];
    let outside: unknown[] = [];
    const failed = database.transaction(async () => {
      await database.run(sql("DELETE FROM notes WHERE id = 'a'"));
      inside = await idsOf();
      outside = await database.runOutside(() => idsOf());
      throw new Error('given up');
    });
    await expect(failed).rejects.toThrow('given up');
    expect([inside, outside, await idsOf()]).toEqual([['b'], ['a', 'b'], ['a', 'b']]);
  });

  it('differ by statement and by value', async () => {
    const one = (id: string | number | null) => sql('SELECT id FROM notes WHERE id = ? OR number = ?', id, id);
    for (let time = 0; time < 3; time++) {
      expect(await idsOf(one('a'))).toEqual(['a']);
      expect(await idsOf(one('b'))).toEqual(['b']);
      expect(await idsOf(one(2))).toEqual(['b']);
      expect(await idsOf(one(null))).toEqual([]);
    }
  });

  it('are not kept where they change by themselves', async () => {
    const chance = sql('SELECT random() AS id');
    const seen = new Set<unknown>();
    for (let time = 0; time < 5; time++) for (const id of await idsOf(chance)) seen.add(id);
    expect(seen.size).toBe(5);
  });

  it('are not kept of a statement that fails', async () => {
    const missing = sql('SELECT id FROM later');
    for (let time = 0; time < 3; time++) await expect(idsOf(missing)).rejects.toThrow('no such table');
    await database.run(sql('CREATE TABLE later (id TEXT)'));
    expect(await idsOf(missing)).toEqual([]);
  });
});

/** The other driver would have to be waited for to learn whether somebody committed. */
describe.runIf(driver === 'better-sqlite3')('what is read once for many', () => {
  /** Statements that came to the database itself. */
  const runsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const read = vi.spyOn(ReadRouter.prototype, 'read');
    await work();
    const runs = read.mock.calls.length;
    read.mockRestore();
    return runs;
  };

  const times = (count: number, statement = ALL) =>
    runsOf(async () => {
      for (let time = 0; time < count; time++) await idsOf(statement);
    });

  it('is what is asked again before the next commit: two runs for any number', async () => {
    expect(await times(5)).toBe(2);
    expect(await times(5)).toBe(0);
    await database.run(sql("UPDATE notes SET text = 'x' WHERE id = 'a'"));
    expect(await times(5)).toBe(2);
  });

  it('is what is asked at the same time, failures included', async () => {
    const run = ReadRouter.prototype.read;
    const slow = vi.spyOn(ReadRouter.prototype, 'read').mockImplementation(async function (this: ReadRouter, asked) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return run.call(this, asked) as never;
    });
    const failing = sql('SELECT id FROM nowhere');
    const asked = async (statement: typeof ALL) => {
      slow.mockClear();
      const answers = await Promise.allSettled(Array.from({ length: 10 }, () => idsOf(statement)));
      return [slow.mock.calls.length, new Set(answers.map(({ status }) => status))];
    };
    expect(await asked(ALL)).toEqual([2, new Set(['fulfilled'])]);
    expect(await asked(ALL)).toEqual([0, new Set(['fulfilled'])]);
    expect(await asked(failing)).toEqual([2, new Set(['rejected'])]);
    expect(await asked(failing)).toEqual([2, new Set(['rejected'])]);
  });

  it('is not what would take too much memory', async () => {
    const large = sql("SELECT id, printf('%1200000d', 1) AS text FROM notes LIMIT 1");
    const halves = sql("SELECT id, printf('%400000d', 1) AS text FROM notes LIMIT 1");
    expect(await times(4, large)).toBe(4);
    expect(await times(4, halves)).toBe(2);
    for (let number = 0; number < 30; number++) {
      await times(2, sql("SELECT id, ? AS number, printf('%400000d', 1) AS text FROM notes LIMIT 1", number));
    }
    expect(await times(1, halves)).toBe(1);
  });
});
