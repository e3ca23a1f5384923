import { Injectable } from '@nestjs/common';
import { SMALL_ANSWER } from '../../http/answer/answer-memory.js';
import type { AnswerShareSource } from '../../http/answer/current-answer.decorator.js';
import type { LargeAnswer } from '../../http/answer/large-answer.js';
import { preserializedPage } from '../../http/answer/preserialized-answer.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { hasSuperuserIdentifier } from '../../kernel/filter/superuser-identifiers.js';
import { type ListPage, toListPage } from '../../kernel/query/page.js';
import type { Caller } from '../../kernel/records/caller.js';
import { isAnyNarrowed } from '../../kernel/resolve/narrow-columns.js';
import { AnswerAudience } from './answer-audience.js';
import { AnswerCache, type SharedText } from './answer-cache.js';
import { withRoom } from './answer-room.js';
import { answerSize } from './answer-size.js';
import { ConsistentReads } from './consistent-reads.js';
import { ListDelay } from './list-delay.js';
import { parseListQuery } from './list-query.js';
import { ReadHooks } from './read-hooks.js';
import { type ListRequest, type ListResult, RecordList } from './record-list.js';
import { type PreparedRecords, RecordPresenter } from './record-presenter.js';
import { WideList } from './wide-list.js';

type Json = Record<string, unknown>;

/** A page of a list as JSON. */
export type ListEnvelope = ListPage<Json>;

/** What a list's answer is made of. */
interface ReadList {
  readonly collection: Collection;
  readonly found: ListResult;
  readonly isWide: boolean;
  readonly shared: SharedText | undefined;
  readonly prepared: PreparedRecords;
  /** Bytes that the answer takes while it is made. */
  readonly size: number;
}

/** Answers lists as JSON: reads a page, or takes the text that others were given for it. */
@Injectable()
export class ListAnswers {
  constructor(
    private readonly lists: RecordList,
    private readonly answers: AnswerCache,
    private readonly audience: AnswerAudience,
    private readonly presenter: RecordPresenter,
    private readonly reads: ConsistentReads,
    private readonly hooks: ReadHooks,
    private readonly delay: ListDelay,
    private readonly wideLists: WideList,
  ) {}

  /**
   * Where the records are too wide to be held at once, an answer that is written as it is read. `shareOf`
   * gives what the answer has of the room for large ones.
   */
  async answer(collection: string, caller: Caller, shareOf?: AnswerShareSource): Promise<ListEnvelope | LargeAnswer> {
    const turn = new EventLoopTurn(clientOf(caller.ip));
    const free = turn.begin();
    if (free) await free;
    const { query } = caller.request;
    if (!caller.isSuperuser && [query['filter'], query['sort']].some((text) => text && hasSuperuserIdentifier(text))) {
      throw new ForbiddenError('Only superusers may use @request and @collection in a filter or sort.');
    }
    const { picker, ...sent } = parseListQuery(query);
    const wanted = await this.hooks.beforeList(collection, caller, sent);
    const read = await withRoom(shareOf, caller, () =>
      this.reads.of(collection, caller, (current, as) => {
        const { page, filter, sort, expand, narrowedBy } = wanted;
        // Not spread, for the sake of one shape of object (see RecordRules).
        return this.read(current, { caller: as, page, filter, sort, expand, narrowedBy }, as);
      }),
    );
    await this.hooks.afterList(collection, caller, wanted, read.found);
    const { rows, totalItems } = read.found;
    if (rows.length === 0) await this.delay.afterEmptyList(read.collection, caller, sent.filter);
    const counts = toListPage<never>(wanted.page, [], totalItems);
    const { prepared, shared } = read;
    if (read.isWide) return this.wideLists.answer({ collection: read.collection, rows, prepared, counts, picker });
    if (shared?.json !== undefined) return preserializedPage(shared.json, counts);
    if (read.size > SMALL_ANSWER) {
      const text = await listText(this.presenter.presentEach(prepared, picker, turn), counts);
      shared?.keep(text);
      return preserializedPage(text, counts);
    }
    const page = toListPage(wanted.page, await this.presenter.present(prepared, picker), totalItems);
    shared?.keep(JSON.stringify(page));
    return page;
  }

  /** A part of a consistent read: what a list's answer is made of, and how large that is. */
  private async read(collection: Collection, wanted: ListRequest, caller: Caller): Promise<ReadList> {
    const found = await this.lists.find(collection, wanted);
    const isWide = isAnyNarrowed(collection, found.rows);
    const nameAudience = () => this.audience.of(collection, found, wanted, caller);
    const shared = isWide ? undefined : this.answers.text(found.rows, nameAudience);
    const isPreserialized = shared?.json !== undefined;
    const records = isPreserialized ? [] : await this.lists.records(collection, found.rows, wanted);
    const prepared = await this.presenter.prepare(records, caller);
    return { collection, found, isWide, shared, prepared, size: answerSize(records) };
  }
}

/** The JSON of a list, as JSON.stringify would have it. */
async function listText(items: AsyncIterable<Json>, counts: ListPage<never>): Promise<string> {
  const texts: string[] = [];
  for await (const item of items) texts.push(JSON.stringify(item));
  const empty = JSON.stringify({ ...counts, items: [] });
  return `{"items":[${texts.join(',')}${empty.slice(empty.indexOf(']'))}`;
}
