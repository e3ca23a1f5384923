import { formatDateTime, parseIsoDateTime } from '../date-time.js';
import { decimalText } from '../decimal-text.js';
import type { SqlValue } from '../fields/field-type.js';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A text that is a number becomes one, everything else stays what it is (CMP-1). */
export function toNumber<Kept>(value: Kept): Kept | number {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

/** A number becomes its text, everything else stays what it is (CMP-1). */
export function toText(value: SqlValue): SqlValue {
  return typeof value === 'number' ? decimalText(value) : value;
}

const COMPLETE_MOMENT = /^\d{4}-\d\d-\d\d(?:T\d|[T ].+(?:Z|[+-]\d\d:?\d\d)$)/i;

/**
 * A complete ISO 8601 date-time, told by its `T` or by its time zone, becomes a moment in the product's format. Other
 * texts stay what they are, so that prefixes of moments work (CMP-4).
 */
export function toMoment(value: SqlValue): SqlValue {
  if (typeof value !== 'string' || !COMPLETE_MOMENT.test(value)) return value;
  const moment = parseIsoDateTime(value);
  return moment === undefined ? value : formatDateTime(moment);
}

/** What `~` matches a value against (CMP-8): as written when it has a free `%`, else the text anywhere. */
export function toPattern(value: SqlValue): SqlValue {
  if (value === null) return null;
  const text = String(value);
  const pieces: readonly string[] = text.match(/\\[%_\\]|[^]/gu) ?? [];
  if (pieces.includes('%')) return pieces.at(-1) === '\\' ? `${text}\\` : text;
  return `%${pieces.map((piece) => (piece === '_' || piece === '\\' ? `\\${piece}` : piece)).join('')}%`;
}
