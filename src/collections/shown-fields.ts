import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';
import { isNeverShown } from '../kernel/collections/shown-fields.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { CollectionStore } from './collection-store.js';
import { findViewFieldSource } from './view-fields.js';

/** Which fields of a collection anybody may see. */
@Injectable()
export class ShownFields {
  constructor(
    private readonly store: CollectionStore,
    private readonly fieldTypes: FieldTypeRegistry,
  ) {}

  /** Hidden ones included. For a view, it is slow: its query is parsed. */
  of(collection: Collection): FieldDefinition[] {
    return collection.fields.filter((field) => !this.isSecret(collection, field));
  }

  /** Also what is never shown of the collection that a view shows it from. */
  private isSecret(collection: Collection, field: FieldDefinition): boolean {
    if (isNeverShown(collection, field)) return true;
    const source =
      collection.isView && findViewFieldSource(collection, field.name, this.store.catalog, this.fieldTypes);
    return source ? isNeverShown(source.collection, source.field) : false;
  }
}
