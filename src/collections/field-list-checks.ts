import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { builtInFields, holdsOwnTime, RESERVED_AUTH_NAMES, TIME_FIELDS } from '../kernel/collections/system-fields.js';
import { type ErrorCode, fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { checkFieldDefinition } from '../kernel/fields/check-field-definition.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { isFine } from '../kernel/validation/validate-object.js';

/** What the fields of a collection are checked against. */
export interface FieldListContext {
  readonly stored?: Collection;
  readonly catalog: CatalogSnapshot;
  /** True for what comes by an import, which may rename and replace `created` and `updated` (COL-45, COL-97). */
  readonly imported?: boolean;
}

type FieldListCheck = (collection: Collection, context: FieldListContext) => FieldError | FieldErrors | undefined;

/** The checks in the order of COL-52; what follows the first failure is not looked at. */
const CHECKS: readonly FieldListCheck[] = [
  repeatedFields,
  missingFields,
  changedSystemFields,
  changedTypes,
  reservedNames,
];

/**
 * What is wrong with the fields of a base or auth collection: one error for the list, or errors by position and
 * property. The fields of a view follow from its query and are not judged here.
 */
export function fieldListErrors(
  collection: Collection,
  context: FieldListContext,
  types: FieldTypeRegistry,
): FieldError | FieldErrors | undefined {
  if (collection.isView) return undefined;
  for (const check of CHECKS) {
    const error = check(collection, context);
    if (error) return error;
  }
  return definitionErrors(collection, context, types);
}

function repeatedFields(collection: Collection): FieldError | FieldErrors | undefined {
  const ids = new Set<string>();
  const names = new Set<string>();
  for (const [index, { id, name }] of collection.fields.entries()) {
    if (ids.has(id)) return fieldError('validation_duplicated_field_id');
    const lower = name.toLowerCase();
    if (name !== '' && names.has(lower)) return { [index]: { name: fieldError('validation_duplicated_field_name') } };
    ids.add(id);
    names.add(lower);
  }
  return undefined;
}

/** Guards against a broken state only: normalising has added the built-in fields. */
function missingFields(collection: Collection): FieldError | undefined {
  if (collection.fields.length === 0) return fieldError('validation_required');
  const id = collection.field('id');
  if (id?.type !== 'text' || id.primaryKey !== true) return fieldError('validation_missing_primary_key');
  for (const builtIn of builtInFields(collection.type)) {
    if (holdsOwnTime(collection.fields, builtIn)) continue;
    const field = collection.field(builtIn.name);
    const code = `validation_missing_${builtIn.name}_field`;
    if (field?.type !== builtIn.type) return fieldError(code as ErrorCode);
    const hidden = builtIn.enforced.hidden === true;
    if (!field.system || (hidden && !field.hidden)) {
      return fieldError(hidden ? 'validation_must_be_system_and_hidden' : 'validation_must_be_system');
    }
  }
  return undefined;
}

function changedSystemFields(collection: Collection, { stored, imported }: FieldListContext): FieldError | undefined {
  const movesTimes = imported && !collection.system;
  const changed = stored?.fields.some((field) => {
    if (!field.system || collection.fieldById(field.id)?.name === field.name) return false;
    return !(movesTimes && isMovedTime(field, collection));
  });
  return changed ? fieldError('validation_system_field_change') : undefined;
}

/** One of the two times that goes on under another name, or makes room for a field of another type. */
function isMovedTime(field: FieldDefinition, collection: Collection): boolean {
  if (!TIME_FIELDS.includes(field.name) || field.type !== 'autodate') return false;
  const now = collection.fieldById(field.id);
  return now ? now.type === 'autodate' : collection.field(field.name)?.type !== 'autodate';
}

function changedTypes(collection: Collection, { stored }: FieldListContext): FieldErrors | undefined {
  return byPosition(collection, (field) => {
    const before = stored?.fieldById(field.id);
    return before && before.type !== field.type ? fieldError('validation_field_type_change') : undefined;
  });
}

function reservedNames(collection: Collection): FieldErrors | undefined {
  if (!collection.isAuth) return undefined;
  return byPosition(collection, ({ name }) =>
    RESERVED_AUTH_NAMES.includes(name) ? { name: fieldError('validation_reserved_field_name') } : undefined,
  );
}

function definitionErrors(
  collection: Collection,
  { stored, catalog }: FieldListContext,
  types: FieldTypeRegistry,
): FieldErrors | undefined {
  return byPosition(collection, (field) => {
    const before = stored?.fieldById(field.id);
    const errors = checkFieldDefinition(
      field,
      {
        // A renamed timestamp is no system field any more, so its options may change.
        stored: before?.system && before.name !== field.name ? { ...before, system: false } : before,
        fields: collection.fields,
        collection,
        collectionType: (id) => catalog.findById(id)?.type,
      },
      types,
    );
    return isFine(errors) ? undefined : errors;
  });
}

function byPosition(
  collection: Collection,
  check: (field: FieldDefinition) => FieldError | FieldErrors | undefined,
): FieldErrors | undefined {
  const errors = collection.fields.flatMap((field, index) => {
    const error = check(field);
    return error ? [[String(index), error] as const] : [];
  });
  return errors.length > 0 ? Object.fromEntries(errors) : undefined;
}
