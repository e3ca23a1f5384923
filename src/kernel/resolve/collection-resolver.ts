import { FilterError } from '../filter/filter.error.js';
import { fieldColumn } from './columns.js';
import type { Operand } from './operand.js';
import { dropSegments, type Path } from './path.js';
import type { Position } from './position.js';
import type { RecordResolver } from './record-resolver.js';
import type { ResolveContext } from './resolve-context.js';
import type { RowVariables } from './row-variables.js';

/** `@collection.name.path` and `@collection.name:alias.path`: any row of another collection. */
export class CollectionResolver {
  constructor(
    private readonly context: ResolveContext,
    private readonly records: RecordResolver,
  ) {}

  resolve(path: Path, rows: RowVariables): Operand {
    const [name = '', alias = '', ...more] = (path.segments[1] ?? '').split(':');
    const collection = this.context.catalog.find(name);
    if (!collection) throw new FilterError(`Unknown collection ${JSON.stringify(name)}`, path.span);
    if (more.length > 0 || path.segments.length < 3) {
      throw new FilterError('@collection needs a collection and a field', path.span);
    }
    const key = `@collection.${collection.id}:${alias}`;
    const start = (variables: RowVariables): Position => {
      const row = variables.alias(key, { source: (as) => ({ kind: 'table', name: collection.name, as }) });
      const column = (field: Parameters<Position['column']>[0]) => fieldColumn(collection, field, row);
      return { collection, path: key, hops: 0, multi: true, column };
    };
    return this.records.resolve(dropSegments(path, 2), start, rows);
  }
}
