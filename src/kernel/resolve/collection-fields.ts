import type { Collection } from '../collections/collection.js';
import { fieldColumn } from './columns.js';
import type { FieldResolver } from './field-resolver.js';
import type { Operand } from './operand.js';
import type { Path } from './path.js';
import type { Position } from './position.js';
import type { RecordResolver } from './record-resolver.js';
import type { RowVariables } from './row-variables.js';

/** The names of an expression about the records of a collection: its own fields and where they lead. */
export class CollectionFields implements FieldResolver {
  private readonly position: Position;

  constructor(
    private readonly records: RecordResolver,
    collection: Collection,
    alias: string,
    unstored: boolean,
  ) {
    const column: Position['column'] = (field) => fieldColumn(collection, field, alias);
    this.position = { collection, path: '', hops: 0, multi: false, certain: !collection.isView, unstored, column };
  }

  has(name: string): boolean {
    return this.position.collection.field(name) !== undefined;
  }

  resolve(path: Path, rows: RowVariables): Operand {
    return this.records.resolve(path, () => this.position, rows);
  }
}
