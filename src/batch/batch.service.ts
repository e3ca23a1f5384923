import { HttpException, Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { AnswerShareSource } from '../http/answer/current-answer.decorator.js';
import { toApiError } from '../http/answer/error-body.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import { clientOf } from '../http/request/client-ip.js';
import type { RequestBody } from '../http/body/request-body.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AnswerLimits } from '../records/read/answer-limits.js';
import { ExpandSize } from '../records/read/expand-size.js';
import { PreparedPasswords } from '../records/write/prepared-passwords.js';
import { RecordRows } from '../records/record-rows.js';
import { SettingsService } from '../settings/settings.service.js';
import { BatchAnswerSize } from './batch-answer-size.js';
import { BatchDeadline } from './batch-deadline.js';
import { BatchFailedError } from './batch-failed.error.js';
import { groupFiles, type ItemFiles } from './batch-files.js';
import { type BatchItem, BatchItemsService, type BatchOutcome } from './batch-items.service.js';
import { readBatchRequests } from './read-batch-requests.js';
import type { BatchResult } from './batch.dto.js';
import { BeforeBatch, type BatchEvent } from './batch.hooks.js';

/** What a timeout of 0 stands for, in seconds (BAT-1). */
const DEFAULT_TIMEOUT = 3;

/** Items whose passwords are hashed at the same time. */
const AT_A_TIME = 4;

const NO_FILES: ItemFiles = new Map();

/** Who sent a batch, and what becomes of its answer. */
export interface BatchRequester {
  readonly caller: Caller;
  readonly disconnected: AbortSignal;
  readonly shareOf: AnswerShareSource;
}

/** What an item needs besides its request. */
interface Prepared {
  readonly files: ReadonlyMap<number, ItemFiles>;
  readonly passwords: PreparedPasswords;
  readonly shareOf: AnswerShareSource;
}

/** Several writes of records, all or none (chapter 02 §17). */
@Injectable()
export class BatchService {
  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly settings: SettingsService,
    private readonly hooks: HookRegistry,
    private readonly database: Database,
    private readonly rows: RecordRows,
    private readonly items: BatchItemsService,
    private readonly limits: AnswerLimits,
  ) {}

  /**
   * Runs the requests one after another in one transaction with one deadline; the answers stand in their order.
   * Throws 400 for a malformed batch and a BatchFailedError for the first item that fails, 408 at the deadline, 429 when
   * the answer becomes large while others have the memory for such; then nothing of the batch is stored.
   */
  async run(body: RequestBody, { caller, disconnected, shareOf }: BatchRequester): Promise<BatchResult[]> {
    requireKnownType(caller);
    const { maxRequests, timeout } = this.settings.get().batch;
    const event: BatchEvent = { caller, requests: await readBatchRequests(body.values, maxRequests) };
    await this.hooks.run(BeforeBatch, event);
    const passwords = await this.preparePasswords(event, disconnected);
    const deadline = new BatchDeadline((timeout || DEFAULT_TIMEOUT) * 1000, disconnected);
    try {
      const prepared = { files: groupFiles(body.files), passwords, shareOf };
      return await this.database.transaction(() => this.runAll(event, prepared, deadline), {
        deadline: deadline.signal,
        isLong: true,
      });
    } finally {
      deadline.stop();
    }
  }

  /** Hashes a few at a time, so that one client does not block the queue of passwords and all cores are used. */
  private async preparePasswords(
    { requests, caller }: BatchEvent,
    disconnected: AbortSignal,
  ): Promise<PreparedPasswords> {
    const prepared = new PreparedPasswords();
    const rest = inTurn(requests);
    const turn = new EventLoopTurn(clientOf(caller.ip));
    const prepareRest = async (): Promise<void> => {
      // The items are taken from one iterator, which ends for all at the first failure.
      for (const request of rest) {
        if (disconnected.aborted) throw new BadRequestError('The client has gone away.');
        const preparing = this.items.prepare(request, caller, prepared);
        if (preparing) await preparing;
        if (turn.isOver) await turn.next();
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, prepareRest));
    return prepared;
  }

  private async runAll(
    { requests, caller }: BatchEvent,
    { files, passwords, shareOf }: Prepared,
    deadline: BatchDeadline,
  ): Promise<BatchResult[]> {
    deadline.start();
    const results: BatchResult[] = [];
    const expanded = new ExpandSize(this.limits);
    const size = new BatchAnswerSize(this.limits.batchCharacters, shareOf);
    const ids: (string | undefined)[] = [];
    let as = caller;
    for (const [index, request] of requests.entries()) {
      const item = { request, files: files.get(index) ?? NO_FILES, ids, passwords, expanded, size };
      const running = andThen(deadline.check(), () => this.runItem(item, as));
      const { result, id } = running instanceof Promise ? await running : running;
      size.requireRoom();
      results.push(result);
      ids.push(id);
      if (as.auth && this.database.transactions.mayHaveWritten(as.auth.collection.name))
        as = await this.present(as.auth, as);
    }
    await deadline.check();
    return results;
  }

  /** The caller as earlier items have left the account (BAT-7); a guest when it was deleted. */
  private async present(account: RecordModel, { request, ip }: Caller): Promise<Caller> {
    return new Caller((await this.rows.find(account.collection, account.id)) ?? null, request, ip);
  }

  private runItem(item: BatchItem, caller: Caller): MaybePromise<BatchOutcome> {
    const fail = (error: unknown): never => {
      // An error that is no answer for a client, such as a full disk, is thrown as it is.
      if (!(error instanceof ApiError) && !(error instanceof HttpException)) throw error;
      throw new BatchFailedError(item.ids.length, toApiError(error, this.config.dev));
    };
    try {
      const running = this.items.run(item, caller);
      return running instanceof Promise ? running.catch(fail) : running;
    } catch (error) {
      return fail(error);
    }
  }
}

function* inTurn<T>(values: readonly T[]): Generator<T> {
  yield* values;
}

/** A batch comes as JSON or as a form with files, whatever else the body reader understands (BAT-4). */
function requireKnownType({ request }: Caller): void {
  const type = (request.headers['content_type'] ?? '').trim().toLowerCase();
  if (type.startsWith('application/x-www-form-urlencoded')) {
    throw new BadRequestError('A batch has to be JSON or multipart/form-data.');
  }
}
