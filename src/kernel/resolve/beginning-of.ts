import type { SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and, column, compare } from '../sql/sql.js';

/** Rows that are looked at for each wanted one: enough when about one in ten matches. */
const ROWS_FOR_ONE = 10;
const FEWEST_ROWS = 100;
const MOST_ROWS = 1000;
/** The same for large pages, whose rows cost more than those looked at in vain. */
const ROWS_FOR_ONE_OF_MANY = 3;

const FIRST = 'first rows';
const PLACE = 'place';

type PageOfTable = SqlSelect & Required<Pick<SqlSelect, 'from' | 'where' | 'order' | 'limit'>>;

/**
 * Whether it is a page of a table in the order of insertion, under a condition. Only then can its beginning be
 * searched.
 */
export function hasBeginning(page: SqlSelect): page is PageOfTable {
  const { from, where, order = [], limit } = page;
  return from?.kind === 'table' && !!where && !!limit && order.length === 1 && order[0]!.value.kind === 'rowid';
}

/**
 * A page in the order of insertion, searched among the first rows of its table only, which is cheap however large the
 * table is. When the result is a full page, it is the same as that of the whole table.
 */
export function beginningOf(page: PageOfTable): SqlSelect {
  const { from, where, order, limit } = page;
  const { name, as } = from as Extract<SqlSource, { kind: 'table' }>;
  const { descending } = order[0]!;
  const rows: SqlSelect = {
    kind: 'select',
    columns: [{ value: { kind: 'rowid', alias: FIRST }, as: PLACE }],
    from: { kind: 'table', name, as: FIRST },
    order: [{ value: { kind: 'rowid', alias: FIRST }, descending }],
    limit: rowsFor(limit),
  };
  const place = column(FIRST, PLACE, 'number');
  return {
    ...page,
    from: { kind: 'query', query: rows, as: FIRST },
    joins: [{ kind: 'cross', source: from }],
    where: and(compare({ kind: 'rowid', alias: as }, '=', place), where),
    order: [{ value: place, descending }],
  };
}

function rowsFor(limit: number): number {
  const many = Math.max(MOST_ROWS, limit * ROWS_FOR_ONE_OF_MANY);
  return Math.min(many, Math.max(FEWEST_ROWS, limit * ROWS_FOR_ONE));
}
