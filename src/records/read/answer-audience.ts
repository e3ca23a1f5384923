import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import { RecordExpander } from './record-expander.js';
import type { ListResult, ListRequest } from './record-list.js';
import { EnrichRecord } from '../record.hooks.js';

/**
 * Names the group of callers who get the same answer to a list. The answer depends on the rows, the definitions and
 * what is named here, and on nothing else.
 */
@Injectable()
export class AnswerAudience {
  constructor(
    private readonly hooks: HookRegistry,
    private readonly expander: RecordExpander,
  ) {}

  /**
   * A part of a consistent read. The same text for all who see the same of the same rows; undefined when nobody else
   * may.
   */
  of(
    collection: Collection,
    { rows, totalItems }: ListResult,
    { page, expand }: ListRequest,
    caller: Caller,
  ): string | undefined {
    if (rows.length === 0 || !this.isShared(collection, expand, caller)) return undefined;
    const { query } = caller.request;
    const mayShowAccounts = collection.isAuth || expand.length > 0;
    return JSON.stringify([
      page.page,
      page.perPage,
      totalItems,
      query['expand'],
      query['fields'],
      caller.isSuperuser,
      // An account may always see its own e-mail address.
      mayShowAccounts ? [caller.auth?.collection.id, caller.auth?.id] : undefined,
    ]);
  }

  private isShared(collection: Collection, expand: ListRequest['expand'], caller: Caller): boolean {
    if (this.hooks.has(EnrichRecord, collection) || !isSeenAlike(collection, caller)) return false;
    if (expand.length === 0) return true;
    if (this.hooks.isHandled(EnrichRecord)) return false;
    const targets = this.expander.openTargets(collection, expand, caller);
    return targets?.every((target) => !target.isView && isSeenAlike(target, caller)) ?? false;
  }
}

/**
 * Whether all accounts see the same of the records, except for their own one. With e-mail addresses a rule decides it.
 */
function isSeenAlike({ auth }: Collection, caller: Caller): boolean {
  return !auth?.manageRule || caller.isGuest || caller.isSuperuser;
}
