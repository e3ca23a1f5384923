import type { ComparisonOperator, OperandNode, Span } from './filter-node.js';

/**
 * One word of a filter text. Operands other than calls are tokens already: their shape is that of the node they become.
 */
export type Token =
  | Exclude<OperandNode, { kind: 'call' }>
  | { readonly kind: 'operator'; readonly operator: ComparisonOperator; readonly any: boolean; readonly span: Span }
  | { readonly kind: 'join'; readonly join: 'and' | 'or'; readonly span: Span }
  | { readonly kind: 'placeholder'; readonly name: string; readonly span: Span }
  | { readonly kind: 'open' | 'close' | 'comma' | 'end'; readonly span: Span };

const IDENTIFIER = /^[A-Za-z_@#][A-Za-z0-9_.:]*$/;

/** Whether the whole text is one identifier of the language: a field path, a macro or a literal (§9). */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && !/[.:]$/.test(text) && !/^[@_#]$/.test(text);
}
