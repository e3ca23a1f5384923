import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { clientOf } from '../../http/request/client-ip.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { statementKey } from '../../kernel/sql/bound-sql.js';
import type { CompiledSql } from '../compiled-sql.js';
import { SlowStatements } from '../slow-statements.js';
import { lruCache } from '../../kernel/lru-cache.js';
import { TurnQueue, type EndTurn } from '../../kernel/turn-queue.js';
import { CostEstimator, type Estimate } from './cost-estimator.js';
import type { KillableConnection } from './killable-connection.js';
import type { KillablePool } from './killable-pool.js';
import { ProcessUnavailableError } from '../process-unavailable.error.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import type { ValueLimits } from './query-cost.js';
import { hasWord } from './sqlite-text.js';
import { withinLimit } from './time-limit.js';
import { limitsOf, USUAL_LIMITS } from './value-limits.js';

/** So few rows take some milliseconds at most, whatever is done with them. */
const SMALL_VISITS = 30_000;
/** Statements with such a worst case usually take a few milliseconds. */
const SMALL_MICROSECONDS = 15_000;
/** A scan of so many rows, which may find nothing, is never tried on this thread. */
const LARGE_SCAN = 200_000;
/** Up to this worst case a statement may run here again with exactly the values it was quick with. */
const BEARABLE_MICROSECONDS = 100_000;
const QUICK_MILLISECONDS = 5;
/** Statements with a smaller worst case are not measured. */
const NOTABLE_MICROSECONDS = 1000;
/**
 * A single run that was no slower than this does not count: on a busy machine a quick statement may be kept waiting.
 */
const DOUBTFUL_MILLISECONDS = 50;
const REMEMBERED_STATEMENTS = 2000;
const REMEMBERED_CHARACTERS = 2_000_000;
const LONGEST_KEY = 4000;
/** A statement that took longer the last time may not occupy all child processes. */
const SLOW_MILLISECONDS = 100;
const SLOW_AT_ONCE = 2;
const ASIDE_SECONDS = 20;
/** When the rows were not at the beginning, that is tried again after so many runs. */
const PAUSE = 15;

/** What was learnt from runs of a statement, with whatever values. */
interface RunHistory {
  /** It took long although its estimate was small: it never runs on this thread again. */
  alwaysOffThread: boolean;
  /** The last run on this thread was slow; a second one in a row sets `alwaysOffThread`. */
  wasSlowHere: boolean;
  /** The last run in a child process took long. */
  isSlow: boolean;
}

interface ReadPlan {
  readonly generation: number;
  readonly estimate: Estimate;
  readonly isSmall: boolean;
  /** Whether the same values may be tried here once they have been quick. */
  readonly mayBeTriedHere: boolean;
}

/**
 * Decides where a reading statement runs: on this thread, where a small one is cheapest but nothing can be cut off, or
 * in a child process that can be killed, so that a slow one blocks nobody (SCALE-3).
 *
 * A statement runs on this thread when its estimate is small: for all values of an ordinary length at once, and for
 * other values by themselves. Its runs can move it to the child process for good; quick runs only count for exactly the
 * same values, while the tables stay as they were.
 *
 * For a page that has a `beginning`, that is tried first where it is small: an ordinary filter finds a page of a large
 * table among the first few hundred rows.
 */
export class ReadRouter {
  private readonly plans = lruCache<string, ReadPlan>(REMEMBERED_STATEMENTS);
  /** Of every statement, which of its values are patterns. */
  private readonly patterns = lruCache<string, readonly number[]>(REMEMBERED_STATEMENTS);
  private readonly histories = lruCache<string, RunHistory>(REMEMBERED_STATEMENTS);
  /** The plans of statements with values that were quick. */
  private readonly quick = new LRUCache<string, ReadPlan>({
    max: REMEMBERED_STATEMENTS,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
  });
  /** Statements that run in a child process, or on this thread when they may be slow; quick ones are not measured. */
  readonly slow = new SlowStatements();
  /** How often a statement is not looked for at the beginning, because its rows were not there. */
  private readonly pauses = lruCache<string, number>(REMEMBERED_STATEMENTS);
  private readonly logger = new Logger('Database');
  private readonly estimates: CostEstimator;
  private readonly slowLane = new TurnQueue(SLOW_AT_ONCE);
  private hasWarned = false;
  private generation = 0;

  constructor(
    private readonly reader: SqliteConnection,
    private readonly processes: KillablePool,
    private readonly options: { readonly driver: SqliteDriver; readonly queryTimeout: number },
  ) {
    this.estimates = new CostEstimator(reader, (statement) => this.readAside(statement));
  }

  read<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    const plan = this.plans.get(statement.sql);
    if (plan?.isSmall && this.holds(plan) && limitsOf(statement.params, plan.estimate.patterns) === USUAL_LIMITS) {
      return this.readHere<Row>(statement, plan);
    }
    return this.readWithCare<Row>(statement);
  }

  /** Whether it would run on this thread. */
  isSmall(statement: CompiledSql): MaybePromise<boolean> {
    const patterns = this.patterns.get(statement.sql);
    const plan = patterns && this.plans.get(planKey(statement.sql, limitsOf(statement.params, patterns)));
    return plan && this.holds(plan) ? plan.isSmall : this.planOf(statement).then(({ isSmall }) => isSmall);
  }

  /** Runs it in a child process, for so many seconds at most. */
  async readWithin<Row>(statement: CompiledSql, seconds: number): Promise<Row[]> {
    const { queryTimeout } = this.options;
    const limit = queryTimeout > 0 ? Math.min(queryTimeout, seconds) : seconds;
    return (await this.readOffThread<Row>(statement, limit)).rows;
  }

  /** To be called when the schema has changed. */
  forgetEstimates(): void {
    this.generation += 1;
    this.estimates.statistics.forget();
  }

  /** To be called when another process has written to the file. */
  markEstimatesStale(): void {
    this.estimates.statistics.markStale();
  }

  /** To be called when a statement of this process has changed rows. */
  written(statement: CompiledSql, rows: number): void {
    this.estimates.statistics.written(statement, rows);
  }

  /** To be called when no transaction of this process is open. */
  settled(): void {
    this.estimates.statistics.settle();
  }

  private async readWithCare<Row>(statement: CompiledSql): Promise<Row[]> {
    const plan = await this.planOf(statement);
    if (plan.isSmall) return this.readHere<Row>(statement, plan);
    const key = plan.mayBeTriedHere ? statementKey(statement) : '';
    if (key !== '' && this.quick.get(key) === plan && !this.histories.get(statement.sql)?.alwaysOffThread) {
      return this.readHere<Row>(statement, plan);
    }
    const found = await this.readBeginning<Row>(statement);
    if (found) return found;
    const { rows, milliseconds } = await this.readOffThread<Row>(statement);
    if (milliseconds <= QUICK_MILLISECONDS && key !== '' && key.length <= LONGEST_KEY) this.quick.set(key, plan);
    return rows;
  }

  /** All its rows, where they are among the first of its table and finding them there is small; otherwise undefined. */
  private async readBeginning<Row>({ sql, beginning }: CompiledSql): Promise<Row[] | undefined> {
    if (!beginning) return undefined;
    const pause = this.pauses.get(sql) ?? 0;
    if (pause > 0) {
      this.pauses.set(sql, pause - 1);
      return undefined;
    }
    const statement = beginning.statement();
    const plan = await this.planOf(statement);
    const rows = plan.isSmall ? await this.readHere<Row>(statement, plan) : [];
    if (rows.length >= beginning.enough) return rows;
    this.pauses.set(sql, PAUSE);
    return undefined;
  }

  private readHere<Row>(statement: CompiledSql, plan: ReadPlan): MaybePromise<Row[]> {
    const { driver } = this.options;
    if (!driver.blocks || plan.estimate.microseconds < NOTABLE_MICROSECONDS) return this.reader.all<Row>(statement);
    const before = process.resourceUsage();
    const started = performance.now();
    const rows = this.reader.all<Row>(statement);
    const milliseconds = performance.now() - started;
    this.slow.add(statement.sql, milliseconds);
    this.noteRunHere(statement, milliseconds > DOUBTFUL_MILLISECONDS && hasWorked(before));
    return rows;
  }

  private noteRunHere({ sql }: CompiledSql, isLong: boolean): void {
    const history = this.histories.get(sql) ?? (isLong ? this.historyOf(sql) : undefined);
    if (!history) return;
    if (isLong && history.wasSlowHere) {
      history.alwaysOffThread = true;
      this.plans.delete(sql);
    }
    history.wasSlowHere = isLong;
  }

  private historyOf(sql: string): RunHistory {
    let history = this.histories.get(sql);
    if (!history) {
      history = { alwaysOffThread: false, wasSlowHere: false, isSlow: false };
      this.histories.set(sql, history);
    }
    return history;
  }

  /** Reads statistics of tables in a child process that is idle, for a few seconds at most. */
  private readAside<Row>({ sql, params }: CompiledSql): Promise<Row[] | undefined> {
    const request = { kind: 'all', sql, params: [...params] } as const;
    return this.processes.useIdle(async (connection) => {
      const ask = (signal?: AbortSignal) => connection.request<Row[]>(request, signal);
      return (await withinLimit(ASIDE_SECONDS, ask)).result;
    });
  }

  private async readOffThread<Row>(statement: CompiledSql, seconds = this.options.queryTimeout): Promise<Timed<Row>> {
    const history = this.histories.get(statement.sql);
    const client = clientOf(statement.ip ?? '');
    let leave: EndTurn | undefined;
    try {
      // Waiting for a free process has the same limit as running, but does not shorten it.
      return await withinLimit(seconds, async (signal) => {
        if (history?.isSlow) leave = await this.slowLane.acquire(signal, client);
        return this.processes.use((connection) => this.request<Row>(connection, statement, seconds), signal, client);
      });
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      this.warnOnce(error);
      return { rows: await this.reader.all<Row>(statement), milliseconds: Infinity };
    } finally {
      leave?.();
    }
  }

  private async request<Row>(
    connection: KillableConnection,
    { sql, params }: CompiledSql,
    seconds: number,
  ): Promise<Timed<Row>> {
    const { driver } = this.options;
    const request = { kind: 'all', sql, params: params.map((value) => driver.toNative(value)) } as const;
    let took = Infinity;
    try {
      const { result, milliseconds } = await withinLimit(seconds, (signal) =>
        connection.request<Row[]>(request, signal),
      );
      took = milliseconds;
      this.slow.add(sql, milliseconds);
      return { rows: result, milliseconds };
    } finally {
      if (took > SLOW_MILLISECONDS) this.historyOf(sql).isSlow = true;
      else if (this.histories.has(sql)) this.historyOf(sql).isSlow = false;
    }
  }

  private warnOnce(error: ProcessUnavailableError): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(`Slow statements hold up others, because no process can be started for them: ${error.message}`);
  }

  private async planOf(statement: CompiledSql): Promise<ReadPlan> {
    const { sql, params } = statement;
    const patterns = this.patterns.get(sql);
    const known = patterns && this.plans.get(planKey(sql, limitsOf(params, patterns)));
    if (known && this.holds(known)) return known;
    const { generation } = this;
    const estimate = await this.estimates.of(statement);
    const { visits, largestScan, microseconds } = estimate;
    const isTrusted = !this.histories.get(sql)?.alwaysOffThread;
    const isBounded = visits < Infinity && (largestScan <= LARGE_SCAN || !hasWord(sql, 'WHERE'));
    const plan: ReadPlan = {
      generation,
      estimate,
      isSmall: isTrusted && visits <= SMALL_VISITS && microseconds <= SMALL_MICROSECONDS,
      mayBeTriedHere: isTrusted && isBounded && microseconds <= BEARABLE_MICROSECONDS,
    };
    this.patterns.set(sql, estimate.patterns);
    this.plans.set(planKey(sql, estimate.limits), plan);
    return plan;
  }

  private holds({ generation, estimate }: ReadPlan): boolean {
    if (generation !== this.generation) return false;
    for (const { isKept } of estimate.assumptions) if (!isKept) return false;
    return true;
  }
}

/**
 * Whether the process did so much work or disk reading meanwhile that the statement itself was slow, and not the
 * machine busy.
 */
function hasWorked(before: NodeJS.ResourceUsage): boolean {
  const { userCPUTime, systemCPUTime, fsRead } = process.resourceUsage();
  const milliseconds = (userCPUTime - before.userCPUTime + systemCPUTime - before.systemCPUTime) / 1000;
  return milliseconds > DOUBTFUL_MILLISECONDS || fsRead > before.fsRead;
}

/** Rows, and the milliseconds the database took for them. */
interface Timed<Row> {
  readonly rows: Row[];
  readonly milliseconds: number;
}

function planKey(sql: string, limits: ValueLimits): string {
  return limits === USUAL_LIMITS ? sql : `${sql}\0${limits.bytes},${limits.items},${limits.effort}`;
}
