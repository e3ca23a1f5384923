import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KillableConnection } from '../../src/database/sqlite/killable-connection.js';
import { sql, temporaryDatabase, type TemporaryDatabase } from './temporary-database.js';
import { eventually } from '../support/eventually.js';

/** Records of so many bytes. */
const insert = (count: number, name: string, width = 1000) =>
  sql(
    `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
     INSERT INTO notes (id, text) SELECT ? || n, printf('%*d', ?, n) FROM counted`,
    count,
    name,
    width,
  );

describe('commits of much', () => {
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
    await eventually(() => expect(size()).toBeGreaterThan(6_000_000));

    const between = size();
    await eventually(async () => {
      await database.transaction(() => database.run(insert(4_000, `few ${performance.now()} `)));
      expect(size()).toBeGreaterThan(between + 3_000_000);
    });
    expect(await database.all(sql(`SELECT count(*) AS count FROM notes WHERE id LIKE 'many%'`))).toEqual([
      { count: 6_000 },
    ]);
  });

  it('OPS-39 leaves the journal of a few large rows to another process, however little of them was changed', async () => {
    const { database } = notes;
    await database.transaction(() => database.run(insert(10, 'large', 1_000_000)));
    await eventually(() => expect(size()).toBeGreaterThan(10_000_000));
    const before = statSync(notes.file).mtimeMs;
    await database.transaction(() => database.run(sql(`UPDATE notes SET id = id || 'x'`)));
    expect(statSync(notes.file).mtimeMs).toBe(before);
    await eventually(() => expect(statSync(notes.file).mtimeMs).toBeGreaterThan(before));
  });

  it('OPS-39 moves the journal of single statements, too', async () => {
    const { database } = notes;
    const before = size();
    await database.run(insert(6_000, 'many'));
    await eventually(() => expect(size()).toBeGreaterThan(before + 6_000_000));
  });

  it('OPS-39 keeps the journal from growing for ever, however much is written at a time', async () => {
    const { database } = notes;
    for (let time = 0; time < 12; time += 1) {
      await database.transaction(() => database.run(insert(10, `large ${time} `, 1_000_000)));
    }
    expect(statSync(`${notes.file}-wal`).size).toBeLessThan(90_000_000);
  });

  it('OPS-39 moves the journal by itself where no process can be started for it', async () => {
    const { database } = notes;
    const before = size();
    const start = vi.spyOn(KillableConnection, 'start').mockRejectedValue(new Error('No more processes.'));
    await database.transaction(() => database.run(insert(6_000, 'many')));
    await eventually(() => expect(start).toHaveBeenCalled());
    expect(size()).toBe(before);
    await database.transaction(() => database.run(insert(1, 'one')));
    expect(size()).toBeGreaterThan(before + 6_000_000);
    start.mockRestore();
  });

  it('OPS-39 ends while another process moves the journal, and loses nothing', async () => {
    const { database } = notes;
    await database.transaction(() => database.run(insert(6_000, 'many')));
    await database.lifecycle.close();
    const again = notes.another();
    expect(await again.all(sql('SELECT count(*) AS count FROM notes'))).toEqual([{ count: 6_000 }]);
  });
});
