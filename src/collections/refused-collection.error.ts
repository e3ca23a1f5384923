import type { FieldErrors } from '../kernel/errors/field-error.js';

/** One collection of an import is not accepted: for its errors, or for the reason in the message. */
export class RefusedCollectionError extends Error {
  override readonly name = 'RefusedCollectionError';

  constructor(
    readonly collection: string,
    readonly errors: FieldErrors,
    cause?: Error,
  ) {
    super(cause?.message ?? '', { cause });
  }
}
