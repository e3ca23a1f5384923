import { addressOf } from './postgres/postgres-address.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { translatePostgresError } from './postgres/postgres-errors.js';

const CONNECT_MILLISECONDS = 10_000;
/** Seconds until the server begins to doubt that a silent instance is alive, between its questions, and how many it asks. */
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

/** A name that this instance holds among all instances. */
export interface HeldName {
  /** Resolves when it is held no more: let go of, or the connection to the server has ended. */
  readonly ended: Promise<void>;
  /** Lets go of it; calling it again does nothing. */
  release(): Promise<void>;
}

/**
 * What one instance does at a time (SCALE-24), by locks of PostgreSQL. Each name that is held has a connection of its own
 * with an open transaction, which a pooler leaves alone. The server lets go of it at once when the process ends, and in
 * half a minute when its machine does.
 */
export class OneInstance {
  private readonly logger = new Logger('Instances');
  private readonly closing = new AbortController();
  private readonly held = new Set<HeldName>();
  private isLeading = false;

  constructor(private readonly url: string) {}

  /** Holds a name when it is free; undefined when another instance, or another part of this one, holds it. */
  tryHold(name: string): Promise<HeldName | undefined> {
    return this.ask(TRY, name);
  }

  /** As `tryHold`, and waits until it is free. */
  async hold(name: string): Promise<HeldName> {
    return (await this.ask(WAIT, name))!;
  }

  /** Does work unless another instance is doing it; false when one is. Rejects with what the work throws. */
  async runExclusively(name: string, work: () => unknown): Promise<boolean> {
    const held = await this.tryHold(name);
    if (!held) return false;
    try {
      await work();
      return true;
    } finally {
      await held.release();
    }
  }

  /** Whether this is the instance that does what only one may do. */
  get leads(): boolean {
    return this.isLeading;
  }

  /** Tries to lead, now and whenever nobody does, and calls back each time it comes to. */
  async campaign(begin: () => void): Promise<void> {
    while (!this.closing.signal.aborted) {
      const lead = await this.tryHold(LEAD).catch(() => undefined);
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

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.held].map((held) => held.release()));
  }

  private async ask(statement: string, name: string): Promise<HeldName | undefined> {
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
    const held: HeldName = { ended, release: () => client.end().catch(() => undefined) };
    this.held.add(held);
    void ended.then(() => this.held.delete(held));
    return held;
  }

  private async connect(): Promise<Client> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      ...addressOf(this.url),
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE.idle * 1000,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      application_name: 'roost',
    });
    // Whoever holds something is told by its end.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw translatePostgresError(error);
    }
  }
}
