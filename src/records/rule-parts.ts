import { parseFilter } from '../kernel/filter/parse-filter.js';
import { printFilter } from '../kernel/filter/print-filter.js';

/** A rule in the parts that its outermost `&&` or `||` joins. */
export interface RuleParts {
  readonly join: 'and' | 'or' | '';
  readonly texts: readonly string[];
}

/** Each part takes a statement of its own. */
const MAX_PARTS = 32;

/** The parts of a rule, each a rule of its own; what is too much for one each is one together. */
export function rulePartsOf(rule: string): RuleParts {
  const node = parseFilter(rule);
  if (node.kind === 'comparison') return { join: '', texts: [printFilter(node)] };
  const { kind, terms, span } = node;
  if (terms.length <= MAX_PARTS) return { join: kind, texts: terms.map(printFilter) };
  const rest = printFilter({ kind, terms: terms.slice(MAX_PARTS - 1), span });
  return { join: kind, texts: [...terms.slice(0, MAX_PARTS - 1).map(printFilter), rest] };
}
