import type { BoundSql } from '../sql/bound-sql.js';
import type { BindScope } from './bind-scope.js';
import type { SqlSelect } from '../sql/sql-node.js';
import type { PreparedSql } from './prepared-sql.js';

/** What a list is made of, as trees. */
export interface ListQueries {
  /** Like `page` without a word of an offset: what the statement may cost then shows in its plan. */
  readonly firstPage: SqlSelect;
  readonly page: SqlSelect;
  readonly count: () => SqlSelect;
}

/** The statements of a list before they are filled. Most lists need one of them: each is written when it is asked for. */
export class PreparedList {
  private writtenFirstPage: PreparedSql | undefined;
  private writtenPage: PreparedSql | undefined;
  private writtenCount: PreparedSql | undefined;

  constructor(
    private readonly queries: ListQueries,
    private readonly write: (query: SqlSelect) => PreparedSql,
  ) {}

  get firstPage(): PreparedSql {
    return (this.writtenFirstPage ??= this.write(this.queries.firstPage));
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
    const page = offset === 0 ? this.prepared.firstPage : this.prepared.page;
    return page.bind({
      caller: this.scope.caller,
      now: this.scope.now,
      args: [offset],
    });
  }

  /** How many records there are on all pages, in a column `total`. */
  count(): BoundSql {
    return this.prepared.count.bind(this.scope);
  }
}
