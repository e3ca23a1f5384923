import type { Collection } from '../collections/collection.js';
import { columnsRead } from '../sql/columns-read.js';
import type { SqlNode, SqlSelect } from '../sql/sql-node.js';
import { and, call, column, termsOf, TRUE, ZERO } from '../sql/sql.js';

/** More fields together have so many combinations that grouping by them saves nothing. */
const MOST_FIELDS = 3;

/** Types of fields that have few values for many records. */
const REPEATING: ReadonlySet<string> = new Set(['relation', 'select', 'bool']);

/**
 * The query that counts the records of a collection under a condition, in a column `total`.
 *
 * A condition on related records has the same result for all records that relate to the same ones. Records are
 * therefore grouped by these relations, and the condition is evaluated once for each group: for 100,000 posts once for
 * each author.
 */
export function countRows(collection: Collection, where: SqlNode): SqlSelect {
  const own = collection.name;
  const terms = termsOf(where);
  const related = terms.filter((term) => readsOtherRows(term) && isAboutGroups(term, collection));
  const fields = fieldsRead(related, own);
  if (fields.length === 0 || fields.length > MOST_FIELDS) {
    return { ...rowsOf(own, where), columns: [{ value: call('count'), as: 'total' }] };
  }
  const keys = fields.map((name) => column(own, name));
  const groups: SqlSelect = {
    ...rowsOf(own, and(...terms.filter((term) => !related.includes(term)))),
    columns: [
      ...keys.map((value, index) => ({ value, as: fields[index]! })),
      { value: call('count'), as: 'records in group' },
    ],
    groupBy: keys,
  };
  return {
    kind: 'select',
    columns: [{ value: call('coalesce', call('sum', column(own, 'records in group', 'number')), ZERO), as: 'total' }],
    // By the name of the collection: the condition reads its fields as before.
    from: { kind: 'query', query: groups, as: own },
    where: and(...related),
  };
}

function rowsOf(name: string, where: SqlNode): Omit<SqlSelect, 'columns'> {
  return { kind: 'select', from: { kind: 'table', name, as: name }, where: where === TRUE ? undefined : where };
}

/** Whether the condition contains an EXISTS. */
function readsOtherRows(condition: SqlNode): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.terms.some(readsOtherRows);
  return condition.kind === 'not' ? readsOtherRows(condition.term) : condition.kind === 'exists';
}

function isAboutGroups(condition: SqlNode, collection: Collection): boolean {
  const fields = fieldsRead([condition], collection.name);
  return fields.length > 0 && fields.every((name) => isRepeating(collection, name));
}

/** Stands for the insertion order where names of fields are collected. */
const NO_FIELD = '';

/** The columns of the records themselves that the conditions read. */
function fieldsRead(conditions: readonly SqlNode[], own: string): string[] {
  const columns = conditions.flatMap((condition) => [...columnsRead(condition)]).filter(({ alias }) => alias === own);
  return [...new Set(columns.map((node) => (node.kind === 'column' ? node.name : NO_FIELD)))];
}

/** A column of a view may compare its texts in a way of its own; that of a collection does not. */
function isRepeating(collection: Collection, name: string): boolean {
  const field = collection.field(name);
  if (field === undefined || collection.isView || !REPEATING.has(field.type)) return false;
  return collection.typeOf(field).operandKind(field) !== 'M';
}
