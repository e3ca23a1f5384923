import type { SqlValue } from '../fields/field-type.js';
import { formatDateTime } from '../date-time.js';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A text that is a number becomes one, everything else stays what it is (CMP-1). */
export function toNumber<Kept>(value: Kept): Kept | number {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

/** A number becomes its text, everything else stays what it is (CMP-1). */
export function toText(value: SqlValue): SqlValue {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * A complete ISO 8601 date-time, told by its `T` or by its time zone, becomes a moment in the product's format. Other
 * texts stay what they are, so that prefixes of moments work (CMP-4).
 */
export function toMoment(value: SqlValue): SqlValue {
  const match = typeof value === 'string' ? MOMENT.exec(value) : null;
  if (!match || (match[2] === ' ' && match[6] === undefined)) return value;
  const [, day, , minute, second = ':00', fraction = '', zone = 'Z'] = match;
  const offset = /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const milliseconds = Date.parse(`${day}T${minute}${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  return Number.isNaN(milliseconds) ? value : formatDateTime(milliseconds);
}

/** What `~` matches a value against (CMP-8): as written when it has a free `%`, else the text anywhere. */
export function toPattern(value: SqlValue): SqlValue {
  if (value === null) return null;
  const text = String(value);
  const pieces: readonly string[] = text.match(/\\[%_\\]|[^]/gu) ?? [];
  if (pieces.includes('%')) return pieces.at(-1) === '\\' ? `${text}\\` : text;
  return `%${pieces.map((piece) => (piece === '_' || piece === '\\' ? `\\${piece}` : piece)).join('')}%`;
}
