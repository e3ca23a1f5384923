import type { CollectionBody } from '../kernel/collections/collection-body.js';
import { collectionToJson } from '../kernel/collections/collection-json.js';
import type { CollectionData } from '../kernel/collections/collection.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';

/** A definition as a user migration holds it: no timestamps, no OAuth2 providers, no secrets (OPS-186, OPS-188). */
export type CollectionSnapshot = Readonly<Record<string, unknown>>;

/** A field and its place in the list. */
export interface PlacedField {
  readonly at: number;
  readonly field: FieldDefinition;
}

/** What changed between two definitions of one collection. */
export interface CollectionPatch {
  /** Properties with their new values; `fields` is never one of them. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly removedFields: readonly string[];
  readonly savedFields: readonly PlacedField[];
}

/** A definition without what belongs to one installation only. */
export function collectionSnapshot(collection: CollectionData): CollectionSnapshot {
  const { created: _created, updated: _updated, oauth2, ...json } = collectionToJson(collection);
  if (!collection.auth) return json;
  const { providers: _providers, ...shared } = oauth2 as Record<string, unknown>;
  return { ...json, oauth2: shared };
}

/**
 * The way from one definition to another; undefined when they are the same but for the order of their fields. With
 * the arguments swapped it is the way back.
 */
export function collectionPatch(before: CollectionData, after: CollectionData): CollectionPatch | undefined {
  const properties = changedProperties(collectionSnapshot(before), collectionSnapshot(after));
  if (after.type === 'view') return emptyOr({ properties, removedFields: [], savedFields: [] });
  const kept = new Set(after.fields.map((field) => field.id));
  const stored = new Map(before.fields.map((field) => [field.id, JSON.stringify(field)]));
  return emptyOr({
    properties,
    removedFields: before.fields.filter((field) => !kept.has(field.id)).map((field) => field.id),
    savedFields: after.fields
      .map((field, at) => ({ at, field }))
      .filter(({ field }) => stored.get(field.id) !== JSON.stringify(field)),
  });
}

/** The body of an update that carries out a patch on a collection as it is now. */
export function patchBody(current: CollectionData, patch: CollectionPatch): CollectionBody {
  const { properties, removedFields, savedFields } = patch;
  if (removedFields.length === 0 && savedFields.length === 0) return properties;
  const fields = current.fields.filter((field) => !removedFields.includes(field.id));
  for (const { at, field } of savedFields) {
    const present = fields.findIndex(({ id }) => id === field.id);
    if (present >= 0) fields[present] = field;
    else fields.splice(at, 0, field);
  }
  return { ...properties, fields };
}

function changedProperties(before: CollectionSnapshot, after: CollectionSnapshot): Record<string, unknown> {
  const changed = Object.entries(after).filter(
    ([key, value]) => key !== 'fields' && JSON.stringify(value) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(changed);
}

function emptyOr(patch: CollectionPatch): CollectionPatch | undefined {
  const { properties, removedFields, savedFields } = patch;
  const isEmpty = Object.keys(properties).length + removedFields.length + savedFields.length === 0;
  return isEmpty ? undefined : patch;
}
