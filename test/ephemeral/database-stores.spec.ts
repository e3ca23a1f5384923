import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EphemeralTable } from '../../src/database/postgres/ephemeral-table.js';
import { DatabaseRateLimitStore } from '../../src/rate-limits/database-rate-limit-store.js';
import { startRoost } from '../support/roost.js';
import { ephemeralStoreContract } from '../contracts/ephemeral-store.js';
import { rateLimitStoreContract } from '../contracts/rate-limit-store.js';
import { PostgresCluster } from '../support/postgres-cluster.js';

describe.skipIf(PostgresCluster.programs === undefined)('stores in PostgreSQL', () => {
  let cluster: PostgresCluster;
  let url: string;
  let admin: pg.Client;
  let opened: EphemeralTable[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    url = await cluster.newDatabase();
    const dir = mkdtempSync(join(tmpdir(), 'roost-shared-'));
    const roost = await startRoost({ dir: join(dir, 'data'), config: { DATABASE_URL: url } });
    await roost.close();
    rmSync(dir, { recursive: true, force: true });
    admin = await connect();
  });
  afterAll(async () => {
    await admin.end();
    await cluster.stop();
  });

  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    // The server is taken away below.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const open = () => {
    const table = new EphemeralTable(url);
    opened.push(table);
    return table;
  };
  const age = async (milliseconds: number) => {
    await admin.query(`UPDATE _ephemeral SET ends = ends - $1 * interval '1 millisecond'`, [milliseconds]);
  };
  const close = async () => {
    for (const table of opened) await table.close();
    opened = [];
    await admin.query('TRUNCATE _ephemeral');
  };
  const rows = async () => (await admin.query<{ n: number }>('SELECT count(*)::int AS n FROM _ephemeral')).rows[0]!.n;

  ephemeralStoreContract('PostgreSQL', async () => ({ store: open(), other: open(), pass: age, close }));

  rateLimitStoreContract('PostgreSQL', async () => ({
    store: new DatabaseRateLimitStore(open()),
    other: new DatabaseRateLimitStore(open()),
    slack: 9_000,
    pass: age,
    close,
  }));

  it('SCALE-24 deletes what is over and nothing else, however much it is', async () => {
    const [one, two] = [open(), open()];
    await admin.query(`INSERT INTO _ephemeral (space, key, count, ends)
      SELECT 'old', sha256(i::text::bytea), 1, now() - interval '1 minute' FROM generate_series(1, 12000) AS i`);
    await one.set('a:b', 'kept', 60_000);
    await Promise.all([one.prune(), two.prune()]);
    expect(await rows()).toBe(1);
    expect(await one.get('a:b')).toBe('kept');
    await close();
  });

  it('SCALE-24 writes no address of anybody down, and nothing to the log of the server', async () => {
    const table = open();
    await table.count('guesses-of-account:ann@example.com', 60_000);
    const { rows: kept } = await admin.query('SELECT * FROM _ephemeral');
    expect(JSON.stringify(kept)).not.toContain('ann@example.com');
    expect((kept[0] as { key: Buffer }).key.toString('utf8')).not.toContain('ann@example.com');
    const { rows: kind } = await admin.query(`SELECT relpersistence FROM pg_class WHERE relname = '_ephemeral'`);
    expect(kind).toEqual([{ relpersistence: 'u' }]);
    await close();
  });

  it('SCALE-24 goes on after the server was gone', async () => {
    const table = open();
    await table.set('a:b', 1, 60_000);
    await cluster.pause();
    await expect(table.count('a:c', 60_000)).rejects.toThrow();
    await cluster.resume();
    admin = await connect();
    // A crash empties the table.
    expect(await table.get('a:b')).toBeUndefined();
    expect(await table.count('a:c', 60_000)).toMatchObject({ count: 1 });
    await close();
  });
});
