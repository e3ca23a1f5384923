import type { SqlNode, SqlQuery, SqlSelect, SqlSource } from './sql-node.js';

type ColumnNode = Extract<SqlNode, { kind: 'column' | 'rowid' }>;

/** Every column an expression reads, the queries inside it included; one that is read twice comes twice. */
export function* columnsRead(node: SqlNode): Generator<ColumnNode> {
  switch (node.kind) {
    case 'column':
    case 'rowid':
      yield node;
      return;
    case 'param':
    case 'constant':
    case 'null':
    case 'truth':
      return;
    case 'exists':
    case 'scalar':
      return yield* inQuery(node.query);
    case 'in':
      yield* columnsRead(node.value);
      return yield* inQuery(node.query);
    default:
      for (const operand of operandsOf(node)) yield* columnsRead(operand);
  }
}

type Operation = Exclude<
  SqlNode,
  { kind: 'column' | 'rowid' | 'param' | 'constant' | 'null' | 'truth' | 'exists' | 'scalar' | 'in' }
>;

function operandsOf(node: Operation): readonly SqlNode[] {
  switch (node.kind) {
    case 'rowNumber':
      return [node.among, node.order];
    case 'listItem':
      return [node.list];
    case 'call':
      return node.args;
    case 'compare':
    case 'sameText':
      return [node.left, node.right];
    case 'oneOf':
      return [node.value, ...node.list];
    case 'like':
      return [node.value, node.pattern];
    case 'isNull':
    case 'isFilled':
    case 'cast':
      return [node.value];
    case 'and':
    case 'or':
      return node.terms;
    case 'not':
      return [node.term];
    case 'case':
      return [node.when, node.value, node.otherwise];
  }
}

function* inQuery(query: SqlQuery): Generator<ColumnNode> {
  if (query.with) yield* inQuery(query.with.query);
  if (query.kind === 'select') return yield* inSelect(query);
  for (const select of query.queries) yield* inSelect(select);
}

function* inSelect(select: SqlSelect): Generator<ColumnNode> {
  const { columns, from, joins = [], where, order = [], offset, groupBy = [] } = select;
  for (const { value } of [...columns, ...order]) yield* columnsRead(value);
  if (from) yield* inSource(from);
  for (const { source, on } of joins) {
    yield* inSource(source);
    if (on) yield* columnsRead(on);
  }
  for (const node of [where, offset, ...groupBy]) if (node) yield* columnsRead(node);
}

function* inSource(source: SqlSource): Generator<ColumnNode> {
  if (source.kind === 'query') yield* inQuery(source.query);
  if (source.kind === 'items') yield* columnsRead(source.of);
}
