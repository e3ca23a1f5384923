import type { BoundSql } from '../sql/bound-sql.js';
import type { BindScope } from './expression-scope.js';
import type { SqlSelect } from '../sql/sql-node.js';
import type { PreparedSql } from './prepared-sql.js';

/** What a list is made of, as trees. */
export interface ListQueries {
  /** As `page` without OFFSET, so that the plan shows what the statement may cost. */
  readonly firstPage: SqlSelect;
  readonly page: SqlSelect;
  /** Like `firstPage`, looked for among the first rows only (see `beginningOf`). */
  readonly beginning?: () => SqlSelect;
  readonly count: () => SqlSelect;
}

/** The compiled statements of a list. Most lists need only one, so each is compiled when it is first used. */
export class PreparedList {
  private writtenFirstPage: PreparedSql | undefined;
  private writtenBeginning: PreparedSql | undefined;
  private writtenPage: PreparedSql | undefined;
  private writtenCount: PreparedSql | undefined;

  constructor(
    private readonly queries: ListQueries,
    private readonly write: (query: SqlSelect) => PreparedSql,
  ) {}

  get firstPage(): PreparedSql {
    return (this.writtenFirstPage ??= this.write(this.queries.firstPage));
  }

  get hasBeginning(): boolean {
    return this.queries.beginning !== undefined;
  }

  get beginning(): PreparedSql {
    return (this.writtenBeginning ??= this.write(this.queries.beginning!()));
  }

  /** Rows of a full page. */
  get limit(): number {
    return this.queries.page.limit!;
  }

  get page(): PreparedSql {
    return (this.writtenPage ??= this.write(this.queries.page));
  }

  get count(): PreparedSql {
    return (this.writtenCount ??= this.write(this.queries.count()));
  }
}

/** The two statements of a list, filled for one request. */
export class ListStatements {
  constructor(
    private readonly prepared: PreparedList,
    private readonly scope: BindScope,
  ) {}

  /** The rows of one page, one column per field and named as it. */
  page(offset: number): BoundSql {
    const { prepared } = this;
    const { caller, now } = this.scope;
    const scope = { caller, now, args: [offset] };
    if (offset > 0) return prepared.page.bind(scope);
    const page = prepared.firstPage.bind(scope);
    if (!prepared.hasBeginning) return page;
    return { ...page, beginning: { enough: prepared.limit, statement: () => prepared.beginning.bind(scope) } };
  }

  /** How many records there are on all pages, in a column `total`. */
  count(): BoundSql {
    return this.prepared.count.bind(this.scope);
  }
}
