import type { FilterNode, Span } from './filter-node.js';

/** A node and the stretch of text it takes up, redundant parentheses included. */
interface Term {
  readonly node: FilterNode;
  readonly span: Span;
}

/**
 * The terms read so far inside one pair of parentheses, or of the whole text. Groups refer to their parent instead of
 * being parsed by recursion, so that deep nesting cannot exhaust the stack.
 */
export class TermGroup {
  private readonly alternatives: Term[] = [];
  private terms: Term[] = [];

  constructor(
    readonly parent?: TermGroup,
    readonly start = 0,
  ) {}

  add(node: FilterNode, span: Span): void {
    this.terms.push({ node, span });
  }

  /** Ends a chain of `&&`, which binds tighter, at a `||`. */
  startAlternative(): void {
    this.alternatives.push(combine('and', this.terms));
    this.terms = [];
  }

  /** The finished group as one node. */
  toNode(): FilterNode {
    return combine('or', [...this.alternatives, combine('and', this.terms)]).node;
  }
}

/** Several terms as one flat node: `(a && b) && c` has three terms. */
function combine(kind: 'and' | 'or', terms: readonly Term[]): Term {
  if (terms.length === 1) return terms[0];
  const span = { start: terms[0].span.start, end: terms[terms.length - 1].span.end };
  const flat = terms.flatMap(({ node }) => (node.kind === kind ? node.terms : [node]));
  return { node: { kind, terms: flat, span }, span };
}
