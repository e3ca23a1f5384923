import type { SqlJoin, SqlNode, SqlQuery, SqlSelect } from './sql-node.js';

type ColumnNode = Extract<SqlNode, { kind: 'column' }>;
type IdLink = { readonly join: SqlJoin; readonly alias: string; readonly from: string; readonly on: SqlNode };

/**
 * Rewrites an EXISTS over joined rows as an IN, so that the planner may begin with the related rows and then find those
 * that refer to them. Undefined where that would mean something else, or where relations lead to several rows, which
 * the planner overestimates.
 */
export function asSemiJoin(query: SqlQuery): SqlSelect | undefined {
  if (query.kind !== 'select' || query.from?.kind !== 'oneRow' || !query.where || query.with) return undefined;
  if (query.groupBy || query.order || query.limit !== undefined || query.offset) return undefined;
  const links = (query.joins ?? []).map(linkOf);
  if (links.length === 0 || !links.every((link) => link !== undefined)) return undefined;
  if (!areAllThere(links, query.where)) return undefined;
  const [first, ...others] = links;
  return {
    ...query,
    from: first!.join.source,
    joins: others.map(({ join }) => ({ kind: 'cross', source: join.source })),
    where: { kind: 'and', terms: [...links.map(({ on }) => on), query.where] },
  };
}

/** A table that is joined by the id which a column has. */
function linkOf(join: SqlJoin): IdLink | undefined {
  const { kind, source, on } = join;
  if (kind !== 'left' || source.kind !== 'table' || on?.kind !== 'compare' || on.operator !== '=') return undefined;
  const [own, other] = [on.left, on.right];
  const isLink = isColumn(own) && isColumn(other) && own.alias === source.as && own.name === 'id';
  return isLink && other.type === 'text' ? { join, alias: source.as, from: other.alias, on } : undefined;
}

/** Whether the condition can hold only when all rows exist, because it reads them or rows joined to them. */
function areAllThere(links: readonly IdLink[], condition: SqlNode): boolean {
  const there = new Set<string>();
  for (const { alias, from } of links.toReversed()) {
    if (!there.has(alias) && !needsRow(condition, alias)) return false;
    there.add(alias).add(from);
  }
  return true;
}

/** Whether a condition holds only when this row exists; the columns of a missing one are NULL. */
function needsRow(condition: SqlNode, alias: string): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.terms.some((term) => needsRow(term, alias));
    case 'or':
      return condition.terms.every((term) => needsRow(term, alias));
    case 'not':
      return isUnknownWithout(condition.term, alias);
    default:
      return isUnknownWithout(condition, alias);
  }
}

/** Whether the condition and its negation are both NULL when this row is missing. */
function isUnknownWithout(condition: SqlNode, alias: string): boolean {
  const isOf = (node: SqlNode): boolean => isColumn(node) && node.alias === alias && PLAIN.has(node.type);
  const isSimple = (node: SqlNode): boolean => node.kind === 'param' || node.kind === 'constant' || isColumn(node);
  switch (condition.kind) {
    case 'compare': {
      const { operator, left, right } = condition;
      if (operator === 'is' || operator === 'isNot') return false;
      return (isOf(left) && isSimple(right)) || (isOf(right) && isSimple(left));
    }
    case 'like':
      return isOf(condition.value) || isOf(condition.pattern);
    default:
      return false;
  }
}

/** Types that are compared without conversion. */
const PLAIN: ReadonlySet<ColumnNode['type']> = new Set<ColumnNode['type']>(['text', 'number', 'boolean']);

function isColumn(node: SqlNode): node is ColumnNode {
  return node.kind === 'column';
}
