import type { Collection } from '../collections/collection.js';
import { ForbiddenError } from '../errors/forbidden.error.js';
import type { FilterNode } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import { printFilter } from '../filter/print-filter.js';
import { hasSuperuserIdentifier } from '../filter/superuser-identifiers.js';
import { invalidQuery } from '../query/invalid-query.js';
import { parseSort } from '../query/sort.js';
import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import type { SqlNode, SqlSelect } from '../sql/sql-node.js';
import { and, call, param } from '../sql/sql.js';
import { CandidateCompiler, type CandidateQuery, type CandidateStatement } from './candidate-compiler.js';
import { rowColumns } from './columns.js';
import { CompiledCache } from './compiled-cache.js';
import { ExpressionBuilder, type ExpressionTarget, type ParseFilter } from './expression-builder.js';
import type { ExpressionScope } from './expression-scope.js';
import { ListStatements } from './list-statements.js';
import { type ChildrenQuery, type FindQuery, LookupCompiler } from './lookup-compiler.js';
import { PreparedSql } from './prepared-sql.js';
import { RequestSlot } from './request-slot.js';

/** A rule on the rows of a collection, which are called `alias` in the statement; by default like its table. */
export interface ConditionQuery extends ExpressionScope {
  readonly rule: string;
  readonly alias?: string;
}

export interface ListQuery extends ExpressionScope {
  /** Absent or empty: every record. */
  readonly rule?: string;
  /** A text of the language, or a tree with bound parameters. Absent or empty: every record. */
  readonly filter?: string | FilterNode;
  readonly sort?: string;
  /** True for filters and sorts of clients who are no superusers (§13). */
  readonly guarded?: boolean;
  /** True for tables that are no collection of records: `@request` and `@collection` are unknown names there. */
  readonly columnsOnly?: boolean;
}

interface ListPrepared {
  readonly page: PreparedSql;
  readonly count: PreparedSql;
}

/**
 * Rules, filters and sorts to SQL that is ready to run. Remembers what it compiled as long as the schema lives: the
 * text is made once for all requests that look alike, and filled with the values of each.
 */
export class ExpressionCompiler {
  private readonly conditions = new CompiledCache<PreparedSql>();
  private readonly lists = new CompiledCache<ListPrepared>();

  private readonly candidateCompiler: CandidateCompiler;
  private readonly lookups: LookupCompiler;

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {
    this.candidateCompiler = new CandidateCompiler(newCompiler, parse);
    this.lookups = new LookupCompiler(newCompiler, parse);
  }

  /** A rule as a condition for a WHERE. Throws a BrokenRuleError when the rule means nothing any more. */
  condition(query: ConditionQuery): BoundSql {
    const { catalog, collection, rule, alias = collection.name } = query;
    const key = alias === collection.name ? rule : `${alias}\0${rule}`;
    const prepared = this.conditions.get(catalog, collection, key, query, () => {
      const builder = this.builder(query);
      return this.variant(builder, this.newCompiler().expression(builder.rule(rule, { collection, alias })));
    });
    return prepared.bind(query);
  }

  /**
   * The statements of a list. Throws a BadRequestError for a filter or sort that means nothing, a ForbiddenError when
   * a guarded one names what is for superusers, a BrokenRuleError for the rule.
   */
  list(query: ListQuery): ListStatements {
    const { catalog, collection, rule = '', filter = '', sort = '', guarded = false, columnsOnly = false } = query;
    const filterText = typeof filter === 'string' ? filter : printFilter(filter);
    const key = `${guarded ? 'guarded' : columnsOnly ? 'columns' : 'open'}\0${rule}\0${filterText}\0${sort}`;
    const prepared = this.lists.get(catalog, collection, key, query, () => {
      if (guarded && (hasSuperuserIdentifier(filterText) || hasSuperuserIdentifier(sort))) throw new ForbiddenError();
      const builder = this.builder(query);
      const target: ExpressionTarget = { collection, alias: collection.name, guarded, columnsOnly };
      const rows = this.rows(collection, and(...this.listConditions(builder, query, target)));
      const order = attempt('sort', () => builder.order(parseSort(sort), target));
      const [limit, offset] = [0, 1].map((index) => param(new RequestSlot(({ args }) => args![index]!), 'number'));
      const columns = rowColumns(collection);
      const page = this.newCompiler().statement({ ...rows, columns, order, limit, offset });
      const count = this.newCompiler().statement({ ...rows, columns: [{ value: call('count'), as: 'total' }] });
      return {
        reader: builder.reader,
        compiled: { page: new PreparedSql(page), count: new PreparedSql(count) },
      };
    });
    return new ListStatements(prepared, query);
  }

  /** Which of the checks a record passes whose values are given: one to be created, or one as it was (SQL-5, RT-63). */
  candidates(query: CandidateQuery): CandidateStatement {
    return this.candidateCompiler.compile(query);
  }

  /** The rows with these ids that pass a rule, in any order. Throws a BrokenRuleError. */
  find(query: FindQuery): BoundSql {
    return this.lookups.find(query);
  }

  /**
   * The rows that point to these parents through a relation field and pass a rule: in order of insertion, at most
   * 1000 of each parent (EXP-8), with its id in the column PARENT. Throws a BrokenRuleError.
   */
  children(query: ChildrenQuery): BoundSql {
    return this.lookups.children(query);
  }

  private listConditions(builder: ExpressionBuilder, query: ListQuery, target: ExpressionTarget): SqlNode[] {
    const { rule = '', filter = '' } = query;
    const conditions: SqlNode[] = [];
    if (rule !== '') conditions.push(builder.rule(rule, { ...target, guarded: false }));
    if (filter !== '') {
      const node = () => (typeof filter === 'string' ? this.parse(filter) : filter);
      conditions.push(attempt('filter', () => builder.expression(node(), target)));
    }
    return conditions;
  }

  private rows(collection: Collection, condition: SqlNode): SqlSelect {
    const from = { kind: 'table', name: collection.name, as: collection.name } as const;
    const where = condition.kind === 'truth' && condition.value ? undefined : condition;
    return { kind: 'select', columns: [], from, where };
  }

  private builder(scope: ExpressionScope): ExpressionBuilder {
    return new ExpressionBuilder(scope.catalog, this.parse, scope);
  }

  private variant(builder: ExpressionBuilder, template: ReturnType<SqlCompiler['expression']>) {
    return { reader: builder.reader, compiled: new PreparedSql(template) };
  }
}

function attempt<Result>(parameter: 'filter' | 'sort', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof FilterError ? invalidQuery(parameter, error) : error;
  }
}
