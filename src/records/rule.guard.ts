import { type CanActivate, type ExecutionContext, mixin, type Type } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { requestOf } from '../http/request-of.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Collection, CollectionRules } from '../kernel/collections/collection.js';
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

/**
 * A guard for routes with a `:collection` parameter: refuses what can be refused without a body (REC-9), an unknown
 * collection with 404 and a closed rule with 403. A rule that is an expression is applied by RecordsService.
 */
export function RuleGuard(kind: RuleKind): Type<CanActivate> {
  class RuleGuardOf implements CanActivate {
    constructor(private readonly store: CollectionStore) {}

    canActivate(context: ExecutionContext): boolean {
      const request = requestOf(context);
      const name = (request.params as { collection: string }).collection;
      const collection = request.collection ?? this.store.catalog.find(name);
      if (!collection) throw new NotFoundError('There is no such collection.');
      requireOpenRule(collection, kind, request.caller);
      return true;
    }
  }
  Reflect.defineMetadata('design:paramtypes', [CollectionStore], RuleGuardOf);
  return mixin(RuleGuardOf);
}
