import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { FilterNode } from '../kernel/filter/filter-node.js';
import { bindParameters } from '../kernel/filter/parse-filter.js';
import { printFilter } from '../kernel/filter/print-filter.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { FoundPage, WantedList } from './record-list.js';
import { AfterRecordList, BeforeRecordList, BeforeRecordView, type RecordListEvent } from './reading.hooks.js';

/** What somebody asked for. */
type AskedList = Omit<WantedList, 'caller'>;

/** Hooks around reading. Where there are none nothing is built and nothing is waited for (EXT-34). */
@Injectable()
export class ReadHooks {
  constructor(
    private readonly hooks: HookRegistry,
    private readonly store: CollectionStore,
  ) {}

  /** The list as the hooks leave it. Code that acts with full rights is not asked. */
  beforeList<List extends AskedList>(nameOrId: string, caller: Caller | null, asked: List): MaybePromise<List> {
    if (!caller || !this.hooks.isHandled(BeforeRecordList)) return asked;
    const collection = this.store.catalog.find(nameOrId);
    if (!collection || !this.hooks.has(BeforeRecordList, collection)) return asked;
    const terms: FilterNode[] = [];
    const { filter, sort, page } = asked;
    const event: RecordListEvent = {
      collection,
      caller,
      filter: typeof filter === 'string' ? filter : printFilter(filter),
      sort,
      page: page.page,
      perPage: page.perPage,
      narrow: (text, params = {}) => void terms.push(bindParameters(text, params)),
    };
    const hooked = this.hooks.run(BeforeRecordList, event, collection);
    return andThen(hooked, () => ({ ...asked, sort: event.sort, narrowedBy: terms }));
  }

  afterList(
    nameOrId: string,
    caller: Caller | null,
    asked: AskedList,
    { rows, totalItems }: FoundPage,
  ): MaybePromise<void> {
    if (!caller || !this.hooks.isHandled(AfterRecordList)) return;
    const collection = this.store.catalog.find(nameOrId);
    if (!collection) return;
    const { filter, sort, page } = asked;
    const event = {
      collection,
      caller,
      filter: typeof filter === 'string' ? filter : printFilter(filter),
      sort,
      page: page.page,
      perPage: page.perPage,
      ids: rows.map((row) => row['id'] as string),
      totalItems: totalItems ?? -1,
    };
    return this.hooks.runAfter(AfterRecordList, event, collection);
  }

  /** Throws what a hook throws. */
  beforeView(record: RecordModel, caller: Caller | null): MaybePromise<void> {
    if (caller) return this.hooks.run(BeforeRecordView, { record, caller }, record.collection);
  }
}
