import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sql, temporaryDatabase, type TemporaryDatabase } from './temporary-database.js';

/** Records of 1,000 bytes. */
const insert = (count: number, name: string) =>
  sql(
    `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
     INSERT INTO notes (id, text) SELECT ? || n, printf('%1000d', n) FROM counted`,
    count,
    name,
  );

describe('commits of many rows', () => {
  let notes: TemporaryDatabase;
  const size = () => statSync(notes.file).size;

  beforeEach(async () => {
    notes = await temporaryDatabase('better-sqlite3');
  });
  afterEach(() => notes.remove());

  it('OPS-39 leaves the journal of many rows to another process, and moves that of few by itself as before', async () => {
    const { database } = notes;
    const before = size();
    await database.transaction(() => database.run(insert(6_000, 'many')));
    expect(size()).toBe(before);
    await vi.waitFor(() => expect(size()).toBeGreaterThan(6_000_000));

    const between = size();
    await vi.waitFor(async () => {
      await database.transaction(() => database.run(insert(4_000, `few ${performance.now()} `)));
      expect(size()).toBeGreaterThan(between + 3_000_000);
    });
    expect(await database.all(sql(`SELECT count(*) AS count FROM notes WHERE id LIKE 'many%'`))).toEqual([
      { count: 6_000 },
    ]);
  });

  it('OPS-39 ends while another process moves the journal, and loses nothing', async () => {
    const { database } = notes;
    await database.transaction(() => database.run(insert(6_000, 'many')));
    await database.lifecycle.close();
    const again = notes.another();
    expect(await again.all(sql('SELECT count(*) AS count FROM notes'))).toEqual([{ count: 6_000 }]);
  });
});
