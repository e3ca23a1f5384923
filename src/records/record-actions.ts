import { Injectable } from '@nestjs/common';
import { SMALL_ANSWER } from '../http/answer/answer-memory.js';
import { clientOf } from '../http/request/client-ip.js';
import type { AnswerShareSource } from '../http/answer/current-answer.decorator.js';
import type { LargeAnswer } from '../http/answer/large-answer.js';
import { NOTHING_TO_DISPOSE, type RequestBody } from '../http/body/request-body.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import { preserializedPage } from '../http/answer/preserialized-answer.js';
import type { Collection } from '../kernel/collections/collection.js';
import { hasSuperuserIdentifier } from '../kernel/filter/superuser-identifiers.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import type { ExpandStep } from '../kernel/query/expand.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { type ListPage, toListPage } from '../kernel/query/page.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { isAnyNarrowed } from '../kernel/resolve/narrow-columns.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import { AnswerAudience } from './read/answer-audience.js';
import { AnswerCache, type SharedText } from './read/answer-cache.js';
import { answerSize } from './read/answer-size.js';
import { parseListQuery, parseShowQuery, type ShowQuery } from './read/list-query.js';
import { ListDelay } from './read/list-delay.js';
import { ReadHooks } from './read/read-hooks.js';
import { RecordExpander } from './read/record-expander.js';
import { type ListResult, RecordList, type ListRequest } from './read/record-list.js';
import { type PreparedRecords, RecordPresenter } from './read/record-presenter.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './write/record-save.js';
import { RecordsService } from './records.service.js';
import { ConsistentReads } from './read/consistent-reads.js';
import { WideList } from './read/wide-list.js';

type Json = Record<string, unknown>;

/** A page of a list as JSON. */
export type ListEnvelope = ListPage<Json>;

/** What a list's answer is made of. */
interface PreparedPage {
  readonly target: Collection;
  readonly found: ListResult;
  readonly isWide: boolean;
  readonly shared: SharedText | undefined;
  readonly prepared: PreparedRecords;
  /** Bytes that the answer takes while it is made. */
  readonly size: number;
}

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
    private readonly answers: AnswerCache,
    private readonly audience: AnswerAudience,
    private readonly saves: RecordSave,
    private readonly rules: RecordRules,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly reads: ConsistentReads,
    private readonly hooks: ReadHooks,
    private readonly rateLimiter: RateLimiter,
    private readonly delay: ListDelay,
    private readonly wideLists: WideList,
  ) {}

  /**
   * Where the records are too wide to be held at once, an answer that is written as it is read. `shareOf`
   * gives what the answer has of the room for large ones.
   */
  async list(collection: string, caller: Caller, shareOf?: AnswerShareSource): Promise<ListEnvelope | LargeAnswer> {
    const turn = new EventLoopTurn(clientOf(caller.ip));
    const free = turn.begin();
    if (free) await free;
    const { query } = caller.request;
    if (!caller.isSuperuser && [query['filter'], query['sort']].some((text) => text && hasSuperuserIdentifier(text))) {
      throw new ForbiddenError('Only superusers may use @request and @collection in a filter or sort.');
    }
    const { picker, ...sent } = parseListQuery(query);
    const wanted = await this.hooks.beforeList(collection, caller, sent);
    const { target, found, isWide, shared, prepared, size } = await this.withRoom(shareOf, caller, () =>
      this.reads.of(collection, caller, (current, as) => {
        const { page, filter, sort, expand, narrowedBy } = wanted;
        // Not spread, for the sake of one shape of object (see RecordRules).
        return this.page(current, { caller: as, page, filter, sort, expand, narrowedBy }, as);
      }),
    );
    await this.hooks.afterList(collection, caller, wanted, found);
    if (found.rows.length === 0) await this.delay.afterEmptyList(target, caller, sent.filter);
    const counts = toListPage<never>(wanted.page, [], found.totalItems);
    if (isWide) return this.wideLists.answer({ collection: target, rows: found.rows, prepared, counts, picker });
    if (shared?.json !== undefined) return preserializedPage(shared.json, counts);
    if (size > SMALL_ANSWER) {
      const text = await listText(this.presenter.presentEach(prepared, picker, turn), counts);
      shared?.keep(text);
      return preserializedPage(text, counts);
    }
    const page = toListPage(wanted.page, await this.presenter.present(prepared, picker), found.totalItems);
    shared?.keep(JSON.stringify(page));
    return page;
  }

  async view(collection: string, id: string, caller: Caller, shareOf?: AnswerShareSource): Promise<Json> {
    const { expand, picker } = parseShowQuery(caller.request.query);
    const { prepared } = await this.withRoom(shareOf, caller, () =>
      this.reads.of(collection, caller, async (current, as) => {
        const shown = await this.prepare(await this.rules.require(current, id, 'view', as), expand, as);
        return { prepared: shown, size: answerSize(shown.records) };
      }),
    );
    await this.hooks.beforeView(prepared.records[0]!, caller);
    return this.presenter.presentOne(prepared, picker);
  }

  async create(collection: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answerInTurn(await this.saves.create(collection, body, caller), { body, show, caller });
  }

  async update(collection: string, id: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answerInTurn(await this.saves.update(collection, id, body, caller), { body, show, caller });
  }

  /** A standalone upsert (REC-3): what it becomes decides its rate limit, its rule and its `@request.method`. */
  async upsert(collection: string, body: RequestBody, caller: Caller): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    const { target, kind } = await this.reads.of(collection, caller, async (current) => {
      return { target: current, kind: await this.saves.upsertKind(current, body) };
    });
    const url = recordsPath(target);
    await this.rateLimiter.require({ tags: [kind], collection: target, method: 'PUT', url }, caller);
    return this.answerInTurn(await this.saves.upsert(collection, body, caller), { body, show, caller });
  }

  delete(collection: string, id: string, caller: Caller): Promise<void> {
    return this.records.delete(collection, id, { as: caller });
  }

  /**
   * A record that the caller just wrote, as JSON, with related records under the rules of their own collections. It is
   * shown as it was written, or read again when its collection has been changed since.
   */
  answer(written: RecordModel, { expand, picker }: ShowQuery, caller: Caller): MaybePromise<Json> {
    const prepared = this.reads.ofRecord(written, caller, (record, as) => this.prepare(record, expand, as));
    return andThen(prepared, (shown) => this.presenter.presentOne(shown, picker));
  }

  /** As `answer`; what a large body is made into is shown after others have had their turn. */
  private async answerInTurn(
    written: RecordModel,
    { body, show, caller }: { readonly body: RequestBody; readonly show: ShowQuery; readonly caller: Caller },
  ): Promise<Json> {
    if (body.dispose !== NOTHING_TO_DISPOSE) await new EventLoopTurn(clientOf(caller.ip)).next();
    return this.answer(written, show, caller);
  }

  /** A part of a consistent read: what a list's answer is made of, and how large that is. */
  private async page(collection: Collection, wanted: ListRequest, caller: Caller): Promise<PreparedPage> {
    const found = await this.lists.find(collection, wanted);
    const isWide = isAnyNarrowed(collection, found.rows);
    const nameAudience = () => this.audience.of(collection, found, wanted, caller);
    const shared = isWide ? undefined : this.answers.text(found.rows, nameAudience);
    const isPreserialized = shared?.json !== undefined;
    const records = isPreserialized ? [] : await this.lists.records(collection, found.rows, wanted);
    const prepared = await this.presenter.prepare(records, caller);
    return { target: collection, found, isWide, shared, prepared, size: answerSize(records) };
  }

  /**
   * Reads an answer and reserves memory for it. Its size is known only once it is read: when there is no room, what was
   * read is dropped, and it is read again after waiting.
   */
  private async withRoom<Read extends { readonly size: number }>(
    shareOf: AnswerShareSource | undefined,
    caller: Caller,
    read: () => MaybePromise<Read>,
  ): Promise<Read> {
    const found = await this.readOrSize(shareOf, read);
    if (typeof found !== 'number') return found;
    await shareOf!().take(found);
    if (caller.request.isAbandoned) throw new BadRequestError('The client has gone away.');
    return read();
  }

  /**
   * The answer, or only its size when it has to wait. A method of its own, because a function that waits keeps its
   * variables alive.
   */
  private async readOrSize<Read extends { readonly size: number }>(
    shareOf: AnswerShareSource | undefined,
    read: () => MaybePromise<Read>,
  ): Promise<Read | number> {
    const found = await read();
    const hasRoom = shareOf === undefined || found.size <= SMALL_ANSWER || shareOf().tryTake(found.size);
    return hasRoom ? found : found.size;
  }

  /** The last part of a consistent read: what belongs to the record. */
  private prepare(record: RecordModel, expand: readonly ExpandStep[], caller: Caller): MaybePromise<PreparedRecords> {
    if (expand.length === 0) return this.presenter.prepare([record], caller);
    return this.expander.expand([record], expand, caller).then(() => this.presenter.prepare([record], caller));
  }
}

/** The JSON of a list, as JSON.stringify would have it. */
async function listText(items: AsyncIterable<Json>, counts: ListPage<never>): Promise<string> {
  const texts: string[] = [];
  for await (const item of items) texts.push(JSON.stringify(item));
  const empty = JSON.stringify({ ...counts, items: [] });
  return `{"items":[${texts.join(',')}${empty.slice(empty.indexOf(']'))}`;
}

function recordsPath({ name }: Collection): string {
  return `/api/collections/${name}/records`;
}
