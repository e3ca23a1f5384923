import type { SqlNode } from './sql-node.js';
import { call, param } from './sql.js';

/** A value as filters, rules and sorts compare it, made of a column: each database is asked in its own words. */
export class FilterValue {
  constructor(readonly node: SqlNode) {}

  /** The value and a number together. */
  plus(number: number): FilterValue {
    return this.with('plus', number);
  }

  /** The value so many times. */
  times(number: number): FilterValue {
    return this.with('times', number);
  }

  /** With its fraction, also for whole numbers. */
  dividedBy(number: number): FilterValue {
    return this.with('dividedBy', number);
  }

  /** In lower case, ASCII letters only. */
  lower(): FilterValue {
    return new FilterValue(call('lower', this.node));
  }

  private with(operation: 'plus' | 'times' | 'dividedBy', number: number): FilterValue {
    if (!Number.isFinite(number)) throw new RangeError(`${number} is no number to calculate with.`);
    return new FilterValue(call(operation, this.node, param(number, 'number')));
  }
}
