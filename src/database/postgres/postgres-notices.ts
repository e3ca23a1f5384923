import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { newClient } from './several-servers.js';

const CHANNEL = 'roost_commits';
/** Milliseconds in which commits are told of together: each of them would cost all others a little. */
const TOGETHER = 50;
const RECONNECT = 1_000;

/**
 * Tells other processes on the same database that something was committed here, and hears of them. It has a connection
 * of its own to listen on, for that belongs to a session.
 */
export class PostgresNotices {
  private readonly logger = new Logger('Database');
  private readonly self = randomUUID();
  private readonly listeners: (() => Promise<void>)[] = [];
  private listening?: pg.Client;
  private due?: NodeJS.Timeout;
  private again?: NodeJS.Timeout;
  private over = false;

  constructor(
    /** Of the database itself: a pooler would give the session to somebody else. */
    private readonly url: string,
    private readonly pool: pg.Pool,
  ) {}

  /** Calls back after another process has committed. Begins to listen. */
  onCommit(listener: () => Promise<void>): void {
    this.listeners.push(listener);
    if (this.listeners.length === 1) void this.listen();
  }

  /** Something was committed here. */
  committed(): void {
    this.due ??= setTimeout(() => void this.tell().catch(() => undefined), TOGETHER).unref();
  }

  /** Tells what is still to be told: a command ends as soon as its work is done. */
  async close(): Promise<void> {
    this.over = true;
    clearTimeout(this.again);
    if (this.due) await this.tell().catch(() => undefined);
    await this.listening?.end().catch(() => undefined);
  }

  private async tell(): Promise<void> {
    clearTimeout(this.due);
    this.due = undefined;
    await this.pool.query('SELECT pg_notify($1, $2)', [CHANNEL, this.self]);
  }

  private async listen(): Promise<void> {
    const client = newClient(pg, this.url);
    this.listening = client;
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      if (payload !== this.self) this.heard();
    });
    client.on('end', () => this.lost());
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      await client.end().catch(() => undefined);
      this.lost();
    }
  }

  /** Whatever was said meanwhile is not said again. */
  private lost(): void {
    if (this.over || this.again) return;
    this.again = setTimeout(() => {
      this.again = undefined;
      void this.listen().then(() => this.heard());
    }, RECONNECT).unref();
  }

  private heard(): void {
    for (const listener of this.listeners) {
      listener().catch((error: Error) => this.logger.warn(`What others have changed cannot be read: ${error.message}`));
    }
  }
}
