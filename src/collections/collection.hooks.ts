import { createHook } from '../hooks/create-hook.js';
import type { Collection, CollectionData } from '../kernel/collections/collection.js';

/** A collection is about to be created. `definition` may be replaced before it is validated; a throw refuses it. */
export interface CollectionCreateEvent {
  definition: CollectionData;
}

/** A collection is about to be changed. `definition` may be replaced before it is validated; a throw refuses it. */
export interface CollectionUpdateEvent {
  readonly original: Collection;
  definition: CollectionData;
}

/** A collection is about to be deleted; a throw refuses it. */
export interface CollectionDeleteEvent {
  readonly collection: Collection;
}

/** A collection was created, and the transaction is committed. */
export interface CollectionCreatedEvent {
  readonly collection: Collection;
}

/** A collection was changed, and the transaction is committed. */
export interface CollectionUpdatedEvent {
  readonly original: Collection;
  readonly collection: Collection;
}

/** A collection was deleted, and the transaction is committed. */
export interface CollectionDeletedEvent {
  readonly collection: Collection;
}

/**
 * A collection was created, changed or deleted through its endpoint, not by an import or by code. The transaction is
 * still open: a throw undoes the change.
 */
export interface CollectionEditedEvent {
  readonly before?: Collection;
  readonly after?: Collection;
}

/** A change was given up and nothing of it remains. */
export interface CollectionFailureEvent {
  readonly definition: CollectionData;
  readonly error: unknown;
}

export const BeforeCollectionCreate = createHook<CollectionCreateEvent>('BeforeCollectionCreate');
export const AfterCollectionCreate = createHook<CollectionCreatedEvent>('AfterCollectionCreate');
export const AfterCollectionCreateFailed = createHook<CollectionFailureEvent>('AfterCollectionCreateFailed');
export const BeforeCollectionUpdate = createHook<CollectionUpdateEvent>('BeforeCollectionUpdate');
export const AfterCollectionUpdate = createHook<CollectionUpdatedEvent>('AfterCollectionUpdate');
export const AfterCollectionUpdateFailed = createHook<CollectionFailureEvent>('AfterCollectionUpdateFailed');
export const BeforeCollectionDelete = createHook<CollectionDeleteEvent>('BeforeCollectionDelete');
export const AfterCollectionDelete = createHook<CollectionDeletedEvent>('AfterCollectionDelete');
export const AfterCollectionDeleteFailed = createHook<CollectionFailureEvent>('AfterCollectionDeleteFailed');
export const CollectionEdited = createHook<CollectionEditedEvent>('CollectionEdited');
