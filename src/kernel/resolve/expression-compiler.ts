import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import {
  CandidateCompiler,
  type CandidateQuery,
  type CandidateStatement,
  type DecisionQuery,
} from './candidate-compiler.js';
import { CompiledCache } from './compiled-cache.js';
import { ExpressionBuilder, type ParseFilter } from './expression-builder.js';
import type { ExpressionScope } from './expression-scope.js';
import { ListCompiler, type ListQuery } from './list-compiler.js';
import type { ListStatements } from './list-statements.js';
import { type ChildrenQuery, type FindQuery, type HoursQuery, LookupCompiler } from './lookup-compiler.js';
import { PreparedSql } from './prepared-sql.js';

/** A rule on the rows of a collection, which are called `alias` in the statement; by default like its table. */
export interface ConditionQuery extends ExpressionScope {
  readonly rule: string;
  readonly alias?: string;
}

/**
 * Compiles rules, filters and sorts to SQL. Results are cached as long as the catalog lives: the SQL text is made once
 * for all requests that lead to the same one, and filled with the values of each.
 */
export class ExpressionCompiler {
  private readonly conditions = new CompiledCache<PreparedSql>();
  private readonly lists: ListCompiler;
  private readonly lookups: LookupCompiler;
  private readonly candidateChecks: CandidateCompiler;

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {
    this.lists = new ListCompiler(newCompiler, parse);
    this.lookups = new LookupCompiler(newCompiler, parse);
    this.candidateChecks = new CandidateCompiler(newCompiler, parse);
  }

  /** A rule as a condition for a WHERE. Throws a BrokenRuleError when the rule cannot be compiled. */
  condition(query: ConditionQuery): BoundSql {
    const { catalog, collection, rule, alias = collection.name } = query;
    const key = alias === collection.name ? rule : `${alias}\0${rule}`;
    const prepared = this.conditions.get(catalog, collection, key, query, () => {
      const builder = new ExpressionBuilder(catalog, this.parse, query);
      const compiled = new PreparedSql(this.newCompiler().expression(builder.rule(rule, { collection, alias })));
      return { reader: builder.reader, compiled, size: compiled.size };
    });
    return prepared.bind(query);
  }

  /**
   * The statements of a list. Throws a BadRequestError for a filter or sort that means nothing, a ForbiddenError when
   * a guarded one names what is for superusers, a BrokenRuleError for the rule.
   */
  list(query: ListQuery): ListStatements {
    return this.lists.compile(query);
  }

  /** The rows with these ids that pass a rule, in any order. Throws a BrokenRuleError. */
  find(query: FindQuery): BoundSql {
    return this.lookups.find(query);
  }

  /** How many rows that pass a rule there are in each `hour` that has some, oldest first, as `total`. */
  countByHour(query: HoursQuery): BoundSql {
    return this.lookups.countByHour(query);
  }

  /** As `find`, the ids alone. */
  findIds(query: FindQuery): BoundSql {
    return this.lookups.findIds(query);
  }

  /** How many rows `children` gives of each parent: its id in the column PARENT, their number in `total`. */
  countChildren(query: ChildrenQuery): BoundSql {
    return this.lookups.countChildren(query);
  }

  /**
   * The rows that point to these parents through a relation field and pass a rule: in order of insertion, at most
   * 1000 of each parent (EXP-8), with its id in the column PARENT. Throws a BrokenRuleError.
   */
  children(query: ChildrenQuery): BoundSql {
    return this.lookups.children(query);
  }

  /** Which of the checks a record passes whose values are given: one to be created, or one as it was (SQL-5, RT-63). */
  candidates(query: CandidateQuery): CandidateStatement {
    return this.candidateChecks.compile(query);
  }

  /**
   * Whether a record whose values are given passes a check, if that can be told without the database, where it means
   * the same; undefined otherwise. Throws a BrokenRuleError, or what is wrong with a filter.
   */
  decide(query: DecisionQuery): boolean | undefined {
    return this.candidateChecks.decide(query);
  }
}
