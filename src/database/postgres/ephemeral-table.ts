import { createHash } from 'node:crypto';
import type { Pool, QueryResult } from 'pg';
import { newPool } from './several-servers.js';
import { translatePostgresError } from './postgres-errors.js';

/** Connections of its own, because those of the pool may be waiting for a transaction that waits for a count. */
const CONNECTIONS = 3;
/** Milliseconds to get one and to be answered: what is asked here is asked on the way of a request. */
const PATIENCE = 2_000;
/** Rows deleted in one step. */
const STEP = 5_000;

const ENDS = "clock_timestamp() + $3 * interval '1 millisecond'";
const IS_OVER = 'old."ends" <= clock_timestamp()';

const GET = 'SELECT "value" FROM "_ephemeral" WHERE "space" = $1 AND "key" = $2 AND "ends" > clock_timestamp()';
const SET = `INSERT INTO "_ephemeral" AS old ("space", "key", "value", "ends") VALUES ($1, $2, $4, ${ENDS})
  ON CONFLICT ("space", "key") DO UPDATE SET "value" = excluded."value", "count" = NULL, "ends" = excluded."ends"`;
const SET_IF_ABSENT = `${SET} WHERE ${IS_OVER}`;
const TAKE = `DELETE FROM "_ephemeral" WHERE "space" = $1 AND "key" = $2
  RETURNING CASE WHEN "ends" > clock_timestamp() THEN "value" END AS "value"`;
const DELETE = 'DELETE FROM "_ephemeral" WHERE "space" = $1 AND "key" = $2';
const LEFT = 'extract(epoch FROM "ends" - clock_timestamp()) * 1000';
const COUNT = `INSERT INTO "_ephemeral" AS old ("space", "key", "count", "ends") VALUES ($1, $2, 1, ${ENDS})
  ON CONFLICT ("space", "key") DO UPDATE SET
    "count" = CASE WHEN ${IS_OVER} THEN 1 ELSE old."count" + 1 END,
    "ends" = CASE WHEN ${IS_OVER} THEN excluded."ends" ELSE old."ends" END
  RETURNING "count"::float8 AS "count", (${LEFT})::float8 AS "left"`;
const READ = `SELECT "count"::float8 AS "count", (${LEFT})::float8 AS "left" FROM "_ephemeral"
  WHERE "space" = $1 AND "key" = $2 AND "ends" > clock_timestamp()`;
const CLEAR = 'DELETE FROM "_ephemeral" WHERE "space" = $1';
const DELETE_OVER = `DELETE FROM "_ephemeral" WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM "_ephemeral" WHERE "ends" <= clock_timestamp() LIMIT ${STEP} FOR UPDATE SKIP LOCKED))`;

interface Window {
  readonly count: number;
  readonly left: number;
}

/**
 * What is remembered for a short time, in a table of PostgreSQL that is not written to its log. Every method is one
 * statement, by the clock of the server and outside of any transaction: what a batch that fails has counted stays
 * counted. Keys are kept as hashes: they may be long, and hold addresses of people.
 */
export class EphemeralTable {
  private pool: Promise<Pool> | undefined;

  constructor(private readonly url: string) {}

  async get<Value>(key: string): Promise<Value | undefined> {
    return valueOf((await this.run<{ value: string | null }>(GET, placeOf(key))).rows);
  }

  async set(key: string, value: unknown, milliseconds: number): Promise<void> {
    await this.run(SET, [...placeOf(key), milliseconds, JSON.stringify(value)]);
  }

  async setIfAbsent(key: string, value: unknown, milliseconds: number): Promise<boolean> {
    const { rowCount } = await this.run(SET_IF_ABSENT, [...placeOf(key), milliseconds, JSON.stringify(value)]);
    return rowCount === 1;
  }

  async take<Value>(key: string): Promise<Value | undefined> {
    return valueOf((await this.run<{ value: string | null }>(TAKE, placeOf(key))).rows);
  }

  async delete(key: string): Promise<void> {
    await this.run(DELETE, placeOf(key));
  }

  async count(key: string, milliseconds: number): Promise<Window> {
    return (await this.run<Window>(COUNT, [...placeOf(key), milliseconds])).rows[0]!;
  }

  async read(key: string): Promise<Window | undefined> {
    return (await this.run<Window>(READ, placeOf(key))).rows[0];
  }

  /** Forgets all keys of a space. */
  async clear(space: string): Promise<void> {
    await this.run(CLEAR, [space]);
  }

  /** Deletes expired rows, in steps. Processes that do so at the same time take different rows. */
  async prune(): Promise<void> {
    while ((await this.run(DELETE_OVER, [])).rowCount === STEP);
  }

  async close(): Promise<void> {
    await (await this.pool)?.end();
  }

  private async run<Row extends object>(text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    try {
      const pool = await (this.pool ??= this.connect());
      return await pool.query<Row>(text, [...values]);
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  /** The driver is loaded only where it is needed. */
  private async connect(): Promise<Pool> {
    const { default: pg } = await import('pg');
    const pool = newPool(pg, this.url, {
      max: CONNECTIONS,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    // A broken idle connection is replaced by the pool.
    pool.on('error', () => undefined);
    return pool;
  }
}

function placeOf(key: string): [space: string, hash: Buffer] {
  return [key.slice(0, key.indexOf(':')), createHash('sha256').update(key).digest()];
}

function valueOf<Value>([row]: readonly { readonly value: string | null }[]): Value | undefined {
  return row?.value == null ? undefined : (JSON.parse(row.value) as Value);
}
