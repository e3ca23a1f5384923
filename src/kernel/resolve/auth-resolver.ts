import type { Collection } from '../collections/collection.js';
import { FilterError } from '../filter/filter.error.js';
import type { BindScope } from './expression-scope.js';
import { columnType } from './columns.js';
import type { Operand } from './operand.js';
import type { Path } from './path.js';
import type { Position } from './position.js';
import type { RecordResolver } from './record-resolver.js';
import { findRelation } from './relations.js';
import { NOTHING, type RequestOperands, valueAt } from './request-operands.js';
import type { RowVariables } from './row-variables.js';
import { UnknownFieldError } from './unknown-field.error.js';

/** `@request.auth.*`: values of the caller's record, and paths from it to other records. */
export class AuthResolver {
  constructor(
    private readonly operands: RequestOperands,
    private readonly records: RecordResolver,
  ) {}

  /** The path is without its prefix. Whatever a guest or the record does not have is null. */
  resolve(path: Path, rows: RowVariables): Operand {
    const { reader } = this.operands.context;
    const collection = reader.about((scope) => scope.caller.auth?.collection);
    const name = path.segments[0]!;
    if (path.modifier === 'changed') throw new FilterError(':changed goes with @request.body only', path.span);
    if (path.modifier === 'isset') return this.operands.truth(() => collection !== undefined && has(collection, name));
    if (!collection || !has(collection, name)) return collection ? this.related(collection, path, rows) : NOTHING;
    if (name === 'collectionId') return this.operands.value(() => collection.id, path);
    if (name === 'collectionName') return this.operands.value(() => collection.name, path);
    return this.isRelation(collection, path) ? this.related(collection, path, rows) : this.own(collection, path, rows);
  }

  private isRelation(collection: Collection, { segments }: Path): boolean {
    if (segments.length === 1) return false;
    return findRelation(collection, segments[0]!, this.operands.context.catalog) !== undefined;
  }

  private own(collection: Collection, path: Path, rows: RowVariables): Operand {
    const [name, ...inside] = path.segments as [string, ...string[]];
    const field = collection.field(name)!;
    const type = collection.typeOf(field);
    const read = (scope: BindScope) => valueAt(scope.caller.auth?.get(name), inside);
    const counts = 'maxSelect' in type.options;
    const kind = type.operandKind(field);
    if (counts || kind === 'J') {
      if (path.modifier === 'length') return this.operands.length(read, counts);
      if (path.modifier === 'each') {
        return this.operands.each({ name: `@request.auth.${path.segments.join('.')}`, kind, read }, rows);
      }
    }
    const hasItems = path.modifier === '' && inside.length === 0 && kind === 'M';
    const operand = this.operands.value(read, path);
    return hasItems ? { ...operand, items: () => this.operands.items(read) } : operand;
  }

  private related(collection: Collection, path: Path, rows: RowVariables): Operand {
    const start: Position = {
      collection,
      path: '@request.auth',
      hops: 0,
      multi: false,
      column: (field) => {
        const type = collection.typeOf(field);
        const read = ({ caller }: BindScope) =>
          caller.auth ? type.toColumn(caller.auth.get(field.name), field) : null;
        return this.operands.context.reader.node(read, columnType(collection, field));
      },
    };
    try {
      return this.records.resolve(path, () => start, rows);
    } catch (error) {
      if (error instanceof UnknownFieldError) return NOTHING;
      throw error;
    }
  }
}

function has(collection: Collection, name: string): boolean {
  return name === 'collectionId' || name === 'collectionName' || collection.field(name) !== undefined;
}
