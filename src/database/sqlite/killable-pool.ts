import { databaseClosed } from '../database.error.js';
import { KillableConnection, type KillableTarget } from './killable-connection.js';
import { TurnQueue } from '../../kernel/turn-queue.js';

const IDLE_MILLISECONDS = 60_000;

interface IdleConnection {
  readonly connection: KillableConnection;
  readonly timer: NodeJS.Timeout;
}

/** A connection that nobody else uses until it is released. */
export interface AcquiredConnection {
  readonly connection: KillableConnection;
  release(): void;
}

/**
 * A few killable connections to one file. They are started when needed, serve one request at a time, and end after a
 * minute without work, except for one when the pool was warmed up. A killed one is not used again.
 */
export class KillablePool {
  private readonly idle: IdleConnection[] = [];
  private readonly working = new Set<KillableConnection>();
  private readonly places: TurnQueue;
  private readonly starting = new Set<Promise<KillableConnection>>();
  private closed = false;
  /** How many are kept without work. */
  private keeps = 0;

  constructor(
    private readonly target: KillableTarget,
    size: number,
  ) {
    this.places = new TurnQueue(size);
  }

  /**
   * Runs work on a connection of its own, in order of arrival when all are busy; clients take turns. The signal ends the
   * waiting only.
   */
  async use<T>(
    work: (connection: KillableConnection) => Promise<T>,
    signal?: AbortSignal,
    client?: string,
  ): Promise<T> {
    const { connection, release } = await this.acquire(signal, client);
    try {
      return await work(connection);
    } catch (error) {
      // Not the fault of a process that was killed in the middle of a statement.
      throw this.closed ? databaseClosed() : error;
    } finally {
      release();
    }
  }

  /** As `use`, for work that ends elsewhere. The caller must call `release`. */
  async acquire(signal?: AbortSignal, client?: string): Promise<AcquiredConnection> {
    const leave = await this.places.acquire(signal, client);
    try {
      const connection = await this.take();
      this.working.add(connection);
      const release = (): void => {
        this.working.delete(connection);
        this.keep(connection);
        leave();
      };
      return { connection, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** As `use` when a connection is idle; undefined otherwise. */
  async useIdle<T>(work: (connection: KillableConnection) => Promise<T>): Promise<T | undefined> {
    if (this.idle.length === 0) return undefined;
    const { connection, release } = await this.acquire();
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  /** Starts a connection, unless there is one, and keeps it from then on. */
  async warmUp(): Promise<void> {
    this.keeps = 1;
    if (this.closed || this.idle.length + this.working.size > 0) return;
    const { release } = await this.acquire();
    release();
  }

  /** Kills every process, also in the middle of a statement. */
  async close(): Promise<void> {
    this.closed = true;
    const connections = [...this.working, ...this.idle.map(({ connection }) => connection)];
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    await Promise.all(connections.map((connection) => connection.kill()));
    // One that is only starting opens the files all the same.
    await Promise.allSettled(this.starting);
  }

  private async take(): Promise<KillableConnection> {
    for (let kept = this.idle.pop(); kept; kept = this.idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.connection.isAlive) return kept.connection;
    }
    if (this.closed) throw databaseClosed();
    const starting = this.start();
    this.starting.add(starting);
    try {
      return await starting;
    } finally {
      this.starting.delete(starting);
    }
  }

  private async start(): Promise<KillableConnection> {
    const started = await KillableConnection.start(this.target);
    if (!this.closed) return started;
    await started.kill();
    throw databaseClosed();
  }

  private keep(connection: KillableConnection): void {
    if (this.closed || !connection.isAlive) return;
    const timer = setTimeout(() => this.endIdle(connection), IDLE_MILLISECONDS).unref();
    this.idle.push({ connection, timer });
  }

  /** Ends an idle connection unless it is one of those that are kept. */
  private endIdle(connection: KillableConnection): void {
    if (this.idle.length <= this.keeps) return;
    const place = this.idle.findIndex((kept) => kept.connection === connection);
    this.idle.splice(place, 1);
    void connection.kill();
  }
}
