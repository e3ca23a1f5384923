import { followFieldRenames } from '../../../kernel/collections/index-upkeep.js';
import { indexForTable } from '../../../kernel/collections/index-definition.js';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';

/** A field while its collection is edited: the key is its identity in lists, removal can be undone before saving. */
export interface DraftField {
  readonly key: string;
  readonly field: FieldModel;
  readonly removed: boolean;
}

/** A collection while it is edited. */
export interface CollectionDraft {
  readonly collection: CollectionModel;
  readonly fields: readonly DraftField[];
}

export function draftOf(collection: CollectionModel): CollectionDraft {
  const copy = structuredClone(collection);
  return {
    collection: copy,
    fields: copy.fields.map((field, index) => ({ key: field.id || `preset-${index}`, field, removed: false })),
  };
}

/** A copy under another name, as if made by hand: no ids, no dates, indexes under new names. */
export function duplicateOf(collection: CollectionModel): CollectionModel {
  const copy = structuredClone(collection);
  const suffix = Math.random().toString(36).slice(2, 8);
  const ownId = collection.id;
  return {
    ...copy,
    id: '',
    name: `${collection.name}_copy`,
    system: false,
    created: '',
    updated: '',
    // A relation to itself would otherwise point to the original; it has no other target yet.
    fields: copy.fields.map((field) => ({
      ...field,
      id: field.type === 'relation' && field.collectionId === ownId ? '' : field.id,
    })),
    indexes: copy.indexes.map((index) =>
      index.replace(/(INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"[]?)([\w.]+)/i, `$1$2_${suffix}`),
    ),
  };
}

/** A key for a field that is not stored yet. Pages without TLS have no `randomUUID`. */
export function newKey(): string {
  return `new-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
}

/** Renames a field and everything in the draft that names it: indexes, identity and mapped fields. */
export function renameField(draft: CollectionDraft, key: string, name: string): CollectionDraft {
  const target = draft.fields.find((each) => each.key === key);
  if (!target) return draft;
  const old = target.field.name;
  const follow = <T extends string>(value: T): T => (value === old ? (name as T) : value);
  const { passwordAuth, oauth2, indexes } = draft.collection;
  return {
    fields: draft.fields.map((each) => (each.key === key ? { ...each, field: { ...each.field, name } } : each)),
    collection: {
      ...draft.collection,
      indexes:
        old && name ? indexes.map((index) => followFieldRenames(index, new Map([[old.toLowerCase(), name]]))) : indexes,
      ...(passwordAuth
        ? { passwordAuth: { ...passwordAuth, identityFields: passwordAuth.identityFields.map(follow) } }
        : {}),
      ...(oauth2
        ? {
            oauth2: {
              ...oauth2,
              mappedFields: Object.fromEntries(
                Object.entries(oauth2.mappedFields ?? {}).map(([to, from]) => [to, follow(from)]),
              ),
            },
          }
        : {}),
    },
  };
}

/** Renames the collection; its indexes follow. */
export function renameCollection(draft: CollectionDraft, name: string): CollectionDraft {
  return {
    ...draft,
    collection: {
      ...draft.collection,
      name,
      indexes: draft.collection.indexes.map((index) => (name ? indexForTable(index, name) : index)),
    },
  };
}

/** What is sent: the collection without removed fields and without what another type has. */
export function bodyOfDraft(draft: CollectionDraft): CollectionModel {
  const kept = draft.fields.filter((each) => !each.removed);
  const names = new Set(kept.filter(({ field }) => field.id).map(({ field }) => field.name));
  // Without id it would be taken for the field whose name it has, which the user can hardly mean.
  const fields = kept.map(({ key, field }) => (!field.id && names.has(field.name) ? { ...field, id: key } : field));
  const { created: _created, updated: _updated, ...rest } = draft.collection;
  return { ...rest, fields } as CollectionModel;
}

/** A name as it may be stored: letters, digits and underscores. */
export function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 255);
}

/** A field name that no field of the draft has. */
export function freeName(draft: CollectionDraft, wanted: string): string {
  const taken = new Set(draft.fields.map((each) => each.field.name.toLowerCase()));
  if (!taken.has(wanted.toLowerCase())) return wanted;
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${wanted}${number}`.toLowerCase())) return `${wanted}${number}`;
  }
}
