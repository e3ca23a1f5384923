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
  /** A cheaper statement for the first rows, for when the whole would have to run in another process. */
  readonly beginning?: Beginning;
  /** The address of whoever asks, if known: where statements wait, clients take turns. */
  readonly ip?: string;
  /** A writing statement that fails where it changes nothing, so that its transaction may be done again. */
  readonly isConditional?: boolean;
  /** Whether nothing that another transaction has written, and not committed, can keep it waiting. */
  readonly neverWaits?: boolean;
  /** Results and bound values are those of the driver, without our conversions: for TypeORM, which expects them. */
  readonly isNative?: boolean;
}
