import type { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';

/** Tells a database that has some names in another form which ones there are. */
export function learnNames({ dialect }: Database, collections: readonly Collection[]): void {
  dialect.learnNames?.(
    collections.flatMap(({ name, fields, indexes }) => [name, ...fields.map((field) => field.name), ...indexes]),
  );
}
