import type { SqlValue } from '../fields/field-type.js';

/** SQL that is ready to run. */
export interface BoundSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Names of the tables and views that are read. */
  readonly tables: readonly string[];
  readonly beginning?: Beginning;
}

/** The same question about the first rows of its table only. Where it finds enough, nothing else has to be looked at. */
export interface Beginning {
  /** It has found all that the whole statement would find, in the same order, if it finds so many rows. */
  readonly enough: number;
  readonly statement: () => BoundSql;
}

/** A text that differs for statements with other words or other values. */
export function statementKey({ sql, params }: Pick<BoundSql, 'sql' | 'params'>): string {
  return `${sql}\0${JSON.stringify(params)}`;
}
