import type { Collection } from '../../kernel/collections/collection.js';

/** The bcrypt cost of the passwords of an auth collection; 0 stands for the default. */
export function costOf(collection: Collection): number {
  return Number(collection.field('password')!['cost'] ?? 0);
}
