import { parameterOperand, type FilterParameters } from './filter-parameters.js';
import type { FilterNode } from './filter-node.js';
import { FilterError } from './filter.error.js';
import { Lexer } from './lexer.js';
import { Parser } from './parser.js';

/** The longest filter of a client, in bytes (FLT-6). Rules have no such limit. */
export const MAX_CLIENT_FILTER_BYTES = 3500;

/** Limits on top of those every expression has. */
export interface ParseFilterOptions {
  /** In UTF-8. */
  readonly maxBytes?: number;
}

/**
 * The tree of a filter or rule. Throws a FilterError that says what is wrong and where. The empty text is an error
 * too: whoever has an optional filter asks for its length first.
 */
export function parseFilter(text: string, options: ParseFilterOptions = {}): FilterNode {
  requireFilterLength(text, options);
  return new Parser(new Lexer(text)).parse();
}

/**
 * The tree of a filter written in code, with `{:name}` standing for values (EXT-21). A value becomes one operand of
 * the tree and is never read as part of the text. Throws a FilterError also for a name that has no value; `undefined`
 * is no value, since a forgotten one must not turn into a comparison with nothing.
 */
export function bindParameters(
  text: string,
  parameters: FilterParameters,
  options: ParseFilterOptions = {},
): FilterNode {
  requireFilterLength(text, options);
  return new Parser(new Lexer(text, { placeholders: true }), (name, span) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) throw new FilterError(`No value for the parameter {:${name}}`, span);
    return parameterOperand(value, span);
  }).parse();
}

/** Throws a FilterError for a text over the limit. */
export function requireFilterLength(text: string, { maxBytes = Infinity }: ParseFilterOptions): void {
  // A UTF-16 unit takes up at least one byte and at most three.
  if (text.length * 3 <= maxBytes) return;
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
    throw new FilterError(`Longer than ${maxBytes} bytes`, { start: 0, end: text.length });
  }
}
