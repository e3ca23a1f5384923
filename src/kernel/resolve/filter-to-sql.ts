import type { ComparisonOperator, FilterNode } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import type { SqlJoin, SqlNode, SqlSource } from '../sql/sql-node.js';
import { and, column, not, or } from '../sql/sql.js';
import { sqlTypeOf } from '../sql/sql-types.js';
import type { Aliases } from './aliases.js';
import { compareOperands } from './comparison.js';
import type { Operand } from './operand.js';
import type { OperandResolver } from './operand-resolver.js';
import { asText } from './record-resolver.js';
import { RowVariables } from './row-variables.js';

const MAX_PATHS = 60;

type ComparisonNode = Extract<FilterNode, { kind: 'comparison' }>;

/** One expression of the language as a condition: what §§10 and 11 say about comparisons of one and of many values. */
export class FilterToSql {
  private readonly rows: RowVariables;

  constructor(
    private readonly operands: OperandResolver,
    private readonly aliases: Aliases,
  ) {
    this.rows = new RowVariables(aliases);
  }

  /** True for a record when some choice of related rows makes the expression true (MM-2). */
  compile(node: FilterNode): SqlNode {
    return this.rows.exists(this.formula(node));
  }

  private formula(node: FilterNode): SqlNode {
    switch (node.kind) {
      case 'and':
        return and(...node.terms.map((term) => this.formula(term)));
      case 'or':
        return or(...node.terms.map((term) => this.formula(term)));
      case 'comparison':
        return this.comparison(node);
    }
  }

  private comparison(node: ComparisonNode): SqlNode {
    const left = this.operands.resolve(node.left, this.rows);
    const right = this.operands.resolve(node.right, this.rows);
    if (this.rows.size > MAX_PATHS) throw new FilterError(`More than ${MAX_PATHS} joined paths`, node.span);
    const demands = [left, right].flatMap(({ requires }) => (requires ? [requires] : []));
    return and(...demands, this.compared(node, left, right));
  }

  private compared({ operator, any }: ComparisonNode, left: Operand, right: Operand): SqlNode {
    if (any && (operator === '=' || operator === '!=') && (left.items || right.items)) {
      return this.someItem(operator, left, right);
    }
    const chosen = compareOperands(operator, left, right);
    return any || !(left.valueSet || right.valueSet) ? chosen : and(chosen, this.holdsForAll(operator, left, right));
  }

  /** Whether no value, and no pair of values, makes the comparison false (MM-4). NULL is not false. */
  private holdsForAll(operator: ComparisonOperator, left: Operand, right: Operand): SqlNode {
    const sources: SqlSource[] = [];
    const [eachLeft, eachRight] = [left, right].map((operand): Operand => {
      if (!operand.valueSet) return operand;
      const as = this.aliases.next('set');
      sources.push({ kind: 'query', query: operand.valueSet(), as });
      return { ...operand, expression: column(as, 'value', sqlTypeOf(operand.expression)) };
    }) as [Operand, Operand];
    return not(existsIn(sources, not(compareOperands(operator, eachLeft, eachRight))));
  }

  /** Some item of a multi-valued field named as a whole, each condition on its own (MM-7). */
  private someItem(operator: ComparisonOperator, left: Operand, right: Operand): SqlNode {
    const sources: SqlSource[] = [];
    const [itemLeft, itemRight] = [left, right].map((operand): Operand => {
      if (!operand.items) return operand;
      const as = this.aliases.next('item');
      sources.push({ kind: 'items', of: operand.items(), as });
      return { kind: 'T', expression: asText(column(as, 'value')) };
    }) as [Operand, Operand];
    return existsIn(sources, compareOperands(operator, itemLeft, itemRight));
  }
}

function existsIn([from, ...others]: readonly SqlSource[], where: SqlNode): SqlNode {
  const joins = others.map((source): SqlJoin => ({ kind: 'cross', source }));
  return { kind: 'exists', query: { kind: 'select', columns: [], from, joins, where } };
}
