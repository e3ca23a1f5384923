import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import type { HeldLock, InstanceLocks } from '../../instances/instance-locks.js';
import { newClient } from './several-servers.js';
import { translatePostgresError } from './postgres-errors.js';

const CONNECT_MILLISECONDS = 10_000;
/**
 * Seconds of silence until the server probes a connection, seconds between probes, and how many it sends before it
 * drops the connection.
 */
const KEEP_ALIVE = { idle: 10, interval: 5, count: 4 };
/** Milliseconds between two attempts to become the one that leads. */
const CANDIDATE_PAUSE = 5_000;
const LEAD = 'lead';

const BEGIN = `BEGIN;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL tcp_keepalives_idle = ${KEEP_ALIVE.idle};
  SET LOCAL tcp_keepalives_interval = ${KEEP_ALIVE.interval};
  SET LOCAL tcp_keepalives_count = ${KEEP_ALIVE.count}`;
const NUMBER = `hashtextextended('roost ' || current_schema() || ' ' || $1, 0)`;
const TRY = `SELECT pg_try_advisory_xact_lock(${NUMBER}) AS held`;
const WAIT = `SELECT true AS held FROM (SELECT pg_advisory_xact_lock(${NUMBER})) AS waited`;

/**
 * What one instance does at a time (SCALE-24), by locks of PostgreSQL. Each name that is held has a connection of its
 * own with an open transaction, which a pooler leaves alone. The server lets go of it at once when the process ends,
 * and in half a minute when its machine does.
 */
export class AdvisoryLocks implements InstanceLocks {
  private readonly logger = new Logger('Instances');
  private readonly closing = new AbortController();
  private readonly held = new Set<HeldLock>();
  private isLeading = false;

  constructor(private readonly url: string) {}

  tryLock(name: string): Promise<HeldLock | undefined> {
    return this.ask(TRY, name);
  }

  async lock(name: string): Promise<HeldLock> {
    return (await this.ask(WAIT, name))!;
  }

  get leads(): boolean {
    return this.isLeading;
  }

  async campaign(begin: () => void): Promise<void> {
    while (!this.closing.signal.aborted) {
      const lead = await this.tryLock(LEAD).catch(() => undefined);
      if (lead) {
        this.isLeading = true;
        begin();
        await lead.ended;
        this.isLeading = false;
        if (!this.closing.signal.aborted) this.logger.warn('This instance leads no more.');
      }
      await sleep(lead ? 0 : CANDIDATE_PAUSE, undefined, { ref: false, signal: this.closing.signal }).catch(
        () => undefined,
      );
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.held].map((held) => held.release()));
  }

  private async ask(statement: string, name: string): Promise<HeldLock | undefined> {
    const client = await this.connect();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    try {
      await client.query(BEGIN);
      const { rows } = await client.query<{ held: boolean }>(statement, [name]);
      if (!rows[0]!.held) {
        await client.end();
        return undefined;
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw translatePostgresError(error);
    }
    const held: HeldLock = { ended, release: () => client.end().catch(() => undefined) };
    this.held.add(held);
    void ended.then(() => this.held.delete(held));
    return held;
  }

  private async connect(): Promise<Client> {
    const { default: pg } = await import('pg');
    const client = newClient(pg, this.url, { connectionTimeoutMillis: CONNECT_MILLISECONDS });
    // The holder is told by the end of the connection.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw translatePostgresError(error);
    }
  }
}
