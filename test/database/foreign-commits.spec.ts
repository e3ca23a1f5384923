import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionPragmas } from '../../src/database/sqlite/prepare-database.js';
import type { SqliteConnection } from '../../src/database/sqlite/sqlite-driver.js';
import { SqliteWriter, type WriterEvents } from '../../src/database/sqlite/sqlite-writer.js';
import { sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import { WorkerTurns } from '../../src/instances/worker-turns.js';
import { gate } from '../support/gate.js';

const nothing = () => undefined;
const events = { schemaChanged: nothing, written: nothing, settled: nothing };

/** A writer with turns of this process alone, and another connection that commits beside it. */
describe.each(['better-sqlite3', 'sqlite3'] as const)('commits of other processes, with %s', (name) => {
  let folder: string;
  let connections: SqliteConnection[];
  let writer: SqliteWriter;
  const foreignCommit = vi.fn<WriterEvents['foreignCommit']>();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roost-commits-'));
    connections = [];
    for (let count = 0; count < 2; count++) {
      const driver = sqliteDriver(name);
      const connection = await driver.open(join(folder, 'data.db'), { readonly: false, busyTimeout: 5000 });
      for (const pragma of connectionPragmas({ writes: true })) await connection.command(`PRAGMA ${pragma}`);
      connections.push(connection);
    }
    await connections[1]!.command('CREATE TABLE t (n)');
    foreignCommit.mockReset().mockResolvedValue();
    writer = new SqliteWriter(connections[0]!, { ...events, foreignCommit });
    await writer.catchUp();
  });
  afterEach(async () => {
    for (const connection of connections) await connection.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const commitElsewhere = async () => connections[1]!.command('INSERT INTO t VALUES (1)');

  /** A transaction that has its turn but has not begun, because it waits for something else. */
  function beginSlowly() {
    const begins = gate();
    const transaction = Promise.resolve(
      writer.begin(undefined, async () => {
        await begins.opened;
        return undefined;
      }),
    );
    return { transaction, go: begins.open };
  }

  it('SCALE-23 are noticed while a transaction has its turn and has not begun', async () => {
    const { transaction, go } = beginSlowly();
    await commitElsewhere();
    await writer.catchUp();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
    go();
    await (await transaction).rollback();
    await writer.catchUp();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
  });

  it('SCALE-2 are noticed while a writer here waits for the right to write, which another worker has', async () => {
    const turns = new WorkerTurns(nothing, nothing);
    const waits = new SqliteWriter(connections[0]!, { ...events, foreignCommit }, turns);
    await waits.catchUp();
    const transaction = Promise.resolve(waits.begin());
    await commitElsewhere();
    await waits.catchUp();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
    turns.granted(false);
    await (await transaction).rollback();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
  });

  it('SCALE-23 that were noticed so are announced before the transaction goes on', async () => {
    const announced = gate();
    foreignCommit.mockReturnValueOnce(announced.opened);
    const { transaction, go } = beginSlowly();
    await commitElsewhere();
    const caughtUp = writer.catchUp();
    await expect.poll(() => foreignCommit.mock.calls.length).toBe(1);
    go();
    let hasBegun = false;
    void transaction.then(() => (hasBegun = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hasBegun).toBe(false);
    announced.open();
    await caughtUp;
    await (await transaction).rollback();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
  });

  it('SCALE-23 cannot be while a transaction is open, which has noticed those before', async () => {
    await commitElsewhere();
    const transaction = await writer.begin();
    expect(foreignCommit).toHaveBeenCalledTimes(1);
    await writer.catchUp();
    await transaction.rollback();
    await commitElsewhere();
    await writer.catchUp();
    expect(foreignCommit).toHaveBeenCalledTimes(2);
  });
});
