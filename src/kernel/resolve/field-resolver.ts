import type { Operand } from './operand.js';
import type { Path } from './path.js';
import type { RowVariables } from './row-variables.js';

/** Resolves names of the language: the fields of a collection, or a fixed list of columns. */
export interface FieldResolver {
  /** Whether there is such a field, so that a literal of this name is none. */
  has(name: string): boolean;
  /** The operand a path stands for. Throws a FilterError when it stands for nothing. */
  resolve(path: Path, rows: RowVariables): Operand;
}
