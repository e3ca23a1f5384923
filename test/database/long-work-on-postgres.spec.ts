import { Injectable, Module } from '@nestjs/common';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { BeforeRecordCreate } from '../../src/records/record.hooks.js';
import { gate } from '../support/gate.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';
import { temporaryPostgres, type TemporaryPostgres } from './temporary-postgres.js';

/** Connections of the pool: all are taken by what takes long, if that may. */
const POOL = 4;
const NUMBER = 4711;
/** How many statements wait for an advisory lock. */
const WAITING = "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

describe.skipIf(PostgresCluster.programs === undefined)('SCALE-3 OPS-39 what takes long on PostgreSQL', () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());

  describe('in one database', () => {
    let temporary: TemporaryPostgres;
    let database: Database;
    /** Somebody else, whose transaction holds things that others wait for, for as long as that takes. */
    let other: pg.Client;

    beforeEach(async () => {
      temporary = await temporaryPostgres(cluster, { pool: POOL, queryTimeout: 600 });
      ({ database } = temporary);
      await database.run({ sql: 'CREATE UNIQUE INDEX texts ON notes (text)', params: [] });
      await database.run({ sql: "INSERT INTO notes VALUES ('a', 'first', 1)", params: [] });
      other = new pg.Client({ connectionString: temporary.url });
      await other.connect();
      await other.query('BEGIN');
    });
    afterEach(async () => {
      await other.end();
      await temporary.remove();
    });

    /** A read that is not over before the other one has ended. */
    const longRead = (column: string, { ip = '', lock = NUMBER } = {}) =>
      database.all<Record<string, number>>({
        sql: `SELECT 1 AS ${column} FROM (SELECT pg_advisory_xact_lock(${lock})) AS taken`,
        params: [],
        ip,
      });

    /** What somebody wants who has nothing to do with it. It is not stopped, however busy the machine is. */
    const quickly = async (sql = 'SELECT count(*) AS n FROM notes') =>
      database.reads.rowsByKey<{ n: number }>({ sql, params: [] });

    it('has half of the connections, and the rest of it is done in turn: reads', async () => {
      await other.query(`SELECT pg_advisory_xact_lock(${NUMBER})`);
      const reads = ['a', 'b', 'c', 'd', 'e', 'f', 'a', 'a', 'a'].map(async (column) => {
        const [row] = await longRead(column);
        return row![column];
      });
      expect(await quickly()).toEqual([{ n: 1 }]);
      // Those that were stopped are known, and do not begin any more.
      const again = longRead('a');
      expect(await quickly()).toEqual([{ n: 1 }]);
      await other.query('ROLLBACK');
      expect(await Promise.all(reads)).toEqual(Array.from(reads, () => 1));
      expect(await again).toEqual([{ a: 1 }]);
    });

    it('leaves others a place, whoever asks for how much of it', async () => {
      await other.query(`SELECT pg_advisory_xact_lock(${NUMBER})`);
      const reads = ['a', 'b', 'c', 'd'].map((column) => longRead(column, { ip: '10.0.0.1' }));
      await expect.poll(async () => database.reads.rowsByKey({ sql: WAITING, params: [] })).toEqual([{ n: 1 }]);
      const second = new pg.Client({ connectionString: temporary.url });
      await second.connect();
      await second.query(`SELECT pg_advisory_lock(${NUMBER + 1})`);
      const elsewhere = longRead('a', { ip: '10.0.0.2', lock: NUMBER + 1 });
      // Both have begun and are kept waiting by nothing but the locks.
      await expect.poll(async () => database.reads.rowsByKey({ sql: WAITING, params: [] })).toEqual([{ n: 2 }]);
      await second.end();
      expect(await elsewhere).toEqual([{ a: 1 }]);
      await other.query('ROLLBACK');
      expect(await Promise.all(reads)).toHaveLength(4);
    });

    it('clients take turns, however many statements one of them has that were never seen', async () => {
      await other.query(`SELECT pg_advisory_xact_lock(${NUMBER})`);
      await database.run({ sql: 'CREATE SEQUENCE begun', params: [] });
      const COUNT = 24;
      const reads = Array.from({ length: COUNT }, (_, index) =>
        database.all({
          sql: `SELECT nextval('begun') AS a${index}, pg_advisory_xact_lock(${NUMBER}) IS NULL AS taken`,
          params: [],
          ip: '10.0.0.1',
        }),
      );
      const sql = "SELECT nextval('begun') AS number";
      const [elsewhere] = await database.all<{ number: number }>({ sql, params: [], ip: '10.0.0.2' });
      // It did not wait until all the others had been found to take long.
      expect(elsewhere!.number).toBeLessThan(COUNT);
      await other.query('ROLLBACK');
      expect(await Promise.all(reads)).toHaveLength(COUNT);
    });

    it('begins again in its turn: transactions that wait for a row', async () => {
      await other.query("UPDATE notes SET number = 10 WHERE id = 'a'");
      let attempts = 0;
      const adding = Array.from({ length: 8 }, () =>
        database.transaction(async () => {
          attempts++;
          await database.run({ sql: "UPDATE notes SET number = number + 1 WHERE id = 'a'", params: [] });
        }),
      );
      expect(await quickly()).toEqual([{ n: 1 }]);
      await other.query('COMMIT');
      await Promise.all(adding);
      expect(await database.all({ sql: 'SELECT number FROM notes', params: [] })).toEqual([{ number: 18 }]);
      expect(attempts).toBeGreaterThan(adding.length);
    });

    it('begins again in its turn: what waits with its commit', async () => {
      await other.query("INSERT INTO notes VALUES ('other', 'same', 1)");
      const inserting = Array.from({ length: 8 }, (_, index) =>
        database.transaction(async () => {
          const params = [`n${index}`, 'same'];
          await database.writes.runLast({
            sql: 'INSERT INTO notes (id, text) VALUES ($1, $2)',
            params,
            writes: ['notes'],
          });
        }),
      );
      const settled = Promise.allSettled(inserting);
      expect(await quickly()).toEqual([{ n: 1 }]);
      await other.query('ROLLBACK');
      const stored = (await settled).filter(({ status }) => status === 'fulfilled');
      expect(stored).toHaveLength(1);
      expect(await quickly()).toEqual([{ n: 2 }]);
    });

    it('is never stopped in its commit, which may be waiting for standbys', async () => {
      await database.run({
        sql: `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN PERFORM pg_advisory_xact_lock_shared(${NUMBER}); RETURN NULL; END $$`,
        params: [],
      });
      await database.run({
        sql: `CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION wait()`,
        params: [],
      });
      await other.query(`SELECT pg_advisory_xact_lock(${NUMBER})`);
      let attempts = 0;
      const writes = ['notes'];
      const inserting = Array.from({ length: POOL - 1 }, (_, index) =>
        database.transaction(async () => {
          attempts++;
          const sql = 'INSERT INTO notes (id, text) VALUES ($1, $1)';
          await database.writes.runLast({ sql, params: [`n${index}`], writes });
        }),
      );
      const waiting = "FROM pg_stat_activity WHERE wait_event = 'advisory' AND query_start < now() - interval '0.3 s'";
      await expect
        .poll(async () => (await quickly(`SELECT count(*) AS n ${waiting}`))[0]!.n, { timeout: 20_000 })
        .toBe(inserting.length);
      await other.query('COMMIT');
      await Promise.all(inserting);
      expect(attempts).toBe(inserting.length);
    });

    it('is never stopped where it cannot begin again', async () => {
      await other.query("UPDATE notes SET number = 10 WHERE id = 'a'");
      let attempts = 0;
      const adding = Array.from({ length: POOL - 1 }, () =>
        database.transaction(async () => {
          attempts++;
          database.commitWork.afterRollback(() => undefined);
          await database.run({ sql: "UPDATE notes SET number = number + 1 WHERE id = 'a'", params: [] });
        }),
      );
      const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query_start < now() - interval '0.3 s'";
      await expect
        .poll(async () => (await quickly(`SELECT count(*) AS n ${waiting}`))[0]!.n, { timeout: 20_000 })
        .toBe(adding.length);
      await other.query('COMMIT');
      await Promise.all(adding);
      expect(attempts).toBe(adding.length);
    });
  });

  it('has half of the connections: batches', async () => {
    const end = gate();
    const inside = gate();
    @Injectable()
    class Slow {
      @BeforeRecordCreate('things')
      async wait(): Promise<void> {
        inside.open();
        await end.opened;
      }
    }
    @Module({ providers: [Slow] })
    class SlowModule {}
    const roost = await startRoost({
      imports: [SlowModule],
      config: { DATABASE_URL: await cluster.newDatabase(), DATABASE_POOL: String(POOL) },
    });
    try {
      const token = await roost.createSuperuser();
      const fields = [{ name: 'name', type: 'text' }];
      const [things, others] = ['things', 'others'].map((name) => ({ name, type: 'base', createRule: '', fields }));
      await roost.createCollections(things!, { ...others, viewRule: '' });
      const made = await roost.inject({ method: 'POST', url: '/api/collections/others/records', body: { name: 'y' } });
      const batch = { enabled: true, timeout: 60 };
      await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch } });
      const url = '/api/collections/things/records';
      const body = { requests: [{ method: 'POST', url, body: { name: 'x' } }] };
      const batches = Array.from({ length: 8 }, () => roost.inject({ method: 'POST', url: '/api/batch', body }));
      await inside.opened;
      const { id } = made.body as { id: string };
      expect((await roost.inject({ url: `/api/collections/others/records/${id}` })).body).toMatchObject({ name: 'y' });
      end.open();
      for (const { status } of await Promise.all(batches)) expect(status).toBe(200);
    } finally {
      end.open();
      await roost.close();
    }
  });
});
