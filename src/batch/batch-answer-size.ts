import { SMALL_ANSWER } from '../http/answer/answer-memory.js';
import type { AnswerShareSource } from '../http/answer/current-answer.decorator.js';
import { charactersOf } from '../kernel/characters-of.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';

const MEBIBYTE = 1024 * 1024;

/** Seconds until a client whose batch found no room for its answer may try again. */
const RETRY_AFTER = 2;

/**
 * How much the answer to a batch holds. Small items may have large answers, as updates of large records do, and all of
 * them are kept until the last item is done (OPS-39).
 */
export class BatchAnswerSize {
  private characters = 0;

  /** `limit` is in characters. `shareOf` gives what the answer has of the room for large ones. */
  constructor(
    private readonly limit: number,
    private readonly shareOf: AnswerShareSource,
  ) {}

  /** Counts the answer to an item. Throws 400 when all of them are too much. */
  add(answer: unknown): void {
    this.characters += charactersOf(answer);
    if (this.characters <= this.limit) return;
    throw new BadRequestError(
      `The answer to the batch would hold more than ${this.limit / MEBIBYTE} MiB. ` +
        'Ask for fewer items, or for what you need of them: with "fields" in the address of an item.',
    );
  }

  /** Throws 429 when others have the room: waiting for it would keep everybody else from writing. */
  requireRoom(): void {
    if (this.characters <= SMALL_ANSWER || this.shareOf().tryGrow(this.characters)) return;
    throw new TooManyRequestsError(RETRY_AFTER, 'Too many large answers are on their way, try again later.');
  }
}
