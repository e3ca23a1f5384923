import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { CollectionInput } from '../kernel/collections/collection-body.js';
import { blankCollection, type CollectionDraft, draftCollection } from '../kernel/collections/collection-draft.js';
import { Collection, type CollectionData, type CollectionType } from '../kernel/collections/collection.js';
import { formatDateTime } from '../kernel/date-time.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../kernel/fields/normalize-field-definition.js';

/** Turns what was sent into a definition, with the field types of this application and the current time. */
@Injectable()
export class CollectionDrafts {
  constructor(
    private readonly types: FieldTypeRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * What was sent, merged into a stored collection or into a blank one of a type. Nothing is validated. A view keeps
   * the fields it had; with `asBefore` it takes those that were sent, because its query may be broken.
   */
  draft(
    input: CollectionInput,
    base: Collection | CollectionType,
    catalog: CatalogSnapshot,
    { asBefore = false }: { readonly asBefore?: boolean } = {},
  ): CollectionDraft {
    const data = typeof base === 'string' ? blankCollection(base) : base.toData();
    const draft = draftCollection(input, data, {
      types: this.types,
      isIdTaken: (id) => catalog.find(id) !== undefined,
    });
    const now = formatDateTime(this.clock.now());
    const fields = asBefore && data.type === 'view' ? this.known(input.fields) : undefined;
    return { ...draft, data: { ...draft.data, ...(fields && { fields }), created: data.created || now, updated: now } };
  }

  /** A definition as a value of this application. */
  collection(definition: CollectionData): Collection {
    return new Collection(definition, this.types);
  }

  private known(fields: CollectionInput['fields']): readonly FieldDefinition[] | undefined {
    return fields?.flatMap((raw) => normalizeFieldDefinition(raw, this.types).definition ?? []);
  }
}
