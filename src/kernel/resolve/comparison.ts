import type { ComparisonOperator } from '../filter/filter-node.js';
import type { SqlComparison, SqlNode } from '../sql/sql-node.js';
import { and, call, compare, EMPTY, FALSE, isFilled, isNull, not, or, TRUE } from '../sql/sql.js';
import { sqlTypeOf } from '../sql/sql-types.js';
import type { ComparedKind, Operand } from './operand.js';
import type { Value } from './value.js';
import { toMoment, toNumber, toPattern, toText } from './value-conversions.js';

const NUMERIC_KINDS: ReadonlySet<ComparedKind> = new Set(['N', 'B']);
const TEXT_KINDS: ReadonlySet<ComparedKind> = new Set(['T', 'D', 'M', 'G']);

/** The comparison of the chosen rows (§10), without match-all. */
export function compareOperands(operator: ComparisonOperator, left: Operand, right: Operand): SqlNode {
  switch (operator) {
    case '=':
      return equal(left, right, false);
    case '!=':
      return equal(left, right, true);
    case '~':
    case '!~':
      return { kind: 'like', negated: operator === '!~', value: text(left), pattern: pattern(right) };
    default:
      return order(operator, left, right);
  }
}

function equal(left: Operand, right: Operand, negated: boolean): SqlNode {
  if (isStrict(left) || isStrict(right)) {
    return compare(converted(left, right), negated ? 'isNot' : 'is', converted(right, left));
  }
  if (left.value && right.value && left.value.isEmpty !== right.value.isEmpty) return negated ? TRUE : FALSE;
  if (left.value?.isEmpty) return isEmpty(right, negated);
  if (right.value?.isEmpty) return isEmpty(left, negated);
  const operator: SqlComparison = negated ? 'isNot' : '=';
  if (left.value || right.value || (left.kind === right.kind && (left.neverEmpty || right.neverEmpty))) {
    return and(
      ...(negated ? [] : filled(left, right)),
      compare(converted(left, right), operator, converted(right, left)),
    );
  }
  return compare(call('coalesce', left.expression, EMPTY), operator, call('coalesce', right.expression, EMPTY));
}

/**
 * Adds that a column is filled, which follows from the comparison, because a partial index is used only when the
 * condition says so.
 */
function filled(...operands: readonly [Operand, Operand]): SqlNode[] {
  return operands.flatMap((operand) => (operand.indexedWhenFilled ? [isFilled(operand.expression)] : []));
}

/** Null and '' are different to these (CMP-5). */
function isStrict({ kind }: Operand): boolean {
  return kind === 'J' || kind === 'S';
}

function isEmpty(operand: Operand, negated: boolean): SqlNode {
  if (operand.value) return operand.value.isEmpty === negated ? FALSE : TRUE;
  const { kind, expression, neverNull } = operand;
  if (kind === 'N' || kind === 'B') return negated ? not(isNull(expression)) : isNull(expression);
  if (neverNull) return compare(expression, negated ? 'isNot' : '=', EMPTY);
  if (negated) return and(compare(expression, 'isNot', EMPTY), not(isNull(expression)));
  return or(compare(expression, '=', EMPTY), isNull(expression));
}

/** The operand as it is compared with another one: values from outside and JSON follow the kind of the other side. */
function converted(operand: Operand, other: Operand): SqlNode {
  const { kind, value } = operand;
  if (value) return convert(value, operand, other).toNode();
  if (kind === 'J' && TEXT_KINDS.has(other.kind)) return { kind: 'cast', value: operand.expression, type: 'text' };
  return operand.expression;
}

function order(operator: SqlComparison, left: Operand, right: Operand): SqlNode {
  const [a, b] = [converted(left, right), converted(right, left)];
  if (isFromOutside(left) || isFromOutside(right)) return compare(a, operator, b);
  return { kind: 'compare', operator, left: asNumber(a, left), right: asNumber(b, right), numericText: true };
}

/** Its value is converted in JavaScript, not in SQL (CMP-1). */
function isFromOutside({ kind }: Operand): boolean {
  return kind === 'V' || kind === 'J';
}

/** A computed number counts as one of a column: text that looks like a number is one beside it. */
function asNumber(node: SqlNode, { kind, untyped }: Operand): SqlNode {
  const computed = kind === 'C' || kind === 'S' || untyped;
  return computed && sqlTypeOf(node) === 'number' ? { kind: 'cast', value: node, type: 'number' } : node;
}

function convert(value: Value, operand: Operand, other: Operand): Value {
  const isMoment = other.kind === 'D' || other.isMoment;
  if (value.shape === 'text' && isMoment && !operand.isMoment) return value.mapToText(toMoment);
  if (value.shape === 'text' && NUMERIC_KINDS.has(other.kind)) return value.map(toNumber);
  if (value.shape === 'number' && TEXT_KINDS.has(other.kind)) return value.mapToText(toText);
  return isFromOutside(other) ? value.asDocument() : value;
}

/** Drivers may bind 1 as 1.0, which is another text. */
function text({ value, expression }: Operand): SqlNode {
  return value?.shape === 'number' ? value.mapToText(toText).toNode() : expression;
}

function pattern(right: Operand): SqlNode {
  const { value } = right;
  if (!value || right.isLiteral) return call('containing', text(right));
  return value.shape === 'null' ? right.expression : value.mapToText(toPattern).toNode();
}
