import type { CompiledSql } from '../compiled-sql.js';
import { estimateCost, type Instruction, type QueryCost, rootPagesOf } from './query-cost.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { hasWord, statementKind } from './sqlite-text.js';
import { TableSizes } from './table-sizes.js';

const NOTHING: QueryCost = { visits: 0, largestScan: 0 };

/** Tells what a reading statement may have to do at worst, from its instructions and the sizes of its tables. */
export class CostEstimator {
  private readonly sizes: TableSizes;

  constructor(private readonly connection: SqliteConnection) {
    this.sizes = new TableSizes(connection);
  }

  /** Tables may have grown or changed. */
  forget(): void {
    this.sizes.forget();
  }

  /** Nothing is run but EXPLAIN. A statement that cannot be compiled costs nothing. */
  async of({ sql, params }: CompiledSql): Promise<QueryCost> {
    if (statementKind(sql) !== 'read' || hasWord(sql, 'EXPLAIN')) return NOTHING;
    try {
      const program = await this.connection.all<Instruction>({ sql: `EXPLAIN ${sql}`, params });
      const sizes = await this.sizes.of(rootPagesOf(program));
      return estimateCost(program, (page) => sizes.get(page) ?? 0);
    } catch {
      // A statement that cannot be explained cannot be run; running it tells why.
      this.sizes.forget();
      return NOTHING;
    }
  }
}
