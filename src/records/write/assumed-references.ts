import type { Collection } from '../../kernel/collections/collection.js';

/** So many ids of one field are known to exist by the statement that writes; its text has a place for each. */
const MOST_IDS = 8;

/** An id that is longer is asked for: hardly a record has it, and megabytes would be written for nothing. */
const LONGEST_ID = 255;

/** Records of one collection that a new one refers to. */
interface AssumedRecords {
  readonly collection: Collection;
  readonly ids: readonly string[];
}

/**
 * What a new record takes for granted until it is written, by a statement that writes nothing where it does not hold:
 * to ask before would be a way to the database and back.
 */
export class AssumedReferences {
  readonly all: AssumedRecords[] = [];

  /** False where it has to be asked. */
  add(collection: Collection, ids: readonly string[]): boolean {
    if (collection.isView || ids.length > MOST_IDS) return false;
    if (ids.some(({ length }) => length > LONGEST_ID)) return false;
    this.all.push({ collection, ids });
    return true;
  }
}
