import type { SqlValue } from '../kernel/fields/field-type.js';
import type { Beginning } from '../kernel/sql/bound-sql.js';

/**
 * A statement as text with every value bound, a plain `?` for each in their order. `writes` names the tables a writing
 * statement touches; absent means unknown, which counts as all of them.
 */
export interface CompiledSql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly writes?: readonly string[];
  /** Where a statement that would have to run elsewhere may find its rows cheaply. */
  readonly beginning?: Beginning;
  /** A writing statement that fails where it changes nothing, so that its transaction may be done again. */
  readonly isConditional?: boolean;
  /** Gives values as the driver makes them, and takes all that it can bind: for TypeORM, which was made for that. */
  readonly isNative?: boolean;
}
