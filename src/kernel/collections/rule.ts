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

/** True when nobody but superusers passes. */
export function isClosed(rule: string | null): rule is null {
  return rule === null;
}

/** True when everybody passes. */
export function isOpen(rule: string | null): rule is '' {
  return rule === '';
}

/** True when the rule is an expression that has to be evaluated. */
export function isExpression(rule: string | null): rule is string {
  return rule !== null && rule !== '';
}
