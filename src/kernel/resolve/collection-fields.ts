import type { Collection } from '../collections/collection.js';
import { fieldColumn } from './columns.js';
import type { FieldResolver } from './field-resolver.js';
import type { Operand } from './operand.js';
import type { Path } from './path.js';
import type { Position } from './position.js';
import type { RecordResolver } from './record-resolver.js';
import type { RowVariables } from './row-variables.js';

/** The rows that an expression is about. */
export interface Rows {
  readonly collection: Collection;
  /** What the rows are called in the statement. */
  readonly alias: string;
  /** True for a record that is not stored yet (RULE-7). */
  readonly unstored?: boolean;
  /** True when there is nothing but columns: `@request` and `@collection` are unknown names. */
  readonly columnsOnly?: boolean;
}

/** The names of an expression about the records of a collection: its own fields and where they lead. */
export class CollectionFields implements FieldResolver {
  private readonly position: Position;

  constructor(
    private readonly records: RecordResolver,
    { collection, alias, unstored, columnsOnly }: Rows,
  ) {
    const column: Position['column'] = (field) => fieldColumn(collection, field, alias);
    // Columns of a view, or of a table that is no collection, may be NULL.
    const certain = !collection.isView && !columnsOnly;
    this.position = { collection, path: '', hops: 0, multi: false, certain, unstored, column };
  }

  has(name: string): boolean {
    return this.position.collection.field(name) !== undefined;
  }

  resolve(path: Path, rows: RowVariables): Operand {
    return this.records.resolve(path, () => this.position, rows);
  }
}
