import { type CanActivate, type ExecutionContext, Injectable, mixin, type Type } from '@nestjs/common';
import { requireCollection } from '../collections/collection-errors.js';
import { CollectionStore } from '../collections/collection-store.js';
import { callerOf } from '../http/request/caller-of.js';
import { requestOf } from '../http/request/request-of.js';
import { requireOpenRule, type RuleKind } from './rule-kind.js';

/**
 * A guard for routes with a `:collection` parameter: refuses what can be refused without a body (REC-9), an unknown
 * collection with 404 and a closed rule with 403. A rule that is an expression is applied by RecordsService.
 */
export function RuleGuard(kind: RuleKind): Type<CanActivate> {
  @Injectable()
  class RuleGuardOf implements CanActivate {
    constructor(private readonly store: CollectionStore) {}

    canActivate(context: ExecutionContext): boolean {
      const request = requestOf(context);
      const name = (request.params as { collection: string }).collection;
      const collection = request.collection ?? requireCollection(this.store.catalog, name);
      requireOpenRule(collection, kind, callerOf(context));
      return true;
    }
  }
  return mixin(RuleGuardOf);
}
