import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import { FilterError } from '../filter/filter.error.js';
import { and, compare, ONE } from '../sql/sql.js';
import type { BindScope } from './expression-scope.js';
import { columnType } from './columns.js';
import { compareOperands } from './comparison.js';
import type { FieldResolver } from './field-resolver.js';
import type { Operand } from './operand.js';
import type { Path } from './path.js';
import type { Position } from './position.js';
import type { RecordResolver } from './record-resolver.js';
import { findRelation } from './relations.js';
import { type RequestOperands, valueAt } from './request-operands.js';
import type { RowVariables } from './row-variables.js';
import { toNumber } from './value-conversions.js';

/** `@request.body.*`: what was submitted, and the records whose ids were. */
export class BodyResolver {
  constructor(
    private readonly operands: RequestOperands,
    private readonly records: RecordResolver,
    private readonly ownFields: FieldResolver,
    private readonly collection: Collection | undefined,
  ) {}

  /** The path is without its prefix. */
  resolve(path: Path, rows: RowVariables): Operand {
    const [name, ...inside] = path.segments as [string, ...string[]];
    const field = this.collection?.field(name);
    const read = (scope: BindScope) => valueAt(scope.caller.request.body, path.segments);
    if (path.modifier === 'isset') return this.operands.truth((scope) => read(scope) !== undefined);
    if (path.modifier === 'changed') return this.changed(path, field, rows);
    if (field && inside.length > 0 && this.leadsOn(name)) return this.related(path, rows);
    const type = field && this.collection!.typeOf(field);
    const kind = field && type!.operandKind(field);
    const counts = !type || 'maxSelect' in type.options || kind === 'J';
    if (path.modifier === 'length' && counts) return this.operands.length(read, kind !== undefined && kind !== 'J');
    if (path.modifier === 'each' && counts) {
      return this.operands.each({ name: `@request.body.${path.segments.join('.')}`, kind, read }, rows);
    }
    const operand = this.operands.value(kind === 'N' ? (scope) => toNumber(read(scope)) : read, path);
    if (kind !== 'M' || path.modifier !== '' || inside.length > 0) return operand;
    return { ...operand, items: () => this.operands.items(read) };
  }

  private leadsOn(name: string): boolean {
    return findRelation(this.collection!, name, this.operands.context.catalog)?.kind === 'relation';
  }

  private changed(path: Path, field: FieldDefinition | undefined, rows: RowVariables): Operand {
    if (!field || path.segments.length > 1) throw new FilterError(':changed goes with a field only', path.span);
    const plain: Path = { ...path, modifier: '' };
    const isset = this.resolve({ ...path, modifier: 'isset' }, rows).expression;
    const differs = compareOperands('!=', this.resolve(plain, rows), this.ownFields.resolve(plain, rows));
    return { kind: 'S', expression: and(compare(isset, '=', ONE), differs) };
  }

  /** From a record that has nothing but the submitted ids. The step to the submitted records is not counted. */
  private related(path: Path, rows: RowVariables): Operand {
    const collection = this.collection!;
    const start: Position = {
      collection,
      path: '@request.body',
      hops: -1,
      multi: false,
      column: (field) => {
        const type = collection.typeOf(field);
        const read = ({ caller: { request } }: BindScope) =>
          type.toColumn(type.normalize(valueAt(request.body, [field.name]), field), field);
        return this.operands.context.reader.node(read, columnType(collection, field));
      },
    };
    return this.records.resolve(path, () => start, rows);
  }
}
