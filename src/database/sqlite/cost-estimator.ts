import { clientOf } from '../../http/request/client-ip.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { Instruction } from './instructions.js';
import { estimateCost, patternsOf, type QueryCost, rootPagesOf, type ValueLimits } from './query-cost.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { hasWord, statementKind } from './sqlite-text.js';
import type { Assumption } from './measured-table.js';
import { type ReadInBackground, TableStatistics } from './table-statistics.js';
import { limitsOf } from './value-limits.js';

const NOTHING: QueryCost = { visits: 0, largestScan: 0, microseconds: 0 };
const UNKNOWN: QueryCost = { visits: Infinity, largestScan: Infinity, microseconds: Infinity };

/** Has the connection read the schema anew when it has changed: EXPLAIN alone would go by the indexes that it knows. */
const LOOK_AT_SCHEMA: CompiledSql = { sql: 'SELECT 1 FROM sqlite_schema LIMIT 1', params: [] };

/** To compile and to look through a shorter text takes a moment. */
const LONG_TEXT = 4000;

/** To look through a longer program takes longer than most statements do, and none of them is short to run. */
const LONGEST_PROGRAM = 2000;

/** What a statement may cost with all values that keep some limits. */
export interface Estimate extends QueryCost {
  readonly limits: ValueLimits;
  /** Places of its values, counted from 1, that are patterns. */
  readonly patterns: readonly number[];
  /** What has to stay true of the tables for the estimate to hold. */
  readonly assumptions: readonly Assumption[];
}

/**
 * Estimates the worst case of a reading statement from its compiled instructions, the contents of its tables and the
 * length of its values.
 */
export class CostEstimator {
  readonly statistics: TableStatistics;

  constructor(
    private readonly connection: SqliteConnection,
    inBackground?: ReadInBackground,
  ) {
    this.statistics = new TableStatistics(connection, inBackground);
  }

  /**
   * Nothing of it is run but EXPLAIN. A statement that cannot be compiled costs nothing. Between the steps for a long one others
   * have their turn: with dozens of joins each takes as long as many statements take to run (OPS-39).
   */
  async of({ sql, params, ip }: CompiledSql): Promise<Estimate> {
    const free = { ...NOTHING, limits: limitsOf(params, []), patterns: [], assumptions: [] };
    if (statementKind(sql) !== 'read' || hasWord(sql, 'EXPLAIN')) return free;
    const turn = sql.length > LONG_TEXT ? new EventLoopTurn(clientOf(ip ?? '')) : undefined;
    await turn?.begin();
    try {
      await this.connection.all(LOOK_AT_SCHEMA);
      const program = await this.connection.all<Instruction>({ sql: `EXPLAIN ${sql}`, params });
      if (program.length > LONGEST_PROGRAM) return { ...free, ...UNKNOWN };
      await turn?.pause();
      const { data, assumptions } = await this.statistics.of(rootPagesOf(program));
      await turn?.pause();
      const patterns = patternsOf(program);
      const limits = limitsOf(params, patterns);
      return { ...estimateCost(program, data, limits), limits, patterns, assumptions };
    } catch {
      // A statement that EXPLAIN refuses cannot run either, so its estimate does not matter.
      this.statistics.forget();
      return free;
    }
  }
}
