import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { AuxiliaryDatabase } from '../database/database.js';
import { type Clock, timeAt } from '../kernel/clock.js';
import { LOG_LEVELS, type NewLogEntry, type WaitingEntry } from './log-entry.js';
import { BATCH, LogRows } from './log-rows.js';
import { ProcessConsole } from './process-console.js';

const PAUSE = 3_000;
const MOST_WAITING = 10_000;

/**
 * The load of the event loop above which fewer entries may wait. Entries are dropped then anyway, and writing the rest
 * takes processor time from the requests they are about.
 */
const BUSY = 0.8;
const MOST_WAITING_IN_FLOOD = MOST_WAITING / 5;

/** The part of the time that writing many entries may take. */
const MOST_TIME = 0.03;
const LONGEST_REST = PAUSE;

/** A disk that fails is mentioned on the console once in this time. */
const COMPLAINT_INTERVAL = 60_000;

/**
 * Collects log entries and writes them a little later, many at once. Adding one is cheap and never fails: when the disk
 * is too slow, the oldest entries are dropped and counted.
 */
@Injectable()
export class LogWriter implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly console = new ProcessConsole({ dev: false, context: 'Logs' });
  /** In the order in which they came. */
  private waiting: WaitingEntry[] = [];
  /** The number of waiting entries above which the oldest ones are dropped. */
  private most = MOST_WAITING;
  /** How many were dropped since some were written. */
  private dropped = 0;
  private isOpen = false;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private complained = -Infinity;
  /** When those that were written last had been taken, by `performance.now()`. */
  private lastTaken = -Infinity;
  /** What the event loop had done until then. */
  private lastLoad = performance.eventLoopUtilization();
  /** While this timer runs, no batch is started because of its size. */
  private rest: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: LogRows,
    private readonly database: AuxiliaryDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** To be called when the database is open; entries that were added before are written then. */
  begin(): void {
    this.isOpen = true;
    this.plan();
  }

  /** `moment`: when it happened, by `performance.now()`; now when absent. */
  add(entry: NewLogEntry, moment?: number): void {
    const at = moment === undefined ? this.clock.now() : timeAt(this.clock, moment);
    if (this.waiting.length >= this.most) this.drop();
    this.waiting.push({ at, entry });
    this.plan();
  }

  /** Drops the waiting entries. */
  discard(): void {
    this.waiting = [];
    this.dropped = 0;
  }

  /** Writes what waits. A failure is told on the console; the entries are kept for another try. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.writing) await this.writing;
    if (!this.isOpen || this.waiting.length === 0) return;
    this.writing = this.database.runOutside(() => this.write());
    await this.writing;
  }

  /**
   * As `flush`, for reading what was written. It waits no longer than entries may take anyway, because a busy machine
   * or a slow disk can take much longer.
   */
  async flushSoon(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, PAUSE)));
    await Promise.race([this.flush(), limit]);
    clearTimeout(timer);
  }

  /** What has not been written yet is written before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes the entries of the shutdown itself; registered last, so the file is still open. */
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
    const { waiting, dropped } = this;
    this.waiting = [];
    this.dropped = 0;
    const started = performance.now();
    const load = performance.eventLoopUtilization();
    const came = dropped + waiting.length;
    const isExcess = (came / Math.max(started - this.lastTaken, PAUSE)) * PAUSE > MOST_WAITING;
    const isFlood = isExcess && performance.eventLoopUtilization(load, this.lastLoad).utilization > BUSY;
    // Before writing, which takes seconds under such a load.
    this.most = isFlood ? MOST_WAITING_IN_FLOOD : MOST_WAITING;
    try {
      await this.rows.insert(dropped > 0 ? [...waiting, this.droppedWarning(dropped)] : waiting);
      this.lastTaken = started;
      this.lastLoad = load;
    } catch (error) {
      this.most = MOST_WAITING;
      this.waiting = [...waiting, ...this.waiting];
      this.dropped += dropped;
      while (this.waiting.length > this.most) this.drop();
      this.complain(error);
    } finally {
      this.writing = undefined;
      this.restFor(isFlood ? LONGEST_REST : (performance.now() - started) / MOST_TIME);
    }
    if (this.isOpen && this.waiting.length > 0) this.timer ??= setTimeout(() => void this.flush(), PAUSE).unref();
  }

  private restFor(milliseconds: number): void {
    clearTimeout(this.rest);
    const rest = Math.min(milliseconds, LONGEST_REST);
    this.rest = rest < 1 ? undefined : setTimeout(() => this.endRest(), rest).unref();
  }

  private endRest(): void {
    this.rest = undefined;
    this.plan();
  }

  /** Drops many at once, because each time the rest has to be moved. */
  private drop(): void {
    this.dropped += this.waiting.splice(0, BATCH).length;
  }

  private droppedWarning(count: number): WaitingEntry {
    const entry = {
      level: LOG_LEVELS.warn,
      message: `${count} log entries were dropped because they could not be written in time.`,
      data: { type: 'logs', dropped: count },
    };
    return { at: this.clock.now(), entry };
  }

  private complain(error: unknown): void {
    const now = this.clock.now();
    if (now - this.complained < COMPLAINT_INTERVAL) return;
    this.complained = now;
    this.console.warn(`Log entries cannot be written: ${String(error)}`);
  }
}
