import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { FilterNode } from '../../kernel/filter/filter-node.js';
import { bindParameters } from '../../kernel/filter/parse-filter.js';
import { printFilter } from '../../kernel/filter/print-filter.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { ListResult, ListRequest } from './record-list.js';
import { AfterRecordList, BeforeRecordList, BeforeRecordView, type RecordListEvent } from './reading.hooks.js';

/** What somebody asked for. */
type AskedList = Omit<ListRequest, 'caller'>;

/** Calls the hooks around reading. Events are built only where there is a handler (EXT-34). */
@Injectable()
export class ReadHooks {
  constructor(
    private readonly hooks: HookRegistry,
    private readonly store: CollectionStore,
  ) {}

  /** The list as the hooks have changed it. They are not called for code that acts with full rights. */
  async beforeList(nameOrId: string, caller: Caller | null, asked: AskedList): Promise<AskedList> {
    if (!caller || !this.hooks.isHandled(BeforeRecordList)) return asked;
    const collection = this.store.catalog.find(nameOrId);
    if (!collection || !this.hooks.has(BeforeRecordList, collection)) return asked;
    const filters: FilterNode[] = [];
    const event: RecordListEvent = {
      collection,
      caller,
      ...toldOf(asked),
      narrow: (text, params = {}) => void filters.push(bindParameters(text, params)),
    };
    await this.hooks.run(BeforeRecordList, event, collection);
    return { ...asked, sort: event.sort, narrowedBy: filters };
  }

  async afterList(
    nameOrId: string,
    caller: Caller | null,
    asked: AskedList,
    { rows, totalItems }: ListResult,
  ): Promise<void> {
    if (!caller || !this.hooks.isHandled(AfterRecordList)) return;
    const collection = this.store.catalog.find(nameOrId);
    if (!collection) return;
    const event = {
      collection,
      caller,
      ...toldOf(asked),
      ids: rows.map((row) => row['id'] as string),
      totalItems: totalItems ?? -1,
    };
    await this.hooks.runAfter(AfterRecordList, event, collection);
  }

  /** Calls the hooks of a view; what they throw refuses it. */
  beforeView(record: RecordModel, caller: Caller | null): MaybePromise<void> {
    if (!caller || !this.hooks.isHandled(BeforeRecordView)) return;
    return this.hooks.run(BeforeRecordView, { record, caller }, record.collection);
  }
}

/** The part of a list that events show to hooks. */
function toldOf({ filter, sort, page }: AskedList): Pick<RecordListEvent, 'filter' | 'sort' | 'page' | 'perPage'> {
  const { page: number, perPage } = page;
  return { filter: typeof filter === 'string' ? filter : printFilter(filter), sort, page: number, perPage };
}
