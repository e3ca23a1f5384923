import type { SqlValue } from '../fields/field-type.js';

/** SQL that is ready to run. */
export interface BoundSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Names of the tables and views that are read. */
  readonly tables: readonly string[];
}
