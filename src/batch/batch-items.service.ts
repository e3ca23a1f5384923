import { Injectable } from '@nestjs/common';
import { requireCollection, viewNotWritable } from '../collections/collection-errors.js';
import { CollectionStore } from '../collections/collection-store.js';
import type { Collection } from '../kernel/collections/collection.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { castToText } from '../kernel/fields/value-casts.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordInput } from '../kernel/records/record-input.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import type { ExpandSize } from '../records/read/expand-size.js';
import { parseShowQuery } from '../records/read/list-query.js';
import { RecordActions } from '../records/record-actions.js';
import { RecordRows } from '../records/record-rows.js';
import type { PreparedPasswords } from '../records/write/prepared-passwords.js';
import { RecordPasswords } from '../records/write/record-passwords.js';
import { type JoinedTransaction, RecordSave } from '../records/write/record-save.js';
import { RecordsService } from '../records/records.service.js';
import { ruleOf } from '../records/rule-kind.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ItemFiles } from './batch-files.js';
import type { BatchAnswerSize } from './batch-answer-size.js';
import { itemHeaders } from './batch-headers.js';
import { type BatchOperation, parseBatchOperation } from './batch-operation.js';
import { resolveReferences } from './batch-references.js';
import type { BatchRequest, BatchResult } from './batch.dto.js';

/** An item that is about to run. */
export interface BatchItem {
  readonly request: BatchRequest;
  readonly files: ItemFiles;
  /** Ids of the records of the items before it; undefined for a delete. */
  readonly ids: readonly (string | undefined)[];
  /** The passwords that `prepare` has hashed or compared. */
  readonly passwords: PreparedPasswords;
  /** What is expanded in the answer to the batch so far: that is one answer (EXP-12). */
  readonly expanded: ExpandSize;
  readonly size: BatchAnswerSize;
}

/** What an item did, and the id later items may refer to. */
export interface BatchOutcome {
  readonly result: BatchResult;
  readonly id: string | undefined;
}

/** For whom an item is written, and as part of what. */
interface ItemContext {
  readonly as: Caller;
  readonly joined: JoinedTransaction;
  readonly expanded: ExpandSize;
  readonly size: BatchAnswerSize;
}

/** Runs one item as the request it stands for (BAT-8): the same checks, rules, limits and answers. */
@Injectable()
export class BatchItemsService {
  constructor(
    private readonly settings: SettingsService,
    private readonly store: CollectionStore,
    private readonly rateLimiter: RateLimiter,
    private readonly rows: RecordRows,
    private readonly passwords: RecordPasswords,
    private readonly saves: RecordSave,
    private readonly records: RecordsService,
    private readonly actions: RecordActions,
  ) {}

  /**
   * Hashes and compares the passwords of an item before the transaction of its batch, in which all other writers would
   * wait for it. Errors of the item are reported when it runs; throws 429 when too much is waiting to be hashed.
   */
  prepare(request: BatchRequest, caller: Caller, prepared: PreparedPasswords): MaybePromise<void> {
    const operation = parsed(request);
    const collection = operation && this.store.catalog.find(operation.collection);
    if (!collection || !mayWrite(operation, collection, caller)) return;
    const id = operation.action === 'upsert' ? request.body['id'] : operation.id;
    const known = typeof id === 'string' && id !== '' ? id : undefined;
    return this.passwords.prepare(request.body, collection, known, { caller, prepared });
  }

  /** Throws what the request would be refused with. */
  run({ request, ids, files, passwords, expanded, size }: BatchItem, caller: Caller): MaybePromise<BatchOutcome> {
    const operation = parseBatchOperation(request);
    const collection = this.writable(operation.collection);
    const values = resolveReferences(request.body, ids);
    const as = this.itemCaller(request, operation, caller);
    const { method, url } = request;
    const limited = andThen(this.actionOf(operation, collection, values), (action) =>
      this.rateLimiter.require({ tags: [action], collection, method, url }, as),
    );
    return andThen(limited, () => {
      // A closed collection does not tell which of its fields are passwords (GRD-8).
      if (mayWrite(operation, collection, as)) requireKnownPasswords(collection, request.body, values);
      if (operation.action === 'delete') return this.remove(operation, collection, as);
      return this.write(operation, collection, { values, files }, { as, joined: { passwords }, expanded, size });
    });
  }

  private async remove({ id }: BatchOperation, collection: Collection, as: Caller): Promise<BatchOutcome> {
    await this.records.delete(collection.id, id, { as });
    return { result: { body: null, status: 204 }, id: undefined };
  }

  private write(
    operation: BatchOperation,
    collection: Collection,
    input: RecordInput,
    context: ItemContext,
  ): MaybePromise<BatchOutcome> {
    const show = parseShowQuery(operation.query);
    return andThen(this.save(operation, collection, input, context), (record) =>
      andThen(this.actions.answer(record, show, context.as, context.expanded), (body) => {
        context.size.add(body);
        return { result: { body, status: 200 }, id: record.id };
      }),
    );
  }

  /** Joins the batch's transaction without a savepoint, because a failed item rolls back the whole batch. */
  private save(
    { action, id }: BatchOperation,
    collection: Collection,
    input: RecordInput,
    { as, joined }: ItemContext,
  ): MaybePromise<RecordModel> {
    if (action === 'create') return this.saves.create(collection.id, input, as, { joined });
    if (action === 'update') return this.saves.update(collection.id, id, input, as, { joined });
    return this.saves.upsert(collection.id, input, as, { joined });
  }

  /** What an upsert turns out to be, for its rate limit; everything else is what it is. */
  private actionOf(
    { action }: BatchOperation,
    collection: Collection,
    { id }: BatchRequest['body'],
  ): MaybePromise<'create' | 'update' | 'delete'> {
    if (action !== 'upsert') return action;
    if (typeof id !== 'string' && typeof id !== 'number') return 'create';
    const existing = this.rows.existingIds(collection, [String(id)]);
    return andThen(existing, ({ size }) => (size > 0 ? 'update' : 'create'));
  }

  private writable(nameOrId: string): Collection {
    const collection = requireCollection(this.store.catalog, nameOrId);
    if (collection.isView) throw viewNotWritable();
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

/** Undefined for a request that will be refused when it runs. */
function parsed(request: BatchRequest): BatchOperation | undefined {
  try {
    return parseBatchOperation(request);
  } catch {
    return undefined;
  }
}

/** False when the rules refuse the write whatever the record is, so that nothing is hashed for it. */
function mayWrite({ action }: BatchOperation, collection: Collection, caller: Caller): boolean {
  if (action === 'delete' || collection.isView) return false;
  if (caller.isSuperuser) return true;
  const kinds = action === 'upsert' ? (['create', 'update'] as const) : [action];
  return kinds.some((kind) => ruleOf(collection, kind) !== null);
}

/** Refuses references as passwords: they are resolved inside the transaction, where nothing is hashed. */
function requireKnownPasswords(
  collection: Collection,
  sent: BatchRequest['body'],
  resolved: BatchRequest['body'],
): void {
  if (sent === resolved) return;
  const names = collection.fields.filter(({ type }) => type === 'password').map(({ name }) => name);
  const unknown = [...names, 'oldPassword'].filter((name) => castToText(sent[name]) !== castToText(resolved[name]));
  if (unknown.length === 0) return;
  const error = fieldError('validation_invalid_batch_reference');
  throw new ValidationError(Object.fromEntries(unknown.map((name) => [name, error])));
}
