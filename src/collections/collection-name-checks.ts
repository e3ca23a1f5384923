import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { type Collection, COLLECTION_TYPES } from '../kernel/collections/collection.js';
import { type ErrorCode, fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { length, oneOf, pattern, required, type Rule } from '../kernel/validation/rules.js';
import { type Check, firstFailing, validateObject } from '../kernel/validation/validate-object.js';

/** What id, name and type are checked against. */
export interface NameContext {
  /** The collection as it is stored; undefined when it is new. */
  readonly stored?: Collection;
  /** All collections as they will be, this one included. */
  readonly catalog: CatalogSnapshot;
  /** Lower-cased names of tables, views and indexes that belong to no collection. */
  readonly foreignNames: ReadonlySet<string>;
}

const PLAIN_NAME = /^[A-Za-z0-9_]+$/;

/** Tables of the database itself; a collection with such a name would replace them in every statement. */
const TAKEN_BY_SQL = /^(?:sqlite_|pragma_|jsonb?_(?:each|tree)$)/i;

/** What is wrong with the type of a new collection (COL-25). */
export const typeCheck: Rule = (type) => {
  const error = requireKnownType(type);
  if (!error) return undefined;
  const types = 'one of base, auth and view';
  const message =
    error.code === 'validation_required'
      ? `The type is missing: it has to be ${types}. Only an import takes a collection without one, as base.`
      : `The type has to be ${types}.`;
  return { ...error, message };
};

const requireKnownType = firstFailing(required, oneOf(...COLLECTION_TYPES)) as Rule;

/** What is wrong with the form of a name, whatever else there is (COL-23). */
export const nameForm: Check = firstFailing(required, length(1, 255), withoutVia, pattern(PLAIN_NAME));

/** What is wrong with id, name, type and system flag (COL-21, COL-23, COL-25, COL-30). */
export function identityErrors(collection: Collection, context: NameContext): FieldErrors {
  const { stored } = context;
  return validateObject(collection, {
    id: stored ? [] : idChecks(context),
    name: nameChecks(collection, context),
    type: stored ? unchanged(stored.type, 'validation_collection_type_change') : typeCheck,
    system: stored ? unchanged(stored.system, 'validation_collection_system_flag_change') : [],
  });
}

function idChecks({ catalog }: NameContext): Check[] {
  return [
    required,
    length(1, 100),
    pattern(PLAIN_NAME),
    refuse('validation_invalid_or_existing_id', (id) =>
      catalog.all().some((other) => other.id !== id && other.name.toLowerCase() === id.toLowerCase()),
    ),
  ];
}

function nameChecks(collection: Collection, { stored, catalog, foreignNames }: NameContext): Check[] {
  const others = catalog.all().filter((other) => other.id !== collection.id);
  const isNew = stored?.name !== collection.name;
  return [
    nameForm,
    refuse('validation_collection_system_name_change', (name) => stored?.system === true && stored.name !== name),
    refuse('validation_collection_name_exists', (name) =>
      others.some((other) => other.name.toLowerCase() === name.toLowerCase()),
    ),
    refuse('validation_collection_name_id_duplicate', (name) => others.some((other) => other.id === name)),
    refuse(
      'validation_collection_name_invalid',
      (name) => isNew && (TAKEN_BY_SQL.test(name) || foreignNames.has(name.toLowerCase())),
    ),
  ];
}

function withoutVia(value: unknown): FieldError | undefined {
  return String(value).toLowerCase().includes('_via_') ? fieldError('validation_found_via') : undefined;
}

function unchanged(stored: unknown, code: ErrorCode): Rule {
  return (value) => (value === stored ? undefined : fieldError(code));
}

function refuse(code: ErrorCode, isWrong: (value: string) => boolean): Rule {
  return (value) => (isWrong(String(value)) ? fieldError(code) : undefined);
}
