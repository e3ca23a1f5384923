import { formatDateTime, parseIsoDateTime } from '../date-time.js';
import { decimalText } from '../decimal-text.js';
import type { SqlValue } from '../fields/field-type.js';
import { isDecimal } from '../fields/value-casts.js';
import { LONGEST_PATTERN } from '../sql/longest-pattern.js';

/** A text that is a number becomes one, everything else stays what it is (CMP-1). */
export function toNumber<Kept>(value: Kept): Kept | number {
  return typeof value === 'string' && isDecimal(value) ? Number(value) : value;
}

/** A number becomes its text, everything else stays what it is (CMP-1). */
export function toText(value: SqlValue): SqlValue {
  return typeof value === 'number' ? decimalText(value) : value;
}

/** Room for more digits of a fraction than anybody measures. */
const LONGEST_MOMENT = 100;
const COMPLETE_MOMENT = /^\d{4}-\d\d-\d\d(?:T\d|[T ].+(?:Z|[+-]\d\d:?\d\d)$)/i;

/**
 * A complete ISO 8601 date-time, told by its `T` or by its time zone, becomes a moment in the product's format. Other
 * texts stay what they are, so that prefixes of moments work (CMP-4).
 */
export function toMoment(value: SqlValue): SqlValue {
  if (typeof value !== 'string' || value.length > LONGEST_MOMENT || !COMPLETE_MOMENT.test(value)) return value;
  const moment = parseIsoDateTime(value);
  return moment === undefined ? value : formatDateTime(moment);
}

/**
 * What `~` matches a value against (CMP-8): as written when it has a free `%`, else the text anywhere. Null, with which
 * nothing is found, when that is longer than databases take: bodies have texts of megabytes (OPS-39).
 */
export function toPattern(value: SqlValue): SqlValue {
  if (value === null) return null;
  const text = String(value);
  if (text.length > LONGEST_PATTERN) return null;
  const pattern = patternOf(text);
  return Buffer.byteLength(pattern) > LONGEST_PATTERN ? null : pattern;
}

function patternOf(text: string): string {
  const free = text.includes('\\') ? text.replaceAll(/\\[%_\\]/g, '') : text;
  if (free.includes('%')) return free.endsWith('\\') ? `${text}\\` : text;
  return `%${text.replaceAll(/\\[%_\\]|[_\\]/g, (piece) => (piece.length === 1 ? `\\${piece}` : piece))}%`;
}
