import { isJsonObject } from '../../../kernel/json-object.js';
import type { AuthModel, CollectionModel, FieldModel } from '../api/collection-model.js';
import { fieldAsStored, propertiesAsStored } from './as-stored.js';

/** A collection without what differs between two installations for no reason. */
export function withoutVolatile(collection: CollectionModel): CollectionModel {
  const { created: _created, updated: _updated, ...rest } = collection;
  const copy = structuredClone(rest) as CollectionModel;
  for (const provider of copy.oauth2?.providers ?? []) delete provider.clientSecret;
  return copy;
}

/** A collection as another installation can take it: without OAuth2 providers, since their secrets are not told. */
export function portable(collection: CollectionModel): CollectionModel {
  const copy = withoutVolatile(collection);
  const oauth2: Partial<AuthModel['oauth2']> | undefined = copy.oauth2;
  delete oauth2?.providers;
  return copy;
}

export type ImportChange =
  | { readonly kind: 'added'; readonly after: CollectionModel }
  | { readonly kind: 'deleted'; readonly before: CollectionModel }
  | {
      readonly kind: 'changed';
      readonly before: CollectionModel;
      readonly after: CollectionModel;
      readonly lostFields: readonly string[];
    };

function find(list: readonly CollectionModel[], wanted: CollectionModel): CollectionModel | undefined {
  // As the server looks entries up: by id when there is one, else by name (COL-94).
  return wanted.id ? list.find((each) => each.id === wanted.id) : list.find((each) => each.name === wanted.name);
}

function sameField(a: FieldModel, b: FieldModel): boolean {
  return (Boolean(b.id) && a.id === b.id) || (a.name === b.name && a.type === b.type);
}

/** What the server makes of an entry: merged over the stored collection, fields added back unless missing ones go. */
export function merged(before: CollectionModel, after: CollectionModel, deleteMissing: boolean): CollectionModel {
  const given = after.fields ?? (deleteMissing ? before.fields.filter((field) => field.system) : before.fields);
  const kept = before.fields.filter(
    (field) => !given.some((each) => sameField(field, each)) && (!deleteMissing || field.system),
  );
  // The fields of a view follow from its query.
  const fields = before.type === 'view' ? before.fields : [...given.map((field) => laidOn(before, field)), ...kept];
  const result = { ...laidOver(before, propertiesAsStored(before, withoutVolatile(after))), id: before.id, fields };
  return result.oauth2 ? { ...result, oauth2: withoutMissingFields(result.oauth2, fields) } : result;
}

/** What an account gets from a provider is not kept in a field that goes (COL-8). */
function withoutMissingFields(oauth2: AuthModel['oauth2'], fields: readonly FieldModel[]): AuthModel['oauth2'] {
  const mapped = Object.entries(oauth2.mappedFields).map(([key, name]) => [
    key,
    fields.some((field) => field.name === name) ? name : '',
  ]);
  return { ...oauth2, mappedFields: Object.fromEntries(mapped) as AuthModel['oauth2']['mappedFields'] };
}

/** A field of an entry as it will be: on the stored one with its name and type, or else with its id (COL-95). */
function laidOn({ fields }: CollectionModel, field: FieldModel): FieldModel {
  const alike = fields.filter(({ type }) => type === field.type);
  const stored = alike.find(({ name }) => name === field.name) ?? alike.find(({ id }) => id === field.id);
  return stored ? fieldAsStored(stored, field) : field;
}

/** What was given over what is there: objects key by key, anything else as a whole (COL-4). */
function laidOver<T extends object>(base: T, given: Partial<T>): T {
  const result = { ...base } as Record<string, unknown>;
  for (const [key, value] of Object.entries(given)) {
    const old = result[key];
    result[key] = isJsonObject(old) && isJsonObject(value) ? laidOver(old, value) : value;
  }
  return result as T;
}

/** Fields that are added back come last: where a field stands is not a difference worth showing. */
function inFieldOrder(collection: CollectionModel): CollectionModel {
  return { ...collection, fields: [...collection.fields].sort((a, b) => a.name.localeCompare(b.name)) };
}

/** The differences an import would make. */
export function importChanges(
  stored: readonly CollectionModel[],
  entries: readonly CollectionModel[],
  deleteMissing: boolean,
): ImportChange[] {
  const changes: ImportChange[] = [];
  for (const entry of entries) {
    const before = find(stored, entry);
    if (!before) {
      changes.push({ kind: 'added', after: withoutVolatile(entry) });
      continue;
    }
    const old = withoutVolatile(before);
    const after = merged(old, entry, deleteMissing);
    if (sorted(inFieldOrder(old)) === sorted(inFieldOrder(after))) continue;
    const lostFields = old.fields
      .filter((field) => !after.fields.some((each) => sameField(field, each)))
      .map((field) => field.name);
    changes.push({ kind: 'changed', before: old, after, lostFields });
  }
  if (deleteMissing) {
    for (const before of stored) {
      if (!before.system && !entries.some((entry) => find([before], entry)))
        changes.push({ kind: 'deleted', before: withoutVolatile(before) });
    }
  }
  return changes;
}

/** The same text for equal values, whatever the order of their keys. */
export function sorted(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) =>
      inner && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a.localeCompare(b)))
        : inner,
    indent,
  );
}

/** Entries whose name is known here under another id. */
export function renamedIds(
  stored: readonly CollectionModel[],
  entries: readonly CollectionModel[],
): { entry: CollectionModel; original: CollectionModel }[] {
  return entries.flatMap((entry) => {
    const original = stored.find(
      (each) =>
        each.name === entry.name && entry.id && each.id !== entry.id && !stored.some((other) => other.id === entry.id),
    );
    return original ? [{ entry, original }] : [];
  });
}

/** The entries with the ids that are known here, in relations too, so that nothing is replaced by a namesake. */
export function withOriginalIds(
  stored: readonly CollectionModel[],
  entries: readonly CollectionModel[],
): CollectionModel[] {
  const ids = new Map(renamedIds(stored, entries).map(({ entry, original }) => [entry.id, original.id]));
  return entries.map((entry) => {
    const original = stored.find((each) => each.id === (ids.get(entry.id) ?? entry.id));
    return {
      ...entry,
      id: ids.get(entry.id) ?? entry.id,
      fields: entry.fields?.map((field) => ({
        ...field,
        id: original?.fields.find((each) => each.name === field.name && each.type === field.type)?.id ?? field.id,
        ...(field.type === 'relation'
          ? { collectionId: ids.get(field.collectionId as string) ?? field.collectionId }
          : {}),
      })),
    };
  });
}
