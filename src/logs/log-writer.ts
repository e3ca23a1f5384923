import {
  ConsoleLogger,
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { AuxiliaryDatabase } from '../database/auxiliary-database.js';
import type { Clock } from '../kernel/clock.js';
import { LOG_LEVELS, type NewLogEntry, type WaitingEntry } from './log-entry.js';
import { LogRows } from './log-rows.js';
import { RequestEntries } from './request-entries.js';
import { WaitingEntries } from './waiting-entries.js';

/** OPS-87. */
const BATCH = 200;
const PAUSE = 3_000;
const MOST_WAITING = 10_000;

/** Writing many entries takes at most this part of the time, so that it never takes a server up. */
const MOST_TIME = 0.03;
const LONGEST_REST = PAUSE;

/** A disk that fails is mentioned on the console once in this time. */
const COMPLAINT_INTERVAL = 60_000;

/**
 * Takes log entries and writes them a little later, many at once. Taking one costs next to nothing and never fails:
 * when the disk cannot keep up, the oldest entries are dropped and counted.
 */
@Injectable()
export class LogWriter implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly console = new ConsoleLogger('Logs', { prefix: 'Roost' });
  private readonly waiting = new WaitingEntries();
  private dropped = 0;
  private isOpen = false;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private complained = -Infinity;
  /** While it runs, no batch is begun because of its size. */
  private rest: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: LogRows,
    private readonly requestEntries: RequestEntries,
    private readonly database: AuxiliaryDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** From now on there is a place to write to. Entries that were taken before are written then. */
  begin(): void {
    this.isOpen = true;
    this.plan();
  }

  add(entry: NewLogEntry): void {
    this.waiting.add(this.clock.now(), entry);
    if (this.waiting.length > MOST_WAITING) this.drop();
    this.plan();
  }

  /** Forgets what waits. */
  discard(): void {
    this.giveBack(this.waiting.shiftAll());
    this.dropped = 0;
  }

  /** Writes what waits. A failure is told on the console; the entries are kept for another try. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.writing) await this.writing;
    if (!this.isOpen || this.waiting.length === 0) return;
    this.writing = this.database.outside(() => this.write());
    await this.writing;
  }

  /** What has not been written yet is written before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Entries of the shutdown itself. Registered after the others, so that this runs while the file is open. */
  async onApplicationShutdown(): Promise<void> {
    await this.flush();
    this.isOpen = false;
    clearTimeout(this.timer);
    clearTimeout(this.rest);
  }

  private plan(): void {
    if (!this.isOpen || this.waiting.length === 0 || this.writing) return;
    if (this.waiting.length >= BATCH && !this.rest) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), PAUSE).unref();
  }

  private async write(): Promise<void> {
    const entries = this.waiting.shiftAll();
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) entries.push({ at: this.clock.now(), entry: droppedWarning(dropped) });
    const started = performance.now();
    try {
      await this.rows.insert(entries);
      this.giveBack(entries);
    } catch (error) {
      if (dropped > 0) entries.pop();
      this.keep(entries, dropped);
      this.complain(error);
    } finally {
      this.writing = undefined;
      this.restAfter(performance.now() - started);
    }
    if (this.isOpen && this.waiting.length > 0) this.timer ??= setTimeout(() => void this.flush(), PAUSE).unref();
  }

  private restAfter(milliseconds: number): void {
    clearTimeout(this.rest);
    const rest = Math.min(milliseconds / MOST_TIME, LONGEST_REST) - milliseconds;
    this.rest = rest < 1 ? undefined : setTimeout(() => this.endRest(), rest).unref();
  }

  private endRest(): void {
    this.rest = undefined;
    this.plan();
  }

  /** Entries that could not be written wait again. */
  private keep(entries: readonly WaitingEntry[], dropped: number): void {
    this.waiting.unshift(entries);
    this.dropped += dropped;
    if (this.waiting.length > MOST_WAITING) this.drop();
  }

  /** Some room is made at once, because moving the whole list for every entry would be slow. */
  private drop(): void {
    const count = this.waiting.length - MOST_WAITING + BATCH;
    for (const entry of this.waiting.shift(count)) this.requestEntries.giveBack(entry);
    this.dropped += count;
  }

  private giveBack(entries: readonly WaitingEntry[]): void {
    for (const { entry } of entries) this.requestEntries.giveBack(entry);
  }

  private complain(error: unknown): void {
    const now = this.clock.now();
    if (now - this.complained < COMPLAINT_INTERVAL) return;
    this.complained = now;
    this.console.warn(`Log entries cannot be written: ${String(error)}`);
  }
}

function droppedWarning(count: number): NewLogEntry {
  return {
    level: LOG_LEVELS.warn,
    message: `${count} log entries were dropped because they could not be written in time.`,
    data: { type: 'logs', dropped: count },
  };
}
