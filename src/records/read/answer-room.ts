import { SMALL_ANSWER } from '../../http/answer/answer-memory.js';
import type { AnswerShareSource } from '../../http/answer/current-answer.decorator.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';

/**
 * Reads an answer and reserves memory for it. Its size is known only once it is read: when there is no room, what was
 * read is dropped, and it is read again after waiting.
 */
export function withRoom<Read extends { readonly size: number }>(
  shareOf: AnswerShareSource | undefined,
  caller: Caller,
  read: () => MaybePromise<Read>,
): MaybePromise<Read> {
  return andThen(read(), (found) => {
    if (shareOf === undefined || found.size <= SMALL_ANSWER || shareOf().tryTake(found.size)) return found;
    // Not waited for here: a function that waits keeps its variables alive.
    return readWithRoom(found.size, { shareOf, caller, read });
  });
}

async function readWithRoom<Read>(
  size: number,
  { shareOf, caller, read }: { shareOf: AnswerShareSource; caller: Caller; read: () => MaybePromise<Read> },
): Promise<Read> {
  await shareOf().take(size);
  if (caller.request.isAbandoned) throw new BadRequestError('The client has gone away.');
  return read();
}
