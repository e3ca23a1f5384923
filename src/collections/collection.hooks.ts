import { createHook } from '../hooks/create-hook.js';
import type { CollectionBody } from '../kernel/collections/collection-body.js';
import type { Collection, CollectionData } from '../kernel/collections/collection.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import type { Caller } from '../kernel/records/caller.js';

/** A collection is about to be created. `definition` may be replaced before it is validated; a throw refuses it. */
export interface CollectionCreateEvent {
  definition: CollectionData;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A collection is about to be changed. `definition` may be replaced before it is validated; a throw refuses it. */
export interface CollectionUpdateEvent {
  readonly original: Collection;
  definition: CollectionData;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A collection is about to be deleted; a throw refuses it. */
export interface CollectionDeleteEvent {
  readonly collection: Collection;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A collection was created, and the transaction is committed. */
export interface CollectionCreatedEvent {
  readonly collection: Collection;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A collection was changed, and the transaction is committed. */
export interface CollectionUpdatedEvent {
  readonly original: Collection;
  readonly collection: Collection;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A collection was deleted, and the transaction is committed. */
export interface CollectionDeletedEvent {
  readonly collection: Collection;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
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
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** Definitions are about to be imported, all of them or none. A throw refuses it. */
export interface CollectionImportEvent {
  /** As they were sent. May be replaced. */
  collections: readonly CollectionBody[];
  /** Whether what is not among them will be deleted. May be changed. */
  deleteMissing: boolean;
  /** Who asked for it; null for code and migrations. */
  readonly caller: Caller | null;
}

/** A definition is being validated. Errors that are put in refuse it together with those of the product. */
export interface ValidateCollectionEvent {
  /** As it will be. */
  readonly collection: Collection;
  /** As it is; undefined for a new one. */
  readonly original: Collection | undefined;
  /** By property name, nested like the definition: `fields` by position. */
  readonly errors: Record<string, FieldError | FieldErrors>;
  readonly caller: Caller | null;
}

/**
 * Before an import begins, outside of its transaction. Each collection has its own hooks besides. A throw refuses it.
 */
export const BeforeCollectionImport = createHook<CollectionImportEvent>('BeforeCollectionImport');
/** Inside the transaction, while a definition that is created, changed or imported is validated, after `Before…`. */
export const ValidateCollection = createHook<ValidateCollectionEvent>('ValidateCollection');
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
