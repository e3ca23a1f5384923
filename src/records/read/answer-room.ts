import { SMALL_ANSWER } from '../../http/answer/answer-memory.js';
import type { AnswerShareSource } from '../../http/answer/current-answer.decorator.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';

/**
 * Reads an answer and reserves memory for it. Its size is known only once it is read: when there is no room, what was
 * read is dropped, and it is read again after waiting.
 */
export async function withRoom<Read extends { readonly size: number }>(
  shareOf: AnswerShareSource | undefined,
  caller: Caller,
  read: () => MaybePromise<Read>,
): Promise<Read> {
  const found = await readOrSize(shareOf, read);
  if (typeof found !== 'number') return found;
  await shareOf!().take(found);
  if (caller.request.isAbandoned) throw new BadRequestError('The client has gone away.');
  return read();
}

/**
 * The answer, or only its size when it has to wait. A function of its own, because a function that waits keeps its
 * variables alive.
 */
async function readOrSize<Read extends { readonly size: number }>(
  shareOf: AnswerShareSource | undefined,
  read: () => MaybePromise<Read>,
): Promise<Read | number> {
  const found = await read();
  const hasRoom = shareOf === undefined || found.size <= SMALL_ANSWER || shareOf().tryTake(found.size);
  return hasRoom ? found : found.size;
}
