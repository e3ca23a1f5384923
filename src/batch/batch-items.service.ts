import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import { parseShowQuery } from '../records/list-query.js';
import { RecordActions } from '../records/record-actions.service.js';
import { RecordRows } from '../records/record-rows.js';
import { RecordsService } from '../records/records.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ItemFiles } from './batch-files.js';
import { itemHeaders } from './batch-headers.js';
import { type BatchOperation, parseBatchOperation } from './batch-operation.js';
import { resolveReferences } from './batch-references.js';
import type { BatchRequest } from './batch-request.js';

/** What one item answers. */
export interface BatchResult {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly status: number;
}

/** An item whose turn has come. */
export interface BatchItem {
  readonly request: BatchRequest;
  readonly files: ItemFiles;
  /** Ids of the records of the items before it; undefined for a delete. */
  readonly ids: readonly (string | undefined)[];
}

/** What an item did, and the id later items may refer to. */
export interface BatchOutcome {
  readonly result: BatchResult;
  readonly id: string | undefined;
}

/** Runs one item as the request it stands for (BAT-8): the same checks, rules, limits and answers. */
@Injectable()
export class BatchItemsService {
  constructor(
    private readonly settings: SettingsService,
    private readonly store: CollectionStore,
    private readonly rateLimiter: RateLimiter,
    private readonly rows: RecordRows,
    private readonly records: RecordsService,
    private readonly actions: RecordActions,
  ) {}

  /** Throws what the request would be refused with. */
  async run(item: BatchItem, caller: Caller): Promise<BatchOutcome> {
    const operation = parseBatchOperation(item.request);
    const collection = this.writable(operation.collection);
    const values = resolveReferences(item.request.body, item.ids);
    const action = await this.actionOf(operation, collection, values);
    const as = this.itemCaller(item.request, operation, caller);
    const { path } = operation;
    await this.rateLimiter.require({ tags: [action], collection, method: item.request.method, path }, as);
    if (action === 'delete') {
      await this.records.delete(collection.id, operation.id, { as });
      return { result: { body: null, status: 204 }, id: undefined };
    }
    const show = parseShowQuery(operation.query);
    const record = await this.write(operation, collection, values, { as, files: item.files });
    return { result: { body: await this.actions.answer(record, show, as), status: 200 }, id: record.id };
  }

  private write(
    { action, id }: BatchOperation,
    collection: Collection,
    values: BatchRequest['body'],
    options: { readonly as: Caller; readonly files: ItemFiles },
  ): Promise<RecordModel> {
    if (action === 'create') return this.records.create(collection.id, values, options);
    if (action === 'update') return this.records.update(collection.id, id, values, options);
    return this.records.upsert(collection.id, values, options);
  }

  /** What an upsert turns out to be, for its rate limit; everything else is what it is. */
  private async actionOf(
    { action }: BatchOperation,
    collection: Collection,
    { id }: BatchRequest['body'],
  ): Promise<'create' | 'update' | 'delete'> {
    if (action !== 'upsert') return action;
    if (typeof id !== 'string' && typeof id !== 'number') return 'create';
    return (await this.rows.existingIds(collection, [String(id)])).size > 0 ? 'update' : 'create';
  }

  private writable(nameOrId: string): Collection {
    const collection = this.store.catalog.find(nameOrId);
    if (!collection) throw new NotFoundError('There is no such collection.');
    if (collection.isView) throw new BadRequestError('The records of a view collection cannot be changed.');
    return collection;
  }

  private itemCaller({ method, headers }: BatchRequest, { query }: BatchOperation, caller: Caller): Caller {
    const trusted = this.settings.get().trustedProxy.headers;
    return caller.withRequest({
      context: 'batch',
      method,
      query,
      headers: itemHeaders(caller.request.headers, headers, trusted),
    });
  }
}
