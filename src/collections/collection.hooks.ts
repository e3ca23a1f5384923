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

/** Collections got other names, all of them at once: an import may swap two. The transaction is still open. */
export interface CollectionsRenamedEvent {
  /** New names by the old ones. */
  readonly names: ReadonlyMap<string, string>;
}

/** Collections are gone with their tables, all those of one change. The transaction is still open. */
export interface CollectionsDeletedEvent {
  readonly collections: readonly Collection[];
}

/** A collection was not created, changed or deleted after all, and nothing of it remains. */
export interface CollectionFailedEvent {
  /** What it was to become, or the collection that was to go. */
  readonly definition: CollectionData;
  /** What stopped it; undefined when a surrounding transaction rolled back for a reason of its own. */
  readonly error: unknown;
}

/** Inside the transaction, before a collection is created. A throw refuses it. */
export const BeforeCollectionCreate = createHook<CollectionCreateEvent>('BeforeCollectionCreate');
/** After the commit of a collection that was created. A throw is logged and changes nothing. */
export const AfterCollectionCreate = createHook<CollectionCreatedEvent>('AfterCollectionCreate');
/** After a collection was not created, or its transaction was rolled back. A throw is logged. */
export const AfterCollectionCreateFailed = createHook<CollectionFailedEvent>('AfterCollectionCreateFailed');
/** Inside the transaction, before a collection is changed. A throw refuses it. */
export const BeforeCollectionUpdate = createHook<CollectionUpdateEvent>('BeforeCollectionUpdate');
/** After the commit of a collection that was changed. A throw is logged and changes nothing. */
export const AfterCollectionUpdate = createHook<CollectionUpdatedEvent>('AfterCollectionUpdate');
/** After a collection was not changed, or its transaction was rolled back. A throw is logged. */
export const AfterCollectionUpdateFailed = createHook<CollectionFailedEvent>('AfterCollectionUpdateFailed');
/** Inside the transaction, before a collection is deleted. A throw refuses it. */
export const BeforeCollectionDelete = createHook<CollectionDeleteEvent>('BeforeCollectionDelete');
/** After the commit of a collection that was deleted. A throw is logged and changes nothing. */
export const AfterCollectionDelete = createHook<CollectionDeletedEvent>('AfterCollectionDelete');
/** After a collection was not deleted, or its transaction was rolled back. A throw is logged. */
export const AfterCollectionDeleteFailed = createHook<CollectionFailedEvent>('AfterCollectionDeleteFailed');
/** Inside the transaction, after tables and definitions have their new names. A throw undoes the change. */
export const CollectionsRenamed = createHook<CollectionsRenamedEvent>('CollectionsRenamed');
/** Inside the transaction, after tables and definitions are gone. A throw undoes the change. */
export const CollectionsDeleted = createHook<CollectionsDeletedEvent>('CollectionsDeleted');
/** Inside the transaction, after a change through the endpoints. A throw undoes it. */
export const CollectionEdited = createHook<CollectionEditedEvent>('CollectionEdited');
