import { ordersBy, parseIndexes } from '../collections/index-definition.js';
import { FilterError } from '../filter/filter.error.js';
import type { SortKey } from '../query/sort.js';
import type { SqlNode, SqlOrder } from '../sql/sql-node.js';
import { call, choose, column, EMPTY } from '../sql/sql.js';
import type { Aliases } from './aliases.js';
import type { FieldResolver } from './field-resolver.js';
import { type Path, parsePath } from './path.js';
import type { RequestResolver } from './request-resolver.js';
import { RowVariables } from './row-variables.js';

const MODIFIERS: ReadonlySet<string> = new Set(['', 'lower', 'length']);

/** What is sorted. */
export interface SortTarget {
  readonly alias: string;
  /** Whether its rows have an order of insertion; views have none (SORT-2). */
  readonly hasRowid: boolean;
  /** Statements of its indexes. */
  readonly indexes: readonly string[];
}

/** Sort keys as terms of an ORDER BY that places every record exactly once. */
export class SortToSql {
  constructor(
    private readonly target: SortTarget,
    private readonly aliases: Aliases,
    private readonly fields: FieldResolver,
    private readonly request?: RequestResolver,
  ) {}

  /** Ends with the order of insertion, so that paging is stable (SORT-5). Throws a FilterError for what is no key. */
  compile(keys: readonly SortKey[]): SqlOrder[] {
    const order = keys.map((key) => this.term(key));
    const settled = keys.some((key) => key.kind !== 'path' || (key.path === 'id' && this.target.hasRowid));
    return settled ? order : [...order, { value: this.insertion(), descending: false }];
  }

  private insertion(): SqlNode {
    const { alias, hasRowid } = this.target;
    return hasRowid ? { kind: 'rowid', alias } : column(alias, 'id');
  }

  private term(key: SortKey): SqlOrder {
    if (key.kind === 'random') return { value: call('random'), descending: false };
    if (key.kind === 'path') {
      const value = this.value(parsePath(key.path, key.span), key);
      const isFilled = this.isFilled(value);
      const isIndexed = isFilled && this.isIndexed(value);
      return { value, descending: key.descending, ...(isFilled && { isFilled }), ...(isIndexed && { isIndexed }) };
    }
    if (!this.target.hasRowid) throw new FilterError('A view has no @rowid', key.span);
    return { value: this.insertion(), descending: key.descending };
  }

  /** Columns of tables are filled; JSON may be null, and views have what their queries give. */
  private isFilled(value: SqlNode): boolean {
    const isOwn = value.kind === 'column' && value.alias === this.target.alias && this.target.hasRowid;
    return isOwn && value.type !== 'json';
  }

  private isIndexed(value: SqlNode): boolean {
    return value.kind === 'column' && parseIndexes(this.target.indexes).some((index) => ordersBy(index, value.name));
  }

  /** Of several related records the smallest value counts, and the largest when descending (SORT-4). */
  private value(path: Path, { descending }: Extract<SortKey, { kind: 'path' }>): SqlNode {
    if (!MODIFIERS.has(path.modifier)) throw new FilterError(`:${path.modifier} is nothing to sort by`, path.span);
    const rows = new RowVariables(this.aliases);
    const { expression, requires, valueSet } = this.resolve(path, rows);
    const value = requires ? choose(requires, expression, EMPTY) : expression;
    if (rows.size === 0) return value;
    const best = valueSet ? call(descending ? 'max' : 'min', value) : value;
    return { kind: 'scalar', query: rows.values(best) };
  }

  private resolve(path: Path, rows: RowVariables): ReturnType<FieldResolver['resolve']> {
    const [first, second] = path.segments;
    if (!first!.startsWith('@')) return this.fields.resolve(path, rows);
    if (this.request && first === '@request' && second === 'auth') {
      const operand = this.request.resolve(path, rows);
      if (rows.size > 0) return operand;
    }
    throw new FilterError(`${path.segments.join('.')} is nothing to sort by`, path.span);
  }
}
