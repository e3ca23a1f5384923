import { Logger } from '@nestjs/common';
import pg, { type PoolClient } from 'pg';
import { unlessAborted } from '../../kernel/unless-aborted.js';
import { paceReading } from './paced-reading.js';
import { requireKnownTls } from './postgres-address.js';
import { translatePostgresError } from './postgres-errors.js';
import { PostgresNotices } from './postgres-notices.js';
import type { PostgresOptions } from './postgres-options.js';
import { runOn } from './postgres-statement.js';
import { newClient, newPool } from './several-servers.js';

const CONNECT_MILLISECONDS = 10_000;

/** The pool of connections to one database, and the way past it. */
export class PostgresPool {
  /** What is said to a session behind a pooler is forgotten, or belongs to somebody else. */
  readonly isBehindPooler: boolean;
  /**
   * What a transaction begins with, so that its statements are cut off. Empty where the connections know the limits.
   */
  readonly limits: string;
  private readonly logger = new Logger('Database');
  private readonly pool: pg.Pool;
  private readonly directUrl: string;
  private readonly notices?: PostgresNotices;

  constructor(options: PostgresOptions) {
    const { url, directUrl = url, queryTimeout, lockTimeout } = options;
    requireKnownTls(url);
    requireKnownTls(directUrl);
    this.directUrl = directUrl;
    this.isBehindPooler = directUrl !== url;
    this.limits = this.isBehindPooler ? limitsOf(options) : '';
    this.pool = newPool(pg, url, {
      max: options.pool,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      // A pooler refuses connections that say more about themselves than it knows.
      ...(!this.isBehindPooler && {
        statement_timeout: inMilliseconds(queryTimeout),
        ...(lockTimeout !== undefined && { lock_timeout: inMilliseconds(lockTimeout) }),
      }),
      pipeline: true,
    });
    if (options.tellsOthers) this.notices = new PostgresNotices(directUrl, this.pool);
    // Whoever uses a connection that breaks is told by its statement, and whoever needs the next one gets another.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.pool.on('connect', paceReading);
    this.pool.on('error', (error) => this.logger.warn(`A connection to the database has ended: ${error.message}`));
  }

  /** Whether whoever wants a connection has to wait for others. */
  get isBusy(): boolean {
    const { options, totalCount, idleCount } = this.pool;
    return idleCount === 0 && totalCount >= options.max;
  }

  /** A connection of one's own, when one is free. An aborted signal gives up the place and rejects with its reason. */
  async connect(signal?: AbortSignal): Promise<PoolClient> {
    signal?.throwIfAborted();
    const connecting = this.pool.connect();
    try {
      return await (signal ? unlessAborted(() => connecting, signal) : connecting);
    } catch (error) {
      // It comes later, or never.
      connecting.then((client) => client.release()).catch(() => undefined);
      throw translatePostgresError(error);
    }
  }

  /** On a connection outside of the pool, all of whose places may be taken by those that wait for it. */
  async directly<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const other = newClient(pg, this.directUrl, { connectionTimeoutMillis: CONNECT_MILLISECONDS });
    // Whatever goes wrong on it, the answer to the query does not come.
    other.on('error', () => undefined);
    try {
      await other.connect();
      return await work(other);
    } finally {
      await other.end().catch(() => undefined);
    }
  }

  /** A transaction that no code but this work is a part of. */
  async inTransaction<T>(
    begin: 'BEGIN' | 'BEGIN READ ONLY',
    work: (client: PoolClient) => Promise<T>,
    committing?: () => void,
  ): Promise<T> {
    const client = await this.connect();
    let isBroken = true;
    try {
      await runOn(client, { sql: begin, params: [] });
      const result = await work(client);
      committing?.();
      await runOn(client, { sql: 'COMMIT', params: [] });
      isBroken = false;
      this.committed();
      return result;
    } catch (error) {
      isBroken = await runOn(client, { sql: 'ROLLBACK', params: [] }).then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** Stops what this process of the server is doing. */
  async cancel(process: number): Promise<void> {
    await this.directly((other) => other.query('SELECT pg_cancel_backend($1)', [process]));
  }

  /** Something was committed here: others have to hear of it. */
  committed(): void {
    this.notices?.committed();
  }

  /** Calls back after another process has committed. */
  onCommit(listener: () => Promise<void>): void {
    this.notices?.onCommit(listener);
  }

  /** Waits for the transactions that have begun. */
  async close(): Promise<void> {
    await this.notices?.close();
    await this.pool.end();
  }
}

/** Cuts off the statements of this transaction alone: a pooler may give the connection to somebody else after it. */
export async function limitStatements(client: PoolClient, seconds: number): Promise<void> {
  const params = [String(inMilliseconds(seconds))];
  await runOn(client, { sql: "SELECT set_config('statement_timeout', $1, true)", params });
}

function limitsOf({ queryTimeout, lockTimeout }: PostgresOptions): string {
  const locks = lockTimeout === undefined ? '' : ` SET LOCAL lock_timeout = ${inMilliseconds(lockTimeout)};`;
  return ` SET LOCAL statement_timeout = ${inMilliseconds(queryTimeout)};${locks}`;
}

function inMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}
