import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseDriver } from '../../src/config/roost-config.js';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { Database } from '../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const ID = 'record000000001';

/** Another process changes tables and definitions; nothing of this application sees it coming. */
describe('collections that another process changes', () => {
  let roost: TestRoost;
  let api: RecordApi;
  let other: Database;

  beforeEach(async () => {
    roost = await startRoost();
    api = new RecordApi(roost, await roost.createSuperuser());
    const fields = [
      { id: 'field_one', name: 'one', type: 'text' },
      { id: 'field_two', name: 'two', type: 'text' },
    ];
    const open = { type: 'base', listRule: "one != ''", viewRule: "one != ''" };
    await roost.createCollections({ name: 'notes', ...open, fields });
    await api.make('notes', { id: ID, one: 'first', two: 'second' });
    const driver = sqliteDriver((process.env['DATABASE_DRIVER'] as DatabaseDriver) ?? 'better-sqlite3');
    other = new Database(new SqliteDialect({ file: join(roost.dir, 'data.db'), driver, queryTimeout: 10 }));
    await other.lifecycle.open();
  });

  afterEach(async () => {
    await other?.lifecycle.close();
    await roost?.close();
  });

  const change = (columns: Readonly<Record<string, string>>) =>
    other.transaction(async () => {
      const run = (sql: string, ...params: string[]) => other.run({ sql, params, writes: undefined });
      // Over names nobody has, so that two columns may swap theirs.
      for (const name of Object.keys(columns)) await run(`ALTER TABLE notes RENAME COLUMN "${name}" TO "_${name}"`);
      for (const [name, next] of Object.entries(columns)) {
        await run(`ALTER TABLE notes RENAME COLUMN "_${name}" TO "${next}"`);
      }
      const [row] = await other.all<{ fields: string }>({
        sql: "SELECT fields FROM _collections WHERE name = 'notes'",
        params: [],
      });
      const fields = (JSON.parse(row!.fields) as { id: string; name: string }[]).map((field) => {
        return { ...field, name: columns[field.name] ?? field.name };
      });
      const rule = `${fields.find(({ id }) => id === 'field_one')!.name} != ''`;
      const sql = "UPDATE _collections SET fields = ?, listRule = ?, viewRule = ? WHERE name = 'notes'";
      await run(sql, JSON.stringify(fields), rule, rule);
    });

  it('COL-160 OPS-175 a read that fails over a renamed field is made again with what holds now', async () => {
    await change({ one: 'three' });
    const guest = api.as(undefined);
    expect((await guest.view('notes', ID)).body).toMatchObject({ three: 'first', two: 'second' });
    await change({ three: 'four' });
    expect((await guest.list('notes', { sort: 'id' })).body.items).toMatchObject([{ four: 'first', two: 'second' }]);
  });

  it('COL-160 OPS-175 a write never goes by definitions that the tables no longer have', async () => {
    await change({ one: 'two', two: 'one' });
    const updated = await api.update('notes', ID, { one: 'changed' });
    expect(updated.body).toMatchObject({ one: 'changed', two: 'first' });
    expect((await api.view('notes', ID)).body).toMatchObject({ one: 'changed', two: 'first' });
    await change({ one: 'two', two: 'one' });
    const created = await api.create('notes', { one: 'left', two: 'right' });
    expect((await api.view('notes', created.body.id)).body).toMatchObject({ one: 'left', two: 'right' });
  });

  it('OPS-148 a script in the console changes nothing under a read', async () => {
    const script = (query: string) =>
      roost.inject({ url: '/api/sql', body: { query }, token: api['token'] }).then(({ status }) => status);
    const reading = Promise.all(Array.from({ length: 20 }, () => api.view('notes', ID)));
    expect(await script('ALTER TABLE notes RENAME COLUMN "one" TO "three"')).toBe(200);
    for (const { status } of await reading) expect(status).toBe(200);
  });

  it('COL-160 keeps what it has when another process changed only records', async () => {
    const store = roost.app.get(CollectionStore, { strict: false });
    const { catalog } = store;
    await other.run({ sql: "UPDATE notes SET one = 'theirs'", params: [], writes: ['notes'] });
    expect((await api.update('notes', ID, { two: 'ours' })).body).toMatchObject({ one: 'theirs', two: 'ours' });
    expect(store.catalog).toBe(catalog);
  });
});
