import type { OperandKind } from '../fields/field-type.js';
import type { SqlNode, SqlSelect } from '../sql/sql-node.js';
import type { Value } from './value.js';

/**
 * How an operand is compared (§10): the kinds of fields, `V` for a value from outside, `C` for something computed from
 * columns, `S` for what is compared null-safely: distances and truths about the request.
 */
export type ComparedKind = OperandKind | 'V' | 'C' | 'S';

/** What a name of the language became. */
export interface Operand {
  readonly kind: ComparedKind;
  /** The value in the chosen row of every row variable. */
  readonly expression: SqlNode;
  /** Only of kind `V`. */
  readonly value?: Value;
  /** Whether a value of kind `V` is a moment, which takes part in the conversion of dates (CMP-4). */
  readonly isMoment?: boolean;
  /** `true`, `false` or `null`: a pattern of it is not escaped (CMP-8). */
  readonly isLiteral?: boolean;
  /** What a comparison with it demands besides being true (GRD-5). */
  readonly requires?: SqlNode;
  /** It can be neither '' nor NULL, which makes an index on the other side useful. */
  readonly neverEmpty?: boolean;
  /** It can be '' but not NULL, so that one comparison finds what is empty. */
  readonly neverNull?: boolean;
  /** An index on it leaves out what is empty, and is used only by a statement that does so too. */
  readonly indexedWhenFilled?: boolean;
  /** A number the database does not know to be one, because a view may compute it. */
  readonly untyped?: boolean;
  /** Only of a multi-valued field named as a whole: the JSON list whose items `?=` and `?!=` look at (MM-7). */
  readonly items?: () => SqlNode;
  /** Only of multi operands (MM-1): the query of all its values, in a column `value`, whatever row is chosen. */
  readonly valueSet?: () => SqlSelect;
}
