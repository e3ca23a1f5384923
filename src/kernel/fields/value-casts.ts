import { decimalText } from '../decimal-text.js';
import type { SqlValue } from './field-type.js';

/**
 * Anything as a text (COL-54): lists, objects and null are ''. Half a surrogate pair, which no column can hold, is �.
 */
export function castToText(raw: unknown): string {
  switch (typeof raw) {
    case 'string':
      return raw.toWellFormed();
    case 'boolean':
    case 'bigint':
      return String(raw);
    case 'number':
      return decimalText(raw);
    default:
      return '';
  }
}

/**
 * No text that is longer is read as a number: every double has a decimal form that is shorter. Digits stand in one
 * place of the pattern only, so that it never goes over them twice.
 */
const LONGEST_NUMBER = 2000;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE = /^([+-]?)(?:(nan)|inf|infinity)$/i;

/** Whether a text is a decimal number, found out in linear time. */
export function isDecimal(text: string): boolean {
  return text.length <= LONGEST_NUMBER && NUMBER.test(text);
}

/** Anything as a number (COL-64): what is no number is 0. The words for NaN and the infinities stay what they say. */
export function castToNumber(raw: unknown): number {
  if (typeof raw === 'number') return raw + 0;
  if (typeof raw === 'boolean') return raw ? 1 : 0;
  if (typeof raw === 'bigint') return Number(raw);
  if (typeof raw !== 'string') return 0;
  if (isDecimal(raw)) return Number(raw) + 0;
  const word = raw.length <= LONGEST_NUMBER ? NOT_FINITE.exec(raw) : null;
  if (!word) return 0;
  if (word[2]) return NaN;
  return word[1] === '-' ? -Infinity : Infinity;
}

/** A longer text is taken as one item: clients send lists as lists, and forms have no values of this size. */
const LONGEST_LIST_TEXT = 1024 * 1024;

/**
 * Anything as a list of different, non-empty texts (COL-54). Of more than `most` items it has one more than that, as they
 * come.
 */
export function castToList(raw: unknown, most = Infinity): string[] {
  if (typeof raw === 'string') return raw.length > LONGEST_LIST_TEXT ? distinct([raw]) : listOfText(raw);
  if (typeof raw === 'number' || typeof raw === 'boolean') return distinct([castToText(raw)]);
  if (!Array.isArray(raw)) return [];
  if (raw.length > most) return raw.slice(0, most + 1).map(castToText);
  if (raw.some(isNested)) return [];
  return distinct(raw.map(castToText));
}

/** What a text column holds, whatever the driver or an older version made of it. */
export function textOfColumn(stored: SqlValue): string {
  if (stored instanceof Uint8Array) return Buffer.from(stored).toString('utf8');
  return castToText(stored);
}

/** A text as a list: the strings of a JSON array, else itself as the one item, '' as none. */
export function listOfText(raw: string): string[] {
  if (raw.trimStart().startsWith('[')) {
    try {
      const items: unknown = JSON.parse(raw);
      if (Array.isArray(items) && items.every((item) => typeof item === 'string')) return distinct(items);
    } catch {
      // Not JSON, so the text itself is the one item.
    }
  }
  return distinct([raw]);
}

function isNested(item: unknown): boolean {
  return typeof item === 'object' && item !== null;
}

function distinct(items: readonly string[]): string[] {
  // Short lists without empty or repeated items are returned without building anything.
  const isFine = items.length < 8 && items.every((item, index) => item !== '' && items.indexOf(item) === index);
  return isFine ? [...items] : [...new Set(items)].filter((item) => item !== '');
}
