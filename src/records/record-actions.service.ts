import { Injectable } from '@nestjs/common';
import type { RequestBody } from '../http/request-body.js';
import type { Collection } from '../kernel/collections/collection.js';
import { hasSuperuserIdentifier } from '../kernel/filter/superuser-identifiers.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import type { ListPage } from '../kernel/query/page.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import { parseListQuery, parseShowQuery, type ShowQuery } from './list-query.js';
import { ListDelay } from './list-delay.js';
import { RecordExpander } from './record-expander.js';
import { RecordList } from './record-list.js';
import { RecordPresenter } from './record-presenter.js';
import { RecordSave } from './record-save.js';
import { RecordsService } from './records.service.js';
import { requireOpenRule } from './rule.guard.js';

type Json = Record<string, unknown>;

export type ListEnvelope = ListPage<Json>;

/**
 * The record endpoints as calls (chapter 02 §2): what the caller asked for in its query string and body, answered as
 * JSON. The controller and the batch use it alike; the collection is known and, for a write, no view.
 */
@Injectable()
export class RecordActions {
  constructor(
    private readonly records: RecordsService,
    private readonly lists: RecordList,
    private readonly saves: RecordSave,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly rateLimiter: RateLimiter,
    private readonly delay: ListDelay,
  ) {}

  async list(collection: Collection, caller: Caller): Promise<ListEnvelope> {
    const { query } = caller.request;
    requireOpenRule(collection, 'list', caller);
    if (!caller.isSuperuser && [query['filter'], query['sort']].some((text) => text && hasSuperuserIdentifier(text))) {
      throw new ForbiddenError('Only superusers may use @request and @collection in a filter or sort.');
    }
    const { picker, ...wanted } = parseListQuery(query);
    const page = await this.lists.find(collection, { ...wanted, caller });
    if (page.items.length === 0) await this.delay.afterEmptyList(collection, caller, wanted.filter);
    return { ...page, items: await this.presenter.present(page.items, caller, { picker }) };
  }

  async view(collection: Collection, id: string, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answer(await this.records.findOne(collection.id, id, { as: caller }), show, caller);
  }

  async create(collection: Collection, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answer(await this.saves.create(collection, body, caller), show, caller);
  }

  async update(collection: Collection, id: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answer(await this.saves.update(collection, id, body, caller), show, caller);
  }

  /** A standalone upsert (REC-3): what it becomes decides its rate limit, its rule and its `@request.method`. */
  async upsert(collection: Collection, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    const kind = await this.saves.upsertKind(collection, body);
    await this.rateLimiter.require({ tags: [kind], collection, method: 'PUT', path: recordsPath(collection) }, caller);
    return this.answer(await this.saves.upsert(collection, body, caller), show, caller);
  }

  delete(collection: Collection, id: string, caller: Caller): Promise<void> {
    return this.records.delete(collection.id, id, { as: caller });
  }

  /** The record a caller wrote or may see, as JSON; related records under the rules of their own collections. */
  answer(record: RecordModel, { expand, picker }: ShowQuery, caller: Caller): MaybePromise<Json> {
    const expanded = expand.length > 0 ? this.expander.expand([record], expand, caller) : undefined;
    return andThen(expanded, () => this.presenter.presentOne(record, caller, { picker }));
  }
}

function recordsPath({ name }: Collection): string {
  return `/api/collections/${name}/records`;
}
