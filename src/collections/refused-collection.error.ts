import type { FieldErrors } from '../kernel/errors/field-error.js';

/** One collection of an import is not accepted: for its errors, or for the reason in the message. */
export class RefusedCollectionError extends Error {
  override readonly name = 'RefusedCollectionError';

  constructor(
    readonly collection: string,
    readonly errors: FieldErrors,
    /** By position, as in `errors.fields`. */
    readonly fieldNames: readonly string[] = [],
    cause?: Error,
  ) {
    super(cause?.message ?? '', { cause });
  }
}
