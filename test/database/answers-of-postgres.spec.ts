import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CollectionStore } from '../../src/collections/collection-store.js';
import type { Database } from '../../src/database/database.js';
import { CatalogSnapshot } from '../../src/kernel/collections/catalog-snapshot.js';
import type { RecordRow } from '../../src/kernel/records/record-model.js';
import { AnswerCache } from '../../src/records/read/answer-cache.js';
import { gate } from '../support/gate.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { temporaryPostgres, type TemporaryPostgres } from './temporary-postgres.js';

const answersOf = (database: Database): AnswerCache =>
  new AnswerCache(database, { catalog: new CatalogSnapshot([]) } as unknown as CollectionStore);

describe.skipIf(PostgresCluster.programs === undefined)('rows that many ask for, on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let temporary: TemporaryPostgres;
  let cache: AnswerCache;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());
  beforeEach(async () => {
    temporary = await temporaryPostgres(cluster);
    cache = answersOf(temporary.database);
    await insert('a');
  });
  afterEach(() => temporary.remove());

  const insert = (id: string, by = temporary.database): Promise<unknown> =>
    by.run(temporary.sql('INSERT INTO notes (id) VALUES (?)', id));
  const rows = async (): Promise<readonly RecordRow[]> =>
    cache.rows({ ...temporary.sql('SELECT id FROM notes ORDER BY id'), tables: [] });
  const ids = async (): Promise<unknown[]> => (await rows()).map(({ id }) => id);

  it('SCALE-19 are read again only when something was committed, whoever has done that', async () => {
    await rows();
    const kept = await rows();
    expect([await rows(), await rows()].map((each) => each === kept)).toEqual([true, true]);
    await insert('b');
    expect(await ids()).toEqual(['a', 'b']);
    const again = await rows();
    expect((await rows()) === again).toBe(true);
    await insert('c', temporary.another());
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('SCALE-23 are never older than a write that was acknowledged', async () => {
    for (let number = 0; number < 60; number++) {
      const id = `n${String(number).padStart(3, '0')}`;
      // Some ask while it is written, and what they are given is kept for nobody who asks after it.
      const [, ...seen] = await Promise.all([insert(id), ...Array.from({ length: 4 }, ids)]);
      expect((await Promise.all(Array.from({ length: 4 }, ids))).every((each) => each.includes(id))).toBe(true);
      expect(seen.every((each) => each.length >= number + 1)).toBe(true);
    }
  });

  it('are what a transaction sees inside of it, and nobody else before its commit', async () => {
    await rows();
    await rows();
    const failed = temporary.database.transaction(async () => {
      await insert('b');
      expect([await ids(), await temporary.database.runOutside(ids)]).toEqual([['a', 'b'], ['a']]);
      throw new Error('given up');
    });
    await expect(failed).rejects.toThrow('given up');
    expect(await ids()).toEqual(['a']);
  });

  it('SCALE-18 SCALE-23 are those of now on a standby too, whose snapshots do not say what runs', async () => {
    const primary = await PostgresCluster.start();
    onTestFinished(() => primary.stop());
    const { database, another, url, sql, remove } = await temporaryPostgres(primary);
    onTestFinished(remove);
    const standby = await primary.newStandby();
    onTestFinished(() => standby.stop());
    const following = another(standby.urlOf(new URL(url).pathname.slice(1)));
    const answers = answersOf(following);
    const read = { ...sql('SELECT id FROM notes ORDER BY id'), tables: [] };
    const told = async () => (await answers.rows(read)).map(({ id }) => id);
    const arrives = (ids: readonly string[]) =>
      expect.poll(async () => (await following.all<{ id: string }>(read)).map(({ id }) => id)).toEqual(ids);

    const held = async (id: string) => {
      const end = gate();
      const begun = gate();
      const running = database.transaction(async () => {
        await insert(id, database);
        begun.open();
        await end.opened;
      });
      await begun.opened;
      const commit = async () => {
        end.open();
        await running;
      };
      onTestFinished(commit);
      return commit;
    };
    await held('a');
    const commitB = await held('b');
    await insert('c', database);
    await arrives(['c']);
    for (let time = 0; time < 3; time++) expect(await told()).toEqual(['c']);
    await commitB();
    await arrives(['b', 'c']);
    expect(await told()).toEqual(['b', 'c']);
  }, 60_000);
});
