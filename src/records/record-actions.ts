import { Injectable } from '@nestjs/common';
import type { LargeAnswer } from '../http/large-answer.js';
import type { RequestBody } from '../http/request-body.js';
import type { Collection } from '../kernel/collections/collection.js';
import { hasSuperuserIdentifier } from '../kernel/filter/superuser-identifiers.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import type { ExpandStep } from '../kernel/query/expand.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { toListPage } from '../kernel/query/page.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import { parseListQuery, parseShowQuery, type ShowQuery } from './list-query.js';
import { type ListEnvelope, writtenList } from './list-answer.js';
import { ListDelay } from './list-delay.js';
import { ReadHooks } from './read-hooks.js';
import { RecordExpander } from './record-expander.js';
import { isWide, RecordList } from './record-list.js';
import { type ReadyRecords, RecordPresenter } from './record-presenter.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './record-save.js';
import { RecordsService } from './records.service.js';
import { SharedAnswers } from './shared-answers.js';
import { SteadyReads } from './steady-reads.js';
import { WideList } from './wide-list.js';

type Json = Record<string, unknown>;

/**
 * The record endpoints as calls (chapter 02 §2): what the caller asked for in its query string and body, answered as
 * JSON. The controller and the batch use it alike. Collections are given as the client named them and found when they
 * are needed: what the guards have found may have been changed since.
 */
@Injectable()
export class RecordActions {
  constructor(
    private readonly records: RecordsService,
    private readonly lists: RecordList,
    private readonly answers: SharedAnswers,
    private readonly saves: RecordSave,
    private readonly rules: RecordRules,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly reads: SteadyReads,
    private readonly hooks: ReadHooks,
    private readonly rateLimiter: RateLimiter,
    private readonly delay: ListDelay,
    private readonly wideLists: WideList,
  ) {}

  /** Where the records are too wide to be held at once, an answer that is written as it is read. */
  async list(collection: string, caller: Caller): Promise<ListEnvelope | LargeAnswer> {
    const { query } = caller.request;
    if (!caller.isSuperuser && [query['filter'], query['sort']].some((text) => text && hasSuperuserIdentifier(text))) {
      throw new ForbiddenError('Only superusers may use @request and @collection in a filter or sort.');
    }
    const { picker, ...sent } = parseListQuery(query);
    const wanted = await this.hooks.beforeList(collection, caller, sent);
    const { target, found, wide, shared, ready } = await this.reads.of(collection, caller, async (current, as) => {
      const asked = { ...wanted, caller: as };
      const page = await this.lists.find(current, asked);
      const wide = isWide(current, page.rows);
      const answer = wide ? undefined : this.answers.of(current, page, asked, as);
      const isWritten = answer?.text !== undefined;
      const records = isWritten ? [] : await this.lists.records(current, page.rows, asked);
      return { target: current, found: page, wide, shared: answer, ready: await this.presenter.ready(records, as) };
    });
    await this.hooks.afterList(collection, caller, wanted, found);
    if (found.rows.length === 0) await this.delay.afterEmptyList(target, caller, wanted.filter);
    if (wide) {
      const counts = toListPage(wanted.page, [], found.totalItems);
      return this.wideLists.answer({ collection: target, rows: found.rows, ready, counts, picker });
    }
    if (shared?.text !== undefined) return writtenList(shared.text, toListPage(wanted.page, [], found.totalItems));
    const page = toListPage(wanted.page, await this.presenter.present(ready, picker), found.totalItems);
    shared?.keep(JSON.stringify(page));
    return page;
  }

  async view(collection: string, id: string, caller: Caller): Promise<Json> {
    const { expand, picker } = parseShowQuery(caller.request.query);
    const ready = await this.reads.of(collection, caller, (current, as) =>
      andThen(this.rules.require(current, id, 'view', as), (record) => this.ready(record, expand, as)),
    );
    const asked = this.hooks.beforeView(ready.records[0]!, caller);
    return andThen(asked, () => this.presenter.presentOne(ready, picker));
  }

  async create(collection: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answer(await this.saves.create(collection, body, caller), show, caller);
  }

  async update(collection: string, id: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answer(await this.saves.update(collection, id, body, caller), show, caller);
  }

  /** A standalone upsert (REC-3): what it becomes decides its rate limit, its rule and its `@request.method`. */
  async upsert(collection: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    const { target, kind } = await this.reads.of(collection, caller, async (current) => {
      return { target: current, kind: await this.saves.upsertKind(current, body) };
    });
    const url = recordsPath(target);
    await this.rateLimiter.require({ tags: [kind], collection: target, method: 'PUT', url }, caller);
    return this.answer(await this.saves.upsert(collection, body, caller), show, caller);
  }

  delete(collection: string, id: string, caller: Caller): Promise<void> {
    return this.records.delete(collection, id, { as: caller });
  }

  /**
   * A record that the caller just wrote, as JSON; related records under the rules of their own collections. It is
   * shown as it was written unless its collection was changed since: then as it is now.
   */
  answer(written: RecordModel, { expand, picker }: ShowQuery, caller: Caller): MaybePromise<Json> {
    const ready = this.reads.ofRecord(written, caller, (record, as) => this.ready(record, expand, as));
    return andThen(ready, (shown) => this.presenter.presentOne(shown, picker));
  }

  /** The last part of a steady read: what belongs to the record. */
  private ready(record: RecordModel, expand: readonly ExpandStep[], caller: Caller): MaybePromise<ReadyRecords> {
    if (expand.length === 0) return this.presenter.ready([record], caller);
    return this.expander.expand([record], expand, caller).then(() => this.presenter.ready([record], caller));
  }
}

function recordsPath({ name }: Collection): string {
  return `/api/collections/${name}/records`;
}
