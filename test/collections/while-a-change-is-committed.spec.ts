import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CompiledSql } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { StatementResult } from '../../src/database/dialect.js';
import { BetterSqlite3Connection } from '../../src/database/sqlite/better-sqlite3-connection.js';
import type { SqliteConnection } from '../../src/database/sqlite/sqlite-driver.js';
import { Sqlite3Connection } from '../../src/database/sqlite/sqlite3-connection.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const ID = 'record000000001';

let roost: TestRoost;
let root: RecordApi;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
  root = new RecordApi(roost, token);
  const fields = [
    { id: 'field_up', name: 'up', type: 'text' },
    { id: 'field_down', name: 'down', type: 'text' },
  ];
  await roost.createCollections({ name: 'pairs', type: 'base', listRule: '', viewRule: 'up != down', fields });
  await root.make('pairs', { id: ID, up: 'first', down: 'second' });
});

afterEach(restore);
afterAll(() => roost?.close());

const drivers: readonly SqliteConnection[] = [BetterSqlite3Connection.prototype, Sqlite3Connection.prototype];
const originals = drivers.map(({ execute }) => execute);

function restore(): void {
  for (const [index, driver] of drivers.entries()) driver.execute = originals[index]!;
}

/** Holds the next commit of changed tables when the database has it and nobody was told yet, or lets it fail. */
function holdCommit(failure?: Error) {
  let go: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const changed = new WeakSet<object>();
  for (const [index, driver] of drivers.entries()) {
    const execute = originals[index]!;
    driver.execute = async function <Row>(this: SqliteConnection, statement: CompiledSql) {
      if (statement.sql.startsWith('ALTER TABLE')) changed.add(this);
      if (statement.sql !== 'COMMIT' || !changed.has(this)) return execute.call(this, statement);
      restore();
      const result = failure ? undefined : await execute.call(this, statement);
      arrive();
      await gone;
      if (failure) throw failure;
      return result as StatementResult<Row>;
    } as SqliteConnection['execute'];
  }
  return { arrived, go };
}

const swap = async () => {
  const { body } = await roost.inject({ url: '/api/collections/pairs', token });
  const other = (name: string) => (name === 'up' ? 'down' : name === 'down' ? 'up' : name);
  const fields = (body.fields as { name: string }[]).map((field) => ({ ...field, name: other(field.name) }));
  return roost.inject({ method: 'PATCH', url: '/api/collections/pairs', token, body: { fields } });
};

const reads = () =>
  Promise.all([
    root.view('pairs', ID).then(({ body }) => body),
    new RecordApi(roost).view('pairs', ID).then(({ body }) => body),
    root.list('pairs', { filter: "up != ''" }).then(({ body }) => body.items[0]),
  ]);

describe('while a change of a collection is committed', () => {
  it('COL-116 a read waits to hear which definitions its rows belong to', async () => {
    const { arrived, go } = holdCommit();
    const changing = swap();
    await arrived;
    const answered = vi.fn();
    const reading = reads();
    void reading.then(answered);
    await sleep(100);
    expect(answered).not.toHaveBeenCalled();
    go();
    const swapped = { up: 'second', down: 'first' };
    expect(await reading).toMatchObject([swapped, swapped, swapped]);
    expect((await changing).status).toBe(200);
  });

  it('COL-116 and is answered by the old ones when the commit fails', async () => {
    const [before] = await reads();
    const { arrived, go } = holdCommit(new DatabaseError('full', 'The disk is full.'));
    const changing = swap();
    await arrived;
    const reading = reads();
    await sleep(50);
    go();
    const { up, down } = before as Record<string, unknown>;
    expect(await reading).toMatchObject(Array.from({ length: 3 }, () => ({ up, down })));
    expect((await changing).status).toBeGreaterThanOrEqual(400);
    expect(await reads()).toMatchObject(Array.from({ length: 3 }, () => ({ up, down })));
  });

  it('COL-116 somebody who keeps changing collections holds up nobody for long', async () => {
    let going = true;
    const changes = (async () => {
      while (going) await swap();
    })();
    try {
      for (let count = 0; count < 20; count++) {
        for (const { up, down } of await reads()) expect([up, down].sort()).toEqual(['first', 'second']);
      }
    } finally {
      going = false;
      await changes;
    }
  });
});
