import { formatDateTime } from '../date-time.js';
import { decimalText } from '../decimal-text.js';
import type { OperandNode, Span } from './filter-node.js';
import { FilterError } from './filter.error.js';

/** What can be bound to `{:name}`: a Date becomes the product's date text, arrays and objects their JSON text. */
export type FilterParameter =
  string | number | boolean | null | Date | readonly unknown[] | { readonly [key: string]: unknown };

/** Values by placeholder name. */
export type FilterParameters = Readonly<Record<string, FilterParameter>>;

/**
 * The operand a bound value stands for. `true`, `false` and `null` become the literals, which no field can be named
 * after (COL-28). Throws a FilterError for values the language has no form for, such as NaN.
 */
export function parameterOperand(value: FilterParameter, span: Span): OperandNode {
  if (typeof value === 'string') return textOperand(value, span);
  if (typeof value === 'boolean' || value === null) return { kind: 'identifier', name: String(value), span };
  if (typeof value === 'number' && Number.isFinite(value)) {
    const text = decimalText(value);
    return { kind: 'number', value: Number(text), text, span };
  }
  if (value instanceof Date && !Number.isNaN(value.getTime()))
    return textOperand(formatDateTime(value.getTime()), span);
  if (typeof value === 'object' && !(value instanceof Date)) return textOperand(JSON.stringify(value), span);
  throw new FilterError('A parameter must be text, a number, a boolean, a date, null or JSON data', span);
}

function textOperand(value: string, span: Span): OperandNode {
  if (value.includes('\0')) throw new FilterError('Text may not hold a NUL character', span);
  return { kind: 'text', value, span };
}
