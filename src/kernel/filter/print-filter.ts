import type { FilterNode, OperandNode } from './filter-node.js';

/** The tree as text in one normal form: parsing it gives an equal tree, apart from where its nodes stand. */
export function printFilter(node: FilterNode): string {
  switch (node.kind) {
    case 'comparison':
      return `${printOperand(node.left)} ${node.any ? '?' : ''}${node.operator} ${printOperand(node.right)}`;
    case 'and':
      return node.terms.map((term) => (term.kind === 'or' ? `(${printFilter(term)})` : printFilter(term))).join(' && ');
    case 'or':
      return node.terms.map(printFilter).join(' || ');
  }
}

function printOperand(node: OperandNode): string {
  switch (node.kind) {
    case 'identifier':
      return node.name;
    case 'number':
      return node.text;
    case 'text':
      return JSON.stringify(node.value);
    case 'call':
      return `${node.name}(${node.args.map(printOperand).join(', ')})`;
  }
}
