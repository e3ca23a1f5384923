import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { SqlNode } from '../sql/sql-node.js';

/** A record somewhere on a path, from which the next segment goes on. */
export interface Position {
  readonly collection: Collection;
  /** Names the row variable: equal paths are the same row (MM-2). */
  readonly path: string;
  /** How many relations led here (REF-5). */
  readonly hops: number;
  /** Whether there may be several such records (MM-1). */
  readonly multi: boolean;
  /** It is there for certain, a row of a table without NULLs: not that of a path without rows, nor that of a view. */
  readonly certain?: boolean;
  /** Nothing in the database can point to it: it does not exist yet (RULE-7). */
  readonly unstored?: boolean;
  column(field: FieldDefinition): SqlNode;
}
