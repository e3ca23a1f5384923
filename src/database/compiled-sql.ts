import type { SqlValue } from '../kernel/fields/field-type.js';

/**
 * A statement as text with every value bound, a plain `?` for each in their order. `writes` names the tables a writing
 * statement touches; absent means unknown, which counts as all of them.
 */
export interface CompiledSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly writes?: readonly string[];
  /** Gives values as the driver makes them, and takes all that it can bind: for TypeORM, which was made for that. */
  readonly isNative?: boolean;
}
