import type { SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and, column, compare } from '../sql/sql.js';

/** How many rows are looked at for each that is wanted: enough where one of some ten is found. */
const ROWS_FOR_ONE = 10;
const FEWEST_ROWS = 100;
const MOST_ROWS = 1000;
/** Of large pages, whose rows cost more than what is looked at in vain. */
const ROWS_FOR_ONE_OF_MANY = 3;

const FIRST = 'first rows';
const PLACE = 'place';

type PageOfTable = SqlSelect & Required<Pick<SqlSelect, 'from' | 'where' | 'order' | 'limit'>>;

/** Is it a page of a table, under a condition, in the order of insertion? Only then is there a beginning to look at. */
export function hasBeginning(page: SqlSelect): page is PageOfTable {
  const { from, where, order = [], limit } = page;
  return from?.kind === 'table' && !!where && !!limit && order.length === 1 && order[0]!.value.kind === 'rowid';
}

/**
 * A page in the order of insertion, looked for among the first rows of its table only. However large that is, and whatever
 * the condition, so few rows cost little; a page that is full is the same as that of the whole table.
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
