/** Comparison operators without their any-form mark. */
export type ComparisonOperator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~' | '!~';

/** Where a node stands in the filter text: offset of its first character, and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One side of a comparison. */
export type OperandNode =
  | { readonly kind: 'identifier'; readonly name: string; readonly span: Span }
  | { readonly kind: 'number'; readonly value: number; readonly text: string; readonly span: Span }
  | { readonly kind: 'text'; readonly value: string; readonly span: Span }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly OperandNode[]; readonly span: Span };

/** A parsed filter, rule or sort expression. A value: compare, print, cache and share it freely. */
export type FilterNode =
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      /** True for the `?`-forms: some value is enough. */
      readonly any: boolean;
      readonly left: OperandNode;
      readonly right: OperandNode;
      readonly span: Span;
    }
  | { readonly kind: 'and'; readonly terms: readonly FilterNode[]; readonly span: Span }
  | { readonly kind: 'or'; readonly terms: readonly FilterNode[]; readonly span: Span };
