import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { Caller } from '../kernel/records/caller.js';
import { RecordExpander } from './record-expander.js';
import type { FoundPage, WantedList } from './record-list.js';
import { EnrichRecord } from './record.hooks.js';

/** The text of an answer that others may be given too: what was written of it, and a way to keep what is written now. */
export interface SharedAnswer {
  readonly text: string | undefined;
  keep(text: string): void;
}

/** A text that was made of rows. */
interface RowsText {
  /** Everything else it was made of: others want another text of the same rows. */
  readonly purpose: string;
  /** The definitions by which it was made. */
  readonly catalog: object;
  readonly text: string;
}

const BYTES_PER_CHARACTER = 2;

/**
 * Answers to lists that many ask for: written once for as long as their rows are kept (SharedRows), which is until the
 * next commit. Only where nothing but the rows, the definitions and what is named here decides what stands in them.
 */
@Injectable()
export class SharedAnswers {
  /** The latest text that was made of rows. */
  private readonly texts = new WeakMap<readonly unknown[], RowsText>();

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly hooks: HookRegistry,
    private readonly expander: RecordExpander,
  ) {}

  /** A part of a steady read. Undefined when the answer is this caller's alone. */
  of(
    collection: Collection,
    { rows, totalItems }: FoundPage,
    wanted: WantedList,
    caller: Caller,
  ): SharedAnswer | undefined {
    const { reads } = this.database;
    if (!reads.isCached(rows) || rows.length === 0 || !this.isShared(collection, wanted, caller)) return undefined;
    const { catalog } = this.store;
    const { query } = caller.request;
    const mayShowAccounts = collection.isAuth || wanted.expand.length > 0;
    const purpose = JSON.stringify([
      wanted.page.page,
      wanted.page.perPage,
      totalItems,
      query['expand'],
      query['fields'],
      caller.isSuperuser,
      // An account sees an e-mail address of its own.
      mayShowAccounts ? [caller.auth?.collection.id, caller.auth?.id] : undefined,
    ]);
    const known = this.texts.get(rows);
    const isSame = known?.purpose === purpose && known.catalog === catalog;
    return {
      text: isSame ? known.text : undefined,
      keep: (text) => {
        const hasRoom = reads.reserveBeside(rows, BYTES_PER_CHARACTER * text.length);
        if (hasRoom) this.texts.set(rows, { purpose, catalog, text });
      },
    };
  }

  private isShared(collection: Collection, { expand }: WantedList, caller: Caller): boolean {
    if (this.hooks.has(EnrichRecord, collection) || !isSeenAlike(collection, caller)) return false;
    if (expand.length === 0) return true;
    if (this.hooks.isHandled(EnrichRecord)) return false;
    const targets = this.expander.openTargets(collection, expand, caller);
    return targets?.every((target) => !target.isView && isSeenAlike(target, caller)) ?? false;
  }
}

/** Do all accounts see the same of its records, but for their own? A rule decides who may see addresses of others. */
function isSeenAlike({ auth }: Collection, caller: Caller): boolean {
  return !auth?.manageRule || caller.isGuest || caller.isSuperuser;
}
