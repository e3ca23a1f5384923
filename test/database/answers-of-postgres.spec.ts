import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CollectionStore } from '../../src/collections/collection-store.js';
import { CatalogSnapshot } from '../../src/kernel/collections/catalog-snapshot.js';
import type { RecordRow } from '../../src/kernel/records/record-model.js';
import { AnswerCache } from '../../src/records/read/answer-cache.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { temporaryPostgres, type TemporaryPostgres } from './temporary-postgres.js';

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
    cache = new AnswerCache(temporary.database, { catalog: new CatalogSnapshot([]) } as unknown as CollectionStore);
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
});
