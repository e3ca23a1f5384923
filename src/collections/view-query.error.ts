import type { Collection } from '../kernel/collections/collection.js';

/** The query of a view cannot be used, for the reason in the message: the database's own, or one of ours. */
export class ViewQueryError extends Error {
  override readonly name = 'ViewQueryError';

  constructor(
    readonly view: Collection,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
