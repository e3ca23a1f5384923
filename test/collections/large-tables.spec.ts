import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcessUnavailableError } from '../../src/database/process-unavailable.error.js';
import type { TransactionOptions } from '../../src/database/transaction-options.js';
import { KillableConnection } from '../../src/database/sqlite/killable-connection.js';
import { CollectionsApp } from './support/collections-app.js';
import { actualShape, expectedShape } from './support/table-shape.js';

/** More than a change in this process is allowed for. */
const ROWS = 12_000;
const blocks = process.env.DATABASE_DRIVER !== 'sqlite3';

describe('changes of a large table', () => {
  let app: CollectionsApp;
  let ways: (boolean | undefined)[];
  beforeEach(async () => {
    app = await CollectionsApp.start();
    await app.create({
      id: 'big_id',
      name: 'big',
      type: 'base',
      listRule: '',
      viewRule: '',
      fields: [
        { id: 'fa', name: 'a', type: 'text' },
        { id: 'fb', name: 'b', type: 'text' },
        { id: 'fk', name: 'kind', type: 'select', values: ['x', 'y'], maxSelect: 1 },
      ],
      indexes: ['CREATE INDEX idx_big_a ON big (a)'],
    });
    await app.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO big (id, a, b, kind) SELECT 'r' || i, 'A' || i, 'B' || i, 'x' FROM n`,
      ROWS,
    );
    ways = [];
    const { transaction } = app.database;
    vi.spyOn(app.database, 'transaction').mockImplementation(
      <T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T> => {
        if (!app.database.inTransaction) ways.push(options?.offThread);
        return transaction.call(app.database, work, options) as Promise<T>;
      },
    );
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.stop();
  });

  const fields = (change: (name: string) => object | undefined) =>
    app.collections.get('big_id').fields.flatMap((field) => {
      const changed = change(field.name);
      return changed ? [{ ...field, ...changed }] : [];
    });
  const row = async (number: number) =>
    (await app.roost.inject({ url: `/api/collections/big_id/records/r${number}` })).body;

  it('SCALE-3 COL-113 run apart, and do what they do in a small one', async () => {
    await app.create({ name: 'seen', type: 'view', viewQuery: 'SELECT id, a, kind FROM big', listRule: '' });
    ways.length = 0;
    await app.update('big', { fields: fields((name) => (name === 'kind' ? { maxSelect: 2 } : {})) });
    expect(await row(7)).toMatchObject({ a: 'A7', kind: ['x'] });
    await app.update('big', { fields: fields((name) => (name === 'kind' ? { maxSelect: 1 } : {})) });
    expect(await row(7)).toMatchObject({ a: 'A7', kind: 'x' });
    await app.update('big', {
      name: 'large',
      indexes: ['CREATE INDEX idx_big_b ON big (b)'],
      fields: fields((name) => ({ name: { a: 'b', b: 'a' }[name] ?? name })),
    });
    expect(await row(ROWS)).toMatchObject({ a: `B${ROWS}`, b: `A${ROWS}`, collectionName: 'large' });
    const large = app.collections.get('large');
    expect(await actualShape(app, 'large')).toEqual(expectedShape(large));
    await app.collections.delete('seen');
    const without = { name: 'large', indexes: [], fields: fields((name) => (name === 'b' ? undefined : {})) };
    await app.collections.import([without], { deleteMissing: true });
    expect(app.collections.get('large').field('b')).toBeUndefined();
    expect(await row(9)).toMatchObject({ a: 'B9', kind: 'x' });
    await app.collections.delete('large');
    expect(await app.sql(`SELECT name FROM sqlite_schema WHERE tbl_name = 'large'`)).toEqual([]);
    // Neither the view nor anything else but the table was slow.
    expect(ways).toEqual([true, true, true, false, true, true]);
  });

  it('SCALE-3 run here when no column or index is concerned, and for small tables', async () => {
    await app.create({ name: 'small', type: 'base' });
    await app.update('small', { fields: [{ name: 'x', type: 'text' }] });
    await app.update('big', { listRule: null });
    expect(ways).toEqual([false, false, false]);
  });

  it('SCALE-3 let this process go on with everything else meanwhile', async () => {
    let turns = 0;
    const changes = app.database.transaction(
      async () => {
        const counting = setInterval(() => turns++, 0);
        // Long enough that a thread that waits for it would show.
        await app.database.run({
          sql: `UPDATE big SET b = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
            SELECT max(i) FROM n) WHERE id = 'r1'`,
          params: [],
        });
        clearInterval(counting);
        // Nobody sees it, and nobody waits for it.
        expect((await app.database.runOutside(() => row(1))).b).toBe('B1');
        expect(await app.sql(`SELECT b FROM big WHERE id = 'r1'`)).toEqual([{ b: '500000' }]);
      },
      { offThread: true },
    );
    const list = await app.roost.inject({ url: `/api/collections/big/records/r2` });
    expect(list.status).toBe(200);
    await changes;
    expect(turns).toBeGreaterThan(0);
    expect((await row(1)).b).toBe('500000');
  });

  it.runIf(blocks)(
    'COL-116 COL-111 show tables and definitions of one moment, also while they are committed',
    async () => {
      const work = { isDone: false };
      const swap = async () => {
        for (let round = 0; round < 12; round++) {
          await app.update('big', { fields: fields((name) => ({ name: { a: 'b', b: 'a' }[name] ?? name })) });
        }
        work.isDone = true;
      };
      let looks = 0;
      const look = async () => {
        while (!work.isDone) {
          const name = app.store.catalog.find('big')!.fieldById('fa')!.name;
          const found = await app.sql(`SELECT "${name}" AS value FROM big WHERE id = 'r5'`);
          expect(found).toEqual([{ value: 'A5' }]);
          looks++;
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([swap(), look(), look()]);
      expect(looks).toBeGreaterThan(50);
    },
    60_000,
  );

  it('COL-111 leave nothing when they fail', async () => {
    const before = await app.state();
    await app.refusal(
      app.update('big', {
        fields: fields((name) => (name === 'kind' ? { maxSelect: 2 } : { name: name === 'a' ? 'c' : name })),
        indexes: ['CREATE UNIQUE INDEX idx_kind ON big (kind)'],
      }),
    );
    expect(ways).toEqual([true]);
    expect(await app.state()).toEqual(before);
    expect(await row(3)).toMatchObject({ a: 'A3', kind: 'x' });
    await app.create({ name: 'next', type: 'base' });
  });

  it('SCALE-3 run here after all where no other process can be started', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    vi.spyOn(KillableConnection, 'start').mockRejectedValue(new ProcessUnavailableError('no processes left'));
    await app.update('big', { fields: fields((name) => (name === 'b' ? undefined : {})) });
    expect(await actualShape(app, 'big')).toEqual(expectedShape(app.collections.get('big')));
    if (blocks) expect(warn).toHaveBeenCalledWith(expect.stringContaining('no processes left'));
    await app.create({ name: 'next', type: 'base' });
  });

  it.runIf(blocks).each([
    ['DROP COLUMN', () => ({ fields: fields((name) => (name === 'b' ? undefined : {})) })],
    ['CREATE INDEX', () => ({ indexes: ['CREATE INDEX idx_big_b ON big (b)'] })],
  ])(
    'COL-161 COL-124 leave nothing when their process is killed at %s, which is no fault of them',
    async (at, body) => {
      const before = await app.state();
      const { request } = KillableConnection.prototype;
      vi.spyOn(KillableConnection.prototype, 'request').mockImplementation(async function (
        this: KillableConnection,
        asked,
        signal,
      ) {
        if ('sql' in asked && asked.sql.includes(at)) await this.kill();
        return request.call(this, asked, signal) as never;
      });
      await expect(app.update('big', body())).rejects.toMatchObject({ name: 'DatabaseError', kind: 'unavailable' });
      vi.mocked(KillableConnection.prototype.request).mockRestore();
      expect(await app.state()).toEqual(before);
      await app.update('big', body());
      expect(await app.state()).not.toEqual(before);
    },
  );

  it.runIf(blocks)('COL-111 are finished before the application stops', async () => {
    const { request } = KillableConnection.prototype;
    const begun = new Promise<void>((resolve) => {
      vi.spyOn(KillableConnection.prototype, 'request').mockImplementation(function (
        this: KillableConnection,
        ...args
      ) {
        if ('sql' in args[0] && args[0].sql.startsWith('ALTER TABLE')) resolve();
        return request.apply(this, args) as never;
      });
    });
    const changing = app.update('big', { fields: fields((name) => (name === 'kind' ? { maxSelect: 2 } : {})) });
    await begun;
    await app.database.lifecycle.close();
    await changing;
    await app.database.lifecycle.open();
    expect(await app.sql('SELECT DISTINCT kind FROM big')).toEqual([{ kind: '["x"]' }]);
  });
});
