import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';

/** A relation of some collection that names records of this one. */
export interface BackRelation {
  readonly collection: CollectionModel;
  readonly field: FieldModel;
}

/** The relations that point to a collection, its own included, by the name of theirs. */
export function backRelations(to: CollectionModel, collections: readonly CollectionModel[]): BackRelation[] {
  return collections
    .flatMap((collection) =>
      collection.fields
        .filter((field) => field.type === 'relation' && field.collectionId === to.id)
        .map((field) => ({ collection, field })),
    )
    .toSorted((a, b) => a.collection.name.localeCompare(b.collection.name));
}

/** The filter of the records that name this one in a relation. */
export function pointsTo({ field }: BackRelation, id: string): string {
  return isMultiple(field) ? `${field.name}.id ?= "${id}"` : `${field.name} = "${id}"`;
}
