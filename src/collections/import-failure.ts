import { HttpException } from '@nestjs/common';
import { DatabaseError } from '../database/database.error.js';
import { IndexRefusedError } from '../database/index-refused.error.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { collectionFailure } from './collection-failure.js';
import { ViewQueryError } from './view-query.error.js';

/** One collection of an import is not accepted. */
export class RefusedCollectionError extends Error {
  override readonly name = 'RefusedCollectionError';

  constructor(
    readonly collection: string,
    readonly errors: FieldErrors,
    cause?: unknown,
  ) {
    super(cause instanceof Error ? cause.message : '', { cause });
  }
}
