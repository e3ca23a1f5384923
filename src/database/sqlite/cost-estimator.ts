import type { CompiledSql } from '../compiled-sql.js';
import type { Instruction } from './instructions.js';
import { estimateCost, patternsOf, type QueryCost, rootPagesOf, type ValueLimits } from './query-cost.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { hasWord, statementKind } from './sqlite-text.js';
import type { Assumption } from './measured-table.js';
import { type ReadInBackground, TableStatistics } from './table-statistics.js';
import { limitsOf } from './value-limits.js';

const NOTHING: QueryCost = { visits: 0, largestScan: 0, microseconds: 0 };

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

  /** Nothing is run but EXPLAIN. A statement that cannot be compiled costs nothing. */
  async of({ sql, params }: CompiledSql): Promise<Estimate> {
    const free = { ...NOTHING, limits: limitsOf(params, []), patterns: [], assumptions: [] };
    if (statementKind(sql) !== 'read' || hasWord(sql, 'EXPLAIN')) return free;
    try {
      const program = await this.connection.all<Instruction>({ sql: `EXPLAIN ${sql}`, params });
      const { data, assumptions } = await this.statistics.of(rootPagesOf(program));
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
