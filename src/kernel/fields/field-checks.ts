import type { Upload } from '../files/upload.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { FieldDefinition } from './field-definition.js';

/** What field types may look up while they validate a value. Implemented by the record validator. */
export interface FieldChecks {
  /** The stored value of the field before this write, undefined on create. */
  original(field: FieldDefinition): unknown;
  /** True when the target collection of a relation exists. */
  hasCollection(collectionId: string): boolean;
  /** Those of the ids that exist in the collection. */
  existingIds(collectionId: string, ids: readonly string[]): MaybePromise<ReadonlySet<string>>;
  /**
   * True when a record with this id exists in the field's own collection; `ignoreCase` compares ASCII-insensitively.
   */
  idTaken(id: string, ignoreCase: boolean): MaybePromise<boolean>;
  /** True when the field's collection is an auth collection and a record of another auth collection has this id. */
  authIdTaken(id: string): MaybePromise<boolean>;
  /** Files that arrived for the field with this write and whose names stand in its value. */
  uploads(field: FieldDefinition): readonly Upload[];
}
