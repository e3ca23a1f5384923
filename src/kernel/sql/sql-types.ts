import type { SqlNode, SqlType } from './sql-node.js';

/** What kind of value an expression gives. NULL counts as text: it is compared with anything. */
export function sqlTypeOf(node: SqlNode): SqlType {
  switch (node.kind) {
    case 'column':
    case 'param':
    case 'listItem':
    case 'cast':
      return node.type;
    case 'constant':
      return node.value === '' ? 'text' : 'number';
    case 'null':
      return 'text';
    case 'rowid':
    case 'rowNumber':
      return 'number';
    case 'case':
      return sqlTypeOf(node.value);
    case 'scalar':
      return node.query.kind === 'select' ? sqlTypeOf(node.query.columns[0]!.value) : 'text';
    case 'call':
      return typeOfCall(node);
    default:
      return 'boolean';
  }
}

function typeOfCall({ name, args }: Extract<SqlNode, { kind: 'call' }>): SqlType {
  switch (name) {
    case 'lower':
    case 'hour':
    case 'containing':
    case 'strftime':
      return 'text';
    case 'jsonValue':
      return 'json';
    case 'coalesce':
      return sqlTypeOf(args[0]!);
    // Where JSON values cannot be ordered, the minimum is that of the texts they are ordered by.
    case 'min':
    case 'max':
      return sqlTypeOf(args[0]!) === 'json' ? 'text' : sqlTypeOf(args[0]!);
    default:
      return 'number';
  }
}
