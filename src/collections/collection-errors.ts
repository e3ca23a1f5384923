import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';

/** No collection has this name or id. */
export function collectionNotFound(): NotFoundError {
  return new NotFoundError('There is no such collection.');
}

/** Somebody wants to write records that follow from a query. */
export function viewNotWritable(): BadRequestError {
  return new BadRequestError('The records of a view collection cannot be changed.');
}
