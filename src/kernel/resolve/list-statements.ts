import type { BoundSql } from '../sql/bound-sql.js';
import type { BindScope } from './bind-scope.js';
import type { PreparedSql } from './prepared-sql.js';

/** The two statements of a list, before they are filled. */
export interface PreparedList {
  /** Like `page` without a word of an offset: what the statement may cost then shows in its plan. */
  readonly firstPage: PreparedSql;
  readonly page: PreparedSql;
  readonly count: PreparedSql;
}

/** The two statements of a list, filled for one request. */
export class ListStatements {
  constructor(
    private readonly prepared: PreparedList,
    private readonly scope: BindScope,
  ) {}

  /** The rows of one page, one column per field and named as it. */
  page(offset: number): BoundSql {
    const { page, firstPage } = this.prepared;
    return (offset === 0 ? firstPage : page).bind({
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
