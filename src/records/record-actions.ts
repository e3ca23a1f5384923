import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { clientOf } from '../http/request/client-ip.js';
import { SMALL_ANSWER } from '../http/answer/answer-memory.js';
import type { AnswerShareSource } from '../http/answer/current-answer.decorator.js';
import type { LargeAnswer } from '../http/answer/large-answer.js';
import { NOTHING_TO_DISPOSE, type RequestBody } from '../http/body/request-body.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { ExpandStep } from '../kernel/query/expand.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { mayBeLong } from '../kernel/resolve/narrow-columns.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RateLimiter } from '../rate-limits/rate-limiter.js';
import { withRoom } from './read/answer-room.js';
import { answerSize, BYTES_PER_CHARACTER } from './read/answer-size.js';
import { ConsistentReads } from './read/consistent-reads.js';
import type { ExpandSize } from './read/expand-size.js';
import { ListAnswers, type ListEnvelope } from './read/list-answers.js';
import { parseShowQuery, type ShowQuery } from './read/list-query.js';
import { ReadHooks } from './read/read-hooks.js';
import { RecordExpander } from './read/record-expander.js';
import { type PreparedRecords, RecordPresenter } from './read/record-presenter.js';
import { RecordRows } from './record-rows.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './write/record-save.js';
import { RecordsService } from './records.service.js';

type Json = Record<string, unknown>;

/** So many changes at a time may begin before anything is known of how large the records of their collections are. */
const UNMEASURED = 16;

/** How a record is shown that was written. */
interface Showing {
  readonly body: RequestBody;
  readonly show: ShowQuery;
  readonly caller: Caller;
  readonly shareOf?: AnswerShareSource;
}

/**
 * The record endpoints as calls (chapter 02 §2): what the caller asked for in its query string and body, answered as
 * JSON. The controller and the batch use it alike. Collections are given as the client named them and found when they
 * are needed: what the guards have found may have been changed since.
 */
@Injectable()
export class RecordActions {
  /**
   * The bytes of the largest record that was shown of those that have large ones. Whoever asks for another takes turns
   * with everybody else, and has room for it before it is changed.
   */
  private readonly wide = new WeakMap<Collection, number>();
  /** Changes of single records at the moment. */
  private changing = 0;

  constructor(
    private readonly records: RecordsService,
    private readonly rows: RecordRows,
    private readonly lists: ListAnswers,
    private readonly saves: RecordSave,
    private readonly rules: RecordRules,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly reads: ConsistentReads,
    private readonly hooks: ReadHooks,
    private readonly rateLimiter: RateLimiter,
    private readonly store: CollectionStore,
  ) {}

  /** As ListAnswers does. */
  list(collection: string, caller: Caller, shareOf?: AnswerShareSource): Promise<ListEnvelope | LargeAnswer> {
    return this.lists.answer(collection, caller, shareOf);
  }

  async view(collection: string, id: string, caller: Caller, shareOf?: AnswerShareSource): Promise<Json> {
    const { expand, picker } = parseShowQuery(caller.request.query);
    const { prepared } = await withRoom(shareOf, caller, () =>
      this.reads.of(collection, caller, (current, as) => this.readView(current, id, expand, as)),
    );
    return andThen(this.hooks.beforeView(prepared.records[0]!, caller), () =>
      this.presenter.presentOne(prepared, picker),
    );
  }

  async create(collection: string, body: RequestBody, caller: Caller, shareOf?: AnswerShareSource): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    return this.answerInTurn(await this.saves.create(collection, body, caller), { body, show, caller, shareOf });
  }

  async update(
    collection: string,
    id: string,
    body: RequestBody,
    caller: Caller,
    shareOf?: AnswerShareSource,
  ): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    this.changing += 1;
    try {
      const waiting = this.roomToChange(collection, id, caller, shareOf);
      if (waiting) await waiting;
      const written = await this.saves.update(collection, id, body, caller);
      return await this.answerInTurn(written, { body, show, caller, shareOf });
    } finally {
      this.changing -= 1;
    }
  }

  /** A standalone upsert (REC-3): what it becomes decides its rate limit, its rule and its `@request.method`. */
  async upsert(collection: string, body: RequestBody, caller: Caller, shareOf?: AnswerShareSource): Promise<Json> {
    const show = parseShowQuery(caller.request.query);
    this.changing += 1;
    try {
      const waiting = this.roomToChange(collection, body.values['id'], caller, shareOf);
      if (waiting) await waiting;
      const { target, kind } = await this.reads.of(collection, caller, async (current) => {
        return { target: current, kind: await this.saves.upsertKind(current, body) };
      });
      const url = recordsPath(target);
      await this.rateLimiter.require({ tags: [kind], collection: target, method: 'PUT', url }, caller);
      const written = await this.saves.upsert(collection, body, caller);
      return await this.answerInTurn(written, { body, show, caller, shareOf });
    } finally {
      this.changing -= 1;
    }
  }

  delete(collection: string, id: string, caller: Caller): Promise<void> {
    return this.records.delete(collection, id, { as: caller });
  }

  /**
   * A record that the caller just wrote, as JSON, with related records under the rules of their own collections. It is
   * shown as it was written, or read again when its collection has been changed since. `size` counts what is expanded
   * where it is a part of a larger answer.
   */
  answer(written: RecordModel, { expand, picker }: ShowQuery, caller: Caller, size?: ExpandSize): MaybePromise<Json> {
    const prepared = this.reads.ofRecord(written, caller, (record, as) => this.prepare(record, expand, as, size));
    return andThen(prepared, (shown) => this.presenter.presentOne(shown, picker));
  }

  /**
   * As `answer`; what is large, or made of a large body, is shown after others have had their turn, and when there is room
   * for its text.
   */
  private async answerInTurn(written: RecordModel, { body, show, caller, shareOf }: Showing): Promise<Json> {
    const size = answerSize([written]);
    this.noteSize(written.collection, size);
    if (size > SMALL_ANSWER && shareOf) await shareOf().take(size);
    const isLarge = size > SMALL_ANSWER || body.dispose !== NOTHING_TO_DISPOSE;
    if (isLarge) await new EventLoopTurn(clientOf(caller.ip)).next();
    return this.answer(written, show, caller);
  }

  /** A part of a consistent read: what a view's answer is made of, and how large that is. */
  private readView(
    collection: Collection,
    id: string,
    expand: readonly ExpandStep[],
    caller: Caller,
  ): MaybePromise<{ readonly prepared: PreparedRecords; readonly size: number }> {
    const free = this.wide.has(collection) ? new EventLoopTurn(clientOf(caller.ip)).begin() : undefined;
    const found = andThen(free, () => this.rules.require(collection, id, 'view', caller));
    return andThen(
      andThen(found, (record) => this.prepare(record, expand, caller)),
      (prepared) => {
        const size = answerSize(prepared.records);
        this.noteSize(collection, size);
        return { prepared, size };
      },
    );
  }

  private noteSize(collection: Collection, size: number): void {
    if (size > Math.max(SMALL_ANSWER, this.wide.get(collection) ?? 0)) this.wide.set(collection, size);
  }

  /**
   * Room for the answer to a change of a large record, which is in memory from the change on. Undefined where there is
   * nothing to wait for.
   */
  private roomToChange(
    nameOrId: string,
    id: unknown,
    caller: Caller,
    shareOf: AnswerShareSource | undefined,
  ): MaybePromise<void> {
    const collection = this.store.catalog.find(nameOrId);
    if (!collection || !shareOf) return undefined;
    return andThen(this.measure(collection, id), () => {
      const size = this.wide.get(collection);
      if (size === undefined || shareOf().tryTake(size)) return undefined;
      return shareOf()
        .take(size)
        .then(() => {
          if (caller.request.isAbandoned) throw new BadRequestError('The client has gone away.');
        });
    });
  }

  /**
   * Looks how large a record is, where many are changed at once before one of their collection was found to be large:
   * all of them might be, and none would wait for room (OPS-39).
   */
  private measure(collection: Collection, id: unknown): MaybePromise<void> {
    if (this.changing <= UNMEASURED || this.wide.has(collection) || typeof id !== 'string') return undefined;
    if (collection.isView || !mayBeLong(collection, SMALL_ANSWER)) return undefined;
    return andThen(this.rows.longBytes(collection, id), (bytes) =>
      this.noteSize(collection, BYTES_PER_CHARACTER * bytes),
    );
  }

  /** The last part of a consistent read: what belongs to the record. */
  private prepare(
    record: RecordModel,
    expand: readonly ExpandStep[],
    caller: Caller,
    size?: ExpandSize,
  ): MaybePromise<PreparedRecords> {
    if (expand.length === 0) return this.presenter.prepare([record], caller);
    return this.expander.expand([record], expand, caller, size).then(() => this.presenter.prepare([record], caller));
  }
}

function recordsPath({ name }: Collection): string {
  return `/api/collections/${name}/records`;
}
