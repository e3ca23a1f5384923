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
  return `${sql}\0${JSON.stringify(params)}`;
}
