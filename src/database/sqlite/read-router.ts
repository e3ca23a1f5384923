import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import { TurnQueue, type EndTurn } from '../turn-queue.js';
import { CostEstimator } from './cost-estimator.js';
import type { KillableConnection } from './killable-connection.js';
import type { KillablePool } from './killable-pool.js';
import { ProcessUnavailableError } from '../process-unavailable.error.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { hasWord } from './sqlite-text.js';
import { withinLimit } from './time-limit.js';

/** So few rows are read in some milliseconds whatever is done with them. */
const SMALL_VISITS = 10_000;
/** Searching that many rows for ones that may not be there is never tried on this thread. */
const LARGE_SCAN = 200_000;
/** A run up to here holds up nobody noticeably. */
const QUICK_MILLISECONDS = 5;
/** Up to here a single run proves nothing: on a crowded machine a quick statement may be kept waiting. */
const DOUBTFUL_MILLISECONDS = 50;
/** Quick runs in a row until a statement is trusted; doubled whenever it disappoints. */
const FIRST_PROBATION = 3;
const LONGEST_PROBATION = 4096;
const REMEMBERED_STATEMENTS = 2000;
/** A statement that took longer last time may not occupy all processes. */
const SLOW_MILLISECONDS = 100;
const SLOW_AT_ONCE = 2;

/** What is known about a statement that is not certainly small. */
interface Suspicion {
  readonly neverHere: boolean;
  isSlow: boolean;
  /** The last run was not quick; another such one decides. */
  inDoubt: boolean;
  quickRuns: number;
  probation: number;
}

interface ReadPlan {
  readonly generation: number;
  /** Absent: the statement is small whatever its values are. */
  readonly suspicion?: Suspicion;
}

/**
 * Decides where a reading statement runs: here, where a small one is cheapest but nothing can be cut off, or apart,
 * in a process that can be killed, so that a slow one holds up nobody (SCALE-3).
 *
 * What a statement may visit at worst is estimated once from its instructions and the sizes of its tables. If that is
 * much, it first runs apart, and what its runs cost decides: some quick ones in a row bring it here, a slow one sends
 * it away for longer.
 */
export class ReadRouter {
  private readonly plans = new LRUCache<string, ReadPlan>({ max: REMEMBERED_STATEMENTS });
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
    this.estimates = new CostEstimator(reader);
  }

  read<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    const plan = this.plans.get(statement.sql);
    if (plan !== undefined && plan.generation === this.generation && plan.suspicion === undefined) {
      return this.reader.all<Row>(statement);
    }
    return this.readWithCare<Row>(statement, plan);
  }

  /** Tables may have grown or changed: estimates are made anew, what was measured stays. */
  forgetEstimates(): void {
    this.generation += 1;
    this.estimates.forget();
  }

  private async readWithCare<Row>(statement: CompiledSql, known: ReadPlan | undefined): Promise<Row[]> {
    const plan = known?.generation === this.generation ? known : await this.plan(statement, known?.suspicion);
    const { suspicion } = plan;
    if (suspicion === undefined) return this.reader.all<Row>(statement);
    if (suspicion.neverHere || suspicion.quickRuns < suspicion.probation)
      return this.readApart<Row>(statement, suspicion);
    const started = performance.now();
    const rows = await this.reader.all<Row>(statement);
    remember(suspicion, performance.now() - started);
    return rows;
  }

  private async readApart<Row>(statement: CompiledSql, suspicion: Suspicion): Promise<Row[]> {
    const { queryTimeout } = this.options;
    let leave: EndTurn | undefined;
    try {
      // Waiting for a free process has the same limit as running, but does not shorten it.
      return await withinLimit(queryTimeout, async (signal) => {
        if (suspicion.isSlow) leave = await this.slowLane.turn(signal);
        return this.apart.use((connection) => this.request<Row>(connection, statement, suspicion), signal);
      });
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      this.warnOnce(error);
      return this.reader.all<Row>(statement);
    } finally {
      leave?.();
    }
  }

  private async request<Row>(
    connection: KillableConnection,
    { sql, params }: CompiledSql,
    suspicion: Suspicion,
  ): Promise<Row[]> {
    const { driver, queryTimeout } = this.options;
    const request = { kind: 'all', sql, params: params.map((value) => driver.toNative(value)) } as const;
    try {
      const answer = await withinLimit(queryTimeout, (signal) => connection.request<Row[]>(request, signal));
      remember(suspicion, answer.milliseconds);
      return answer.result;
    } catch (error) {
      remember(suspicion, Infinity);
      throw error;
    }
  }

  private warnOnce(error: ProcessUnavailableError): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(`Slow statements hold up others, because no process can be started for them: ${error.message}`);
  }

  private async plan(statement: CompiledSql, known: Suspicion | undefined): Promise<ReadPlan> {
    const generation = this.generation;
    const cost = await this.estimates.of(statement);
    if (cost.visits <= SMALL_VISITS) return this.keep(statement, { generation });
    const neverHere = cost.visits === Infinity || (cost.largestScan > LARGE_SCAN && hasWord(statement.sql, 'WHERE'));
    const measured = known ?? { isSlow: false, inDoubt: false, quickRuns: 0, probation: FIRST_PROBATION };
    return this.keep(statement, { generation, suspicion: { ...measured, neverHere } });
  }

  private keep({ sql }: CompiledSql, plan: ReadPlan): ReadPlan {
    this.plans.set(sql, plan);
    return plan;
  }
}

function remember(suspicion: Suspicion, milliseconds: number): void {
  suspicion.isSlow = milliseconds > SLOW_MILLISECONDS;
  if (milliseconds <= QUICK_MILLISECONDS) {
    suspicion.quickRuns += 1;
    suspicion.inDoubt = false;
    return;
  }
  const wasTrusted = suspicion.quickRuns >= suspicion.probation;
  suspicion.inDoubt = wasTrusted && !suspicion.inDoubt && milliseconds <= DOUBTFUL_MILLISECONDS;
  if (suspicion.inDoubt) return;
  suspicion.quickRuns = 0;
  if (wasTrusted) suspicion.probation = Math.min(suspicion.probation * 2, LONGEST_PROBATION);
}
