import type { Collection, CollectionRules } from '../kernel/collections/collection.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import type { Caller } from '../kernel/records/caller.js';

/** What is done to a record, named as its rule is. */
export type RuleKind = 'list' | 'view' | 'create' | 'update' | 'delete';

const RULES: Readonly<Record<RuleKind, keyof CollectionRules>> = {
  list: 'listRule',
  view: 'viewRule',
  create: 'createRule',
  update: 'updateRule',
  delete: 'deleteRule',
};

/** The collection's rule for an action. */
export function ruleOf(collection: Collection, kind: RuleKind): string | null {
  return collection[RULES[kind]];
}

/** Throws 403 when the rule is closed (null) and the caller is no superuser. */
export function requireOpenRule(collection: Collection, kind: RuleKind, caller: Caller): void {
  if (ruleOf(collection, kind) === null && !caller.isSuperuser) {
    throw new ForbiddenError('Only superusers may do this.');
  }
}
