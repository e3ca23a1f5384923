import type { SqlValue } from '../fields/field-type.js';

/** SQL that is ready to run. */
export interface BoundSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Names of the tables and views that are read. */
  readonly tables: readonly string[];
  readonly beginning?: Beginning;
  /** The address of whoever asks; `''` or absent for code that acts by itself. */
  readonly ip?: string;
}

/** The same query on the first rows of its table only. When it finds enough, the rest need not be read. */
export interface Beginning {
  /** With so many rows, the result is the same as that of the whole statement. */
  readonly enough: number;
  readonly statement: () => BoundSql;
}

/** A text that differs for statements with another text or other values. */
export function statementKey({ sql, params }: Pick<BoundSql, 'sql' | 'params'>): string {
  return params.some(isLong) ? `${sql}\0${params.map(told).join('\0')}` : `${sql}\0${JSON.stringify(params)}`;
}

const LONG = 4_096;

function isLong(value: SqlValue): boolean {
  return typeof value === 'string' && value.length > LONG;
}

/** Of a text its length comes first: what JSON escapes would make megabytes of a long one several times as long. */
function told(value: SqlValue): string {
  return typeof value === 'string' ? `${value.length}:${value}` : JSON.stringify(value);
}
