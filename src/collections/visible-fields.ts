import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';
import { isNeverShown } from '../kernel/collections/shown-fields.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { CollectionStore } from './collection-store.js';
import { neverShownFields } from './view-fields.js';

/** Which fields of a collection anybody may see. */
@Injectable()
export class VisibleFields {
  constructor(
    private readonly store: CollectionStore,
    private readonly fieldTypes: FieldTypeRegistry,
  ) {}

  /** Hidden ones included. For a view, it is slow: its query is parsed. */
  of(collection: Collection): FieldDefinition[] {
    const secret = collection.isView && neverShownFields(collection, this.store.catalog, this.fieldTypes);
    return collection.fields.filter((field) => !isNeverShown(collection, field) && !(secret && secret.has(field)));
  }
}
