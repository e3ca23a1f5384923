import type { RecordModel } from 'pocketbase';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';

/** What every input of a record panel gets. */
export interface FieldInputProps {
  readonly field: FieldModel;
  readonly collection: CollectionModel;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string;
  /** The stored record; absent while a new one is made. */
  readonly record?: RecordModel;
}
