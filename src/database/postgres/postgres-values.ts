import type { SqlValue } from '../../kernel/fields/field-type.js';

/** Types of PostgreSQL by their numbers (pg_type.dat). */
const BOOL = 16;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;
const NUMERIC = 1700;
const BYTEA = 17;

/** Makes a value of what the server sends. */
export type ParseText = (text: string) => unknown;

const asNumber = (text: string): number => Number(text);
const asIs: ParseText = (text) => text;

const PARSERS: ReadonlyMap<number, ParseText> = new Map<number, ParseText>([
  [BOOL, (text) => (text === 't' ? 1 : 0)],
  [INT2, asNumber],
  [INT4, asNumber],
  [INT8, asNumber],
  [FLOAT4, asNumber],
  [FLOAT8, asNumber],
  [NUMERIC, asNumber],
  [BYTEA, (text) => Buffer.from(text.slice(2), 'hex')],
]);

/**
 * Rows have the values that every database here gives: numbers, truth as 1 and 0, and texts, of which JSON is one.
 * Dates are texts in their columns already.
 */
export function parserOf(type: number): ParseText {
  return PARSERS.get(type) ?? asIs;
}

/** Called with each value; what the server is sent is text, or bytes. */
export function toWire(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return String(value);
}
