import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { statementKey } from '../../kernel/sql/bound-sql.js';
import type { CompiledSql } from '../compiled-sql.js';
import { SlowStatements } from '../slow-statements.js';
import { TurnQueue, type EndTurn } from '../../kernel/turn-queue.js';
import { CostEstimator, type Estimate } from './cost-estimator.js';
import type { KillableConnection } from './killable-connection.js';
import type { KillablePool } from './killable-pool.js';
import { ProcessUnavailableError } from '../process-unavailable.error.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import type { ValueLimits } from './query-cost.js';
import { hasWord } from './sqlite-text.js';
import { withinLimit } from './time-limit.js';
import { limitsOf, ORDINARY } from './value-limits.js';

/** So few rows are read in some milliseconds whatever is done with them. */
const SMALL_VISITS = 30_000;
/** What may take so long at worst takes a few milliseconds as a rule. */
const SMALL_MICROSECONDS = 15_000;
/** Searching that many rows for ones that may not be there is never tried on this thread. */
const LARGE_SCAN = 200_000;
/** What is no worse than this may be tried here again with the very values it was quick with. */
const BEARABLE_MICROSECONDS = 100_000;
const QUICK_MILLISECONDS = 5;
/** Worth looking at the clock for. */
const NOTABLE_MICROSECONDS = 1000;
/** A single run up to here proves nothing: on a crowded machine a quick statement may be kept waiting. */
const DOUBTFUL_MILLISECONDS = 50;
const REMEMBERED_STATEMENTS = 2000;
const REMEMBERED_CHARACTERS = 2_000_000;
const LONGEST_KEY = 4000;
/** A statement that took longer last time may not occupy all processes. */
const SLOW_MILLISECONDS = 100;
const SLOW_AT_ONCE = 2;
const ASIDE_SECONDS = 20;
/** What was sought at the beginning in vain is sought there again after so many times. */
const PAUSE = 15;

/** What the runs of a statement have shown, whatever their values were. */
interface RunHistory {
  /** It took long although it should not have: it never runs here again. */
  alwaysOffThread: boolean;
  /** The last run here was not quick; another such one decides. */
  wasSlowHere: boolean;
  /** The last run apart took long. */
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
 * Decides where a reading statement runs: here, where a small one is cheapest but nothing can be cut off, or apart,
 * in a process that can be killed, so that a slow one holds up nobody (SCALE-3).
 *
 * A statement runs here if its estimate shows that it is small: once for all values that are of an ordinary length, and
 * for others by themselves. What its runs cost can only speak against it; that some values were quick says something
 * about just these values, as long as the tables are as they were.
 *
 * A page that has a `beginning` is looked for there first, where that is small: an ordinary filter finds a page of a large
 * table within the first few hundred rows.
 */
export class ReadRouter {
  private readonly plans = new LRUCache<string, ReadPlan>({ max: REMEMBERED_STATEMENTS });
  /** Of every statement, which of its values are patterns. */
  private readonly patterns = new LRUCache<string, readonly number[]>({ max: REMEMBERED_STATEMENTS });
  private readonly histories = new LRUCache<string, RunHistory>({ max: REMEMBERED_STATEMENTS });
  /** The plans of statements with values that were quick. */
  private readonly quick = new LRUCache<string, ReadPlan>({
    max: REMEMBERED_STATEMENTS,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
  });
  /** Those that run apart, or here where they may be felt: what is quick is not measured. */
  readonly slow = new SlowStatements();
  /** How often a statement is not looked for at the beginning, because its rows were not there. */
  private readonly pauses = new LRUCache<string, number>({ max: REMEMBERED_STATEMENTS });
  private readonly logger = new Logger('Database');
  private readonly estimates: CostEstimator;
  private readonly slowLane = new TurnQueue(SLOW_AT_ONCE);
  private hasWarned = false;
  private generation = 0;

  constructor(
    private readonly reader: SqliteConnection,
    private readonly apart: KillablePool,
    private readonly options: { readonly driver: SqliteDriver; readonly queryTimeout: number },
  ) {
    this.estimates = new CostEstimator(reader, (statement) => this.readAside(statement));
  }

  read<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    const plan = this.plans.get(statement.sql);
    if (plan?.isSmall && this.holds(plan) && limitsOf(statement.params, plan.estimate.patterns) === ORDINARY) {
      return this.readHere<Row>(statement, plan);
    }
    return this.readWithCare<Row>(statement);
  }

  /** Whether it would run here. */
  isSmall(statement: CompiledSql): MaybePromise<boolean> {
    const patterns = this.patterns.get(statement.sql);
    const plan = patterns && this.plans.get(planKey(statement.sql, limitsOf(statement.params, patterns)));
    return plan && this.holds(plan) ? plan.isSmall : this.planOf(statement).then(({ isSmall }) => isSmall);
  }

  /** Runs it apart, for so many seconds at most. */
  async readWithin<Row>(statement: CompiledSql, seconds: number): Promise<Row[]> {
    const { queryTimeout } = this.options;
    const limit = queryTimeout > 0 ? Math.min(queryTimeout, seconds) : seconds;
    return (await this.readOffThread<Row>(statement, limit)).rows;
  }

  /** The schema has changed, and with it all estimates. */
  forgetEstimates(): void {
    this.generation += 1;
    this.estimates.statistics.forget();
  }

  /** Something else has written to the file. */
  markEstimatesStale(): void {
    this.estimates.statistics.markStale();
  }

  /** A statement of this process has changed so many rows. */
  written(statement: CompiledSql, rows: number): void {
    this.estimates.statistics.written(statement, rows);
  }

  /** No transaction of this process is open at this moment. */
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

  /** For what is found out about tables: no process is started for it, and it goes on for seconds at most. */
  private readAside<Row>({ sql, params }: CompiledSql): Promise<Row[] | undefined> {
    const request = { kind: 'all', sql, params: [...params] } as const;
    return this.apart.useIdle(async (connection) => {
      const ask = (signal?: AbortSignal) => connection.request<Row[]>(request, signal);
      return (await withinLimit(ASIDE_SECONDS, ask)).result;
    });
  }

  private async readOffThread<Row>(statement: CompiledSql, seconds = this.options.queryTimeout): Promise<Timed<Row>> {
    const history = this.histories.get(statement.sql);
    let leave: EndTurn | undefined;
    try {
      // Waiting for a free process has the same limit as running, but does not shorten it.
      return await withinLimit(seconds, async (signal) => {
        if (history?.isSlow) leave = await this.slowLane.acquire(signal);
        return this.apart.use((connection) => this.request<Row>(connection, statement, seconds), signal);
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

/** Has so much been done since, or been read from the disk, that it was not the machine which kept it waiting? */
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
  return limits === ORDINARY ? sql : `${sql}\0${limits.bytes},${limits.items},${limits.effort}`;
}
