import { DatabaseError } from '../database/database.error.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';

/**
 * Reads records. A view whose query no longer fits the collections it reads has no records to show until it is
 * corrected (COL-118): a BadRequestError, neither wrong values nor a failure of the server.
 */
export async function readingView<T>(collection: Collection, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isBroken = collection.isView && error instanceof DatabaseError && error.kind === 'syntax';
    throw isBroken ? new BadRequestError('The query of this view needs to be corrected.', {}, { cause: error }) : error;
  }
}
