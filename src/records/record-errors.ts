import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';

/** What a missing record and a failed rule both look like (REC-7). */
export function recordNotFound(): NotFoundError {
  return new NotFoundError('The requested record was not found.');
}

/** A create rule that did not hold (RULE-8): nothing about which part failed. */
export function createRefused(): BadRequestError {
  return new BadRequestError('The record could not be created.');
}
