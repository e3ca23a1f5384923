import { DatabaseError } from '../../database/database.error.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';

/**
 * Reads records. A view whose query no longer fits the collections it reads has no records to show until it is
 * corrected (COL-118): a BadRequestError, neither wrong values nor a failure of the server.
 */
export function explainBrokenView<T>(collection: Collection, read: () => MaybePromise<T>): MaybePromise<T> {
  return collection.isView ? reading(read) : read();
}

async function reading<T>(read: () => MaybePromise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isBroken = error instanceof DatabaseError && error.kind === 'syntax';
    throw isBroken ? new BadRequestError('The query of this view needs to be corrected.', {}, { cause: error }) : error;
  }
}
