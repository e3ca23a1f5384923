import type { SqlValue } from '../fields/field-type.js';

/** SQL that is ready to run. */
export interface BoundSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Names of the tables and views that are read. */
  readonly tables: readonly string[];
}

/** A text that differs for statements with other words or other values. */
export function statementKey({ sql, params }: Pick<BoundSql, 'sql' | 'params'>): string {
  return `${sql}\0${JSON.stringify(params)}`;
}
