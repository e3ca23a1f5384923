import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { FilterNode } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import type { SortKey } from '../query/sort.js';
import type { SqlNode, SqlOrder, SqlType } from '../sql/sql-node.js';
import { Aliases } from './aliases.js';
import type { BindScope } from './expression-scope.js';
import { BrokenRuleError } from './broken-rule.error.js';
import { CollectionFields, type Rows } from './collection-fields.js';
import { CollectionResolver } from './collection-resolver.js';
import { FilterToSql } from './filter-to-sql.js';
import { OperandResolver } from './operand-resolver.js';
import { RecordResolver } from './record-resolver.js';
import { RequestResolver } from './request-resolver.js';
import type { RequestSlot } from './request-slot.js';
import { RequestReader } from './request-reader.js';
import type { ResolveContext } from './resolve-context.js';
import { SortToSql } from './sort-to-sql.js';

export type ParseFilter = (text: string) => FilterNode;

/** Which rows an expression is about, and who wrote it. */
export interface ExpressionTarget extends Rows {
  /** True for what a client wrote who is no superuser (§13). */
  readonly guarded?: boolean;
}

/** Builds the parts of one statement, which share their aliases and how they read the request. */
export class ExpressionBuilder {
  readonly aliases = new Aliases();
  readonly reader: RequestReader;

  constructor(
    readonly catalog: CollectionCatalog,
    private readonly parse: ParseFilter,
    scope: BindScope,
    place?: (slot: RequestSlot, type: SqlType) => SqlNode,
  ) {
    this.reader = new RequestReader(scope, place);
  }

  /** A stored rule as a condition, or one of code's own. Throws a BrokenRuleError when it has no meaning. */
  rule(rule: string | FilterNode, target: ExpressionTarget): SqlNode {
    try {
      return this.expression(typeof rule === 'string' ? this.parse(rule) : rule, target);
    } catch (error) {
      if (error instanceof FilterError) throw new BrokenRuleError(target.collection.name, error);
      throw error;
    }
  }

  /** An expression as a condition. Throws a FilterError when it means nothing. */
  expression(node: FilterNode, target: ExpressionTarget): SqlNode {
    return new FilterToSql(this.operands(target), this.aliases).compile(node);
  }

  /** The terms of an ORDER BY. Throws a FilterError for a key that means nothing. */
  order(keys: readonly SortKey[], target: ExpressionTarget): SqlOrder[] {
    const { fields, request } = this.resolvers(target);
    const { alias, collection } = target;
    const joined = target.columnsOnly ? undefined : request;
    const sorted = { alias, hasRowid: !collection.isView, indexes: collection.indexes };
    return new SortToSql(sorted, this.aliases, fields, joined).compile(keys);
  }

  private operands(target: ExpressionTarget): OperandResolver {
    const { context, fields, request, collections } = this.resolvers(target);
    return new OperandResolver(context, fields, target.columnsOnly ? undefined : { request, collections });
  }

  private resolvers(target: ExpressionTarget) {
    const context = this.context(target);
    const records = new RecordResolver(context);
    const fields = new CollectionFields(records, target);
    const request = new RequestResolver(context, records, fields, target.collection);
    return { context, fields, request, collections: new CollectionResolver(context, records) };
  }

  private context({ guarded = false }: ExpressionTarget): ResolveContext {
    const { catalog, reader, aliases } = this;
    const mayList = (collection: Collection, alias: string) => this.rule(collection.listRule!, { collection, alias });
    return { catalog, reader, aliases, guarded, mayList };
  }
}
