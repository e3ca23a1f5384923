import { ForbiddenError } from '../errors/forbidden.error.js';
import type { FilterNode } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import { printFilter } from '../filter/print-filter.js';
import { hasSuperuserIdentifier } from '../filter/superuser-identifiers.js';
import { invalidQuery } from '../query/invalid-query.js';
import { parseSort } from '../query/sort.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import type { SqlNode, SqlSelect } from '../sql/sql-node.js';
import { and, param } from '../sql/sql.js';
import { beginningOf, hasBeginning } from './beginning-of.js';
import { rowColumns } from './columns.js';
import { CompiledCache } from './compiled-cache.js';
import { countRows } from './count-rows.js';
import { ExpressionBuilder, type ExpressionTarget, type ParseFilter } from './expression-builder.js';
import type { ExpressionScope } from './expression-scope.js';
import { type ListQueries, ListStatements, PreparedList } from './list-statements.js';
import { narrowColumns } from './narrow-columns.js';
import { PreparedSql } from './prepared-sql.js';
import { RequestSlot } from './request-slot.js';

/** The statements of a list: two pages, the beginning of one, and a count. */
const STATEMENTS = 4;

export interface ListQuery extends ExpressionScope {
  /** Absent or empty: every record. */
  readonly rule?: string;
  /** A text of the language, or a tree with bound parameters. Absent or empty: every record. */
  readonly filter?: string | FilterNode;
  /** What code adds to the filter, seeing whatever a rule sees. */
  readonly narrowedBy?: readonly FilterNode[];
  readonly sort?: string;
  /** The most rows of a page. */
  readonly limit: number;
  /** True where values that are too long for a page are left out of it (`isNarrowed` tells). */
  readonly narrow?: boolean;
  /** True for filters and sorts of clients who are no superusers (§13). */
  readonly guarded?: boolean;
  /** True for tables that are no collection of records: `@request` and `@collection` are unknown names there. */
  readonly columnsOnly?: boolean;
}

/** Compiles lists under a rule, a filter and a sort. Rule and filter choose their related rows separately (MM-8). */
export class ListCompiler {
  private readonly lists = new CompiledCache<PreparedList>();

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {}

  compile(query: ListQuery): ListStatements {
    const {
      catalog,
      collection,
      rule = '',
      filter = '',
      sort = '',
      limit,
      guarded = false,
      columnsOnly = false,
    } = query;
    const filterText = typeof filter === 'string' ? filter : printFilter(filter);
    const added = (query.narrowedBy ?? []).map((term) => `\0${printFilter(term)}`).join('');
    const key = `${guarded ? 'guarded' : columnsOnly ? 'columns' : 'open'} ${query.narrow ? 'narrow' : ''}\0${limit}\0${rule}\0${filterText}\0${sort}${added}`;
    const prepared = this.lists.get(catalog, collection, key, query, () => {
      if (guarded && (hasSuperuserIdentifier(filterText) || hasSuperuserIdentifier(sort))) throw new ForbiddenError();
      const builder = new ExpressionBuilder(catalog, this.parse, query);
      const compiled = this.statements(builder, query);
      return { reader: builder.reader, compiled, size: STATEMENTS * compiled.firstPage.size };
    });
    return new ListStatements(prepared, query);
  }

  private statements(builder: ExpressionBuilder, query: ListQuery): PreparedList {
    const { collection, sort = '', limit, guarded, columnsOnly } = query;
    const target: ExpressionTarget = { collection, alias: collection.name, guarded, columnsOnly };
    const where = and(...this.conditions(builder, query, target));
    const order = attempt('sort', () => builder.order(parseSort(sort), target));
    const offset = param(new RequestSlot(({ args }) => args![0]!), 'number');
    const pages: SqlSelect = {
      kind: 'select',
      columns: query.narrow ? narrowColumns(collection, limit) : rowColumns(collection),
      from: { kind: 'table', name: collection.name, as: collection.name },
      where: where.kind === 'truth' && where.value ? undefined : where,
      order,
      limit,
    };
    const queries: ListQueries = {
      firstPage: pages,
      page: { ...pages, offset },
      beginning: hasBeginning(pages) ? () => beginningOf(pages) : undefined,
      count: () => countRows(collection, where),
    };
    return new PreparedList(queries, (query) => new PreparedSql(this.newCompiler().statement(query)));
  }

  private conditions(builder: ExpressionBuilder, query: ListQuery, target: ExpressionTarget): SqlNode[] {
    const { rule = '', filter = '', narrowedBy = [] } = query;
    const conditions: SqlNode[] = [];
    if (rule !== '') conditions.push(builder.rule(rule, { ...target, guarded: false }));
    for (const term of narrowedBy) conditions.push(builder.rule(term, { ...target, guarded: false }));
    if (filter !== '') {
      const node = () => (typeof filter === 'string' ? this.parse(filter) : filter);
      conditions.push(attempt('filter', () => builder.expression(node(), target)));
    }
    return conditions;
  }
}

function attempt<Result>(parameter: 'filter' | 'sort', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof FilterError ? invalidQuery(parameter, error) : error;
  }
}
