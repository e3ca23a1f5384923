import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';

/** Longer texts are shortened in the message. */
const LONGEST_NAME = 100;

/**
 * The collection of this name or id. Throws a NotFoundError when there is none, and an Error when there are none at
 * all: then the data directory is not open.
 */
export function requireCollection(catalog: CatalogSnapshot, nameOrId: string): Collection {
  const collection = catalog.find(nameOrId);
  if (collection) return collection;
  if (catalog.all().length > 0) throw collectionNotFound(nameOrId);
  throw new Error('The data directory is not open yet. Use a BeforeServe hook, a command or a migration.');
}

/** No collection has this name or id. */
export function collectionNotFound(nameOrId: string): NotFoundError {
  return new NotFoundError(`There is no collection "${nameOrId.slice(0, LONGEST_NAME)}".`);
}

/** Records of a view cannot be written. */
export function viewNotWritable(): BadRequestError {
  return new BadRequestError('The records of a view collection cannot be changed.');
}
