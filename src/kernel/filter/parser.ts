import type { FilterNode, OperandNode, Span } from './filter-node.js';
import { FilterError } from './filter.error.js';
import type { Lexer } from './lexer.js';
import { TermGroup } from './term-group.js';
import type { Token } from './token.js';

const MAX_CONDITIONS = 200;
const MAX_CALL_DEPTH = 3;
const MAX_ARGUMENTS = 10;

/** The operand that stands for a placeholder; throws a FilterError when there is no value for it. */
export type PlaceholderBinding = (name: string, span: Span) => OperandNode;

const NO_PARAMETERS: PlaceholderBinding = (_name, span) => {
  throw new FilterError('Unexpected parameter', span);
};

/** Builds the tree of one filter text from its tokens (§9), in one pass. For a single use. */
export class Parser {
  private ahead?: Token;
  private conditions = 0;

  constructor(
    private readonly lexer: Lexer,
    private readonly bind: PlaceholderBinding = NO_PARAMETERS,
  ) {}

  /** The tree of the whole text. Throws a FilterError at the first token that does not fit, or that is one too many. */
  parse(): FilterNode {
    let group = new TermGroup();
    for (;;) {
      while (this.peek().kind === 'open') group = new TermGroup(group, this.take().span.start);
      const condition = this.condition();
      group.add(condition, condition.span);
      while (this.peek().kind === 'close' && group.parent) group = this.closeInto(group.parent, group);
      const token = this.take();
      if (token.kind === 'end') break;
      if (token.kind !== 'join') throw unexpected(token, group.parent ? '&&, || or )' : '&& or ||');
      if (token.join === 'or') group.startAlternative();
    }
    if (group.parent)
      throw new FilterError('A parenthesis is not closed', { start: group.start, end: group.start + 1 });
    return group.toNode();
  }

  private closeInto(parent: TermGroup, group: TermGroup): TermGroup {
    parent.add(group.toNode(), { start: group.start, end: this.take().span.end });
    return parent;
  }

  private condition(): FilterNode {
    const left = this.operand(0);
    const comparison = this.take();
    if (comparison.kind !== 'operator') throw unexpected(comparison, 'a comparison operator');
    const right = this.operand(0);
    const span = { start: left.span.start, end: right.span.end };
    if (++this.conditions > MAX_CONDITIONS) throw new FilterError(`More than ${MAX_CONDITIONS} conditions`, span);
    return { kind: 'comparison', operator: comparison.operator, any: comparison.any, left, right, span };
  }

  private operand(depth: number): OperandNode {
    const token = this.take();
    switch (token.kind) {
      case 'identifier':
        return this.opensCall(token) ? this.call(token.name, token.span, depth + 1) : token;
      case 'number':
      case 'text':
        return token;
      case 'placeholder':
        return this.bind(token.name, token.span);
      default:
        throw unexpected(token, 'a field or a value');
    }
  }

  private opensCall(name: Token): boolean {
    const next = this.peek();
    return next.kind === 'open' && next.span.start === name.span.end;
  }

  private call(name: string, span: Span, depth: number): OperandNode {
    if (depth > MAX_CALL_DEPTH) throw new FilterError(`Function calls nested more than ${MAX_CALL_DEPTH} deep`, span);
    this.take();
    const args: OperandNode[] = [];
    while (this.peek().kind !== 'close') {
      const argument = this.operand(depth);
      if (args.push(argument) > MAX_ARGUMENTS) {
        throw new FilterError(`More than ${MAX_ARGUMENTS} arguments of a function`, argument.span);
      }
      if (this.peek().kind === 'close') break;
      const comma = this.take();
      if (comma.kind !== 'comma') throw unexpected(comma, ', or )');
    }
    return { kind: 'call', name, args, span: { start: span.start, end: this.take().span.end } };
  }

  private peek(): Token {
    return (this.ahead ??= this.lexer.next());
  }

  private take(): Token {
    const token = this.peek();
    this.ahead = undefined;
    return token;
  }
}

const TOKEN_WORDS: Readonly<Record<Token['kind'], string>> = {
  identifier: 'name',
  number: 'number',
  text: 'text',
  operator: 'comparison operator',
  join: '&& or ||',
  placeholder: 'parameter',
  open: '(',
  close: ')',
  comma: ',',
  end: 'end',
};

function unexpected(token: Token, expected: string): FilterError {
  return new FilterError(`Unexpected ${TOKEN_WORDS[token.kind]}, expected ${expected}`, token.span);
}
