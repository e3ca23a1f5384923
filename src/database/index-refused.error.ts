/** The database does not accept an index of a collection: an unknown column, values that are not unique, a taken name. */
export class IndexRefusedError extends Error {
  override readonly name = 'IndexRefusedError';
  readonly collectionId: string;
  /** Place of the index in the definition of its collection. */
  readonly position: number;

  constructor(index: { readonly collectionId: string; readonly position: number }, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.collectionId = index.collectionId;
    this.position = index.position;
  }
}
