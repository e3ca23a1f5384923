import type { CollectionRules } from './collection.js';

/** The five rules every collection has, in the order in which they are shown. */
export const RULE_NAMES = [
  'listRule',
  'viewRule',
  'createRule',
  'updateRule',
  'deleteRule',
] as const satisfies readonly (keyof CollectionRules)[];

/** One of the five rules. */
export type RuleName = (typeof RULE_NAMES)[number];

/** True when the rule is an expression that has to be evaluated. */
export function isExpression(rule: string | null): rule is string {
  return rule !== null && rule !== '';
}
