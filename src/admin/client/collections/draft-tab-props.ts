import type { AuthModel, CollectionModel } from '../api/collection-model.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import type { CollectionDraft } from './collection-draft.js';

/** What every tab of the panel gets. */
export interface DraftTabProps {
  readonly draft: CollectionDraft;
  readonly setDraft: (change: (draft: CollectionDraft) => CollectionDraft) => void;
  readonly errors: FieldErrors;
  /** The stored collection; absent while a new one is made. */
  readonly stored?: CollectionModel;
}

type Patch = (name: keyof AuthModel, change: object) => void;

/** Every option section gets the whole auth part and a way to change a part of it. */
export interface AuthSectionProps {
  readonly collection: CollectionModel & AuthModel;
  readonly patch: Patch;
  readonly errors: DraftTabProps['errors'];
}
