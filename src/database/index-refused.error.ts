import { messageOf } from '../kernel/errors/message-of.js';

/**
 * The database does not accept an index of a collection: an unknown column, values that are not unique, a taken name.
 */
export class IndexRefusedError extends Error {
  override readonly name = 'IndexRefusedError';
  /** Name of the collection. */
  readonly collection: string;
  /** Place of the index in the definition of its collection. */
  readonly position: number;

  constructor(index: { readonly collection: string; readonly position: number }, cause: unknown) {
    super(messageOf(cause), { cause });
    this.collection = index.collection;
    this.position = index.position;
  }
}
