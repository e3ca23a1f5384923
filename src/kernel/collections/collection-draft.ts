import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { FieldTypeRegistry } from '../fields/field-type-registry.js';
import { checksumId, randomText } from '../ids.js';
import { SUPERUSERS_ID } from '../records/caller.js';
import { oneOf, required, type Rule } from '../validation/rules.js';
import { firstFailing } from '../validation/validate-object.js';
import { defaultAuthOptions, SECRET_LENGTH } from './auth-option-defaults.js';
import { mergeAuthOptions } from './auth-option-merge.js';
import type { AuthOptions } from './auth-options.js';
import type { CollectionInput } from './collection-body.js';
import { COLLECTION_TYPES, type CollectionData, type CollectionType } from './collection.js';
import { arrangeFields } from './field-list.js';
import { fieldRenames, followFieldRenames, requiredIndexes } from './index-upkeep.js';
import { indexForTable, indexHasColumn, parseIndex } from './index-definition.js';
import { resolveViewQuery } from './view-options.js';

/** What a draft needs from the application. */
export interface DraftContext {
  readonly types: FieldTypeRegistry;
  /** True when a collection has this as its id, or as its name (COL-21). */
  isIdTaken(id: string): boolean;
}

/** A complete definition that was not validated yet, and the errors found so far. */
export interface CollectionDraft {
  readonly data: CollectionData;
  readonly errors: FieldErrors;
  /** The names at the positions in `errors.fields`. */
  readonly fieldNames?: readonly string[];
}

/** What a collection of this type begins with (COL-87): no id, no name, no fields; secrets are drawn. */
export function blankCollection(type: CollectionType): CollectionData {
  return {
    id: '',
    name: '',
    type,
    system: false,
    listRule: null,
    viewRule: null,
    createRule: null,
    updateRule: null,
    deleteRule: null,
    fields: [],
    indexes: [],
    created: '',
    updated: '',
    ...(type === 'auth' ? { auth: defaultAuthOptions(() => randomText(SECRET_LENGTH)) } : {}),
    ...(type === 'view' ? { viewQuery: '' } : {}),
  };
}

/**
 * Merges a body into a stored or blank definition and completes it: fields, ids, indexes, and whatever follows from
 * renamed fields (COL-87, COL-89). A view keeps its fields, which its query decides later.
 */
export function draftCollection(input: CollectionInput, base: CollectionData, context: DraftContext): CollectionDraft {
  const errors: Record<string, FieldError | FieldErrors> = {};
  const name = input.name ?? base.name;
  if (base.id && input.id && input.id !== base.id) errors.id = fieldError('validation_values_mismatch');
  const wrongType = base.id && input.type !== undefined ? typeChange(base.type)(input.type) : undefined;
  if (wrongType) errors.type = wrongType;
  const id = base.id || input.id || checksumId('pbc_', base.type + name, (taken) => context.isIdTaken(taken));
  const data: CollectionData = {
    ...base,
    id,
    name,
    system: input.system ?? base.system,
    ...input.rules,
  };
  if (base.type === 'view') return { data: withViewQuery(data, input, base, errors), errors };

  const list = arrangeFields(
    { type: base.type, submitted: input.fields ?? base.fields, stored: base.fields },
    context.types,
  );
  if (list.errors) errors.fields = list.errors;
  const fields = list.fields ?? base.fields;
  const auth = base.auth && nextAuthOptions(input, base, fields, id);
  const indexes = nextIndexes(input, base, { ...data, fields });
  return { data: { ...data, fields, auth, indexes }, errors, fieldNames: list.errors && list.names };
}

/** COL-25. The definition keeps its stored type, so that all other errors are found for that type. */
function typeChange(stored: CollectionType): (type: string) => FieldError | undefined {
  const unchanged: Rule = (type) => (type === stored ? undefined : fieldError('validation_collection_type_change'));
  return firstFailing(required, oneOf(...COLLECTION_TYPES), unchanged) as (type: string) => FieldError | undefined;
}

function withViewQuery(
  data: CollectionData,
  input: CollectionInput,
  base: CollectionData,
  errors: Record<string, FieldError | FieldErrors>,
): CollectionData {
  const viewQuery = resolveViewQuery(base.viewQuery ?? '', input.view);
  if (viewQuery === undefined) errors.viewQuery = fieldError('validation_values_mismatch');
  return { ...data, indexes: input.indexes ?? base.indexes, viewQuery: viewQuery ?? base.viewQuery };
}

/** Stored indexes follow renamed and removed fields; supplied ones are taken as they are (COL-117, COL-121). */
function nextIndexes(input: CollectionInput, base: CollectionData, next: CollectionData): readonly string[] {
  const renames = fieldRenames(base.fields, next.fields);
  const removed = removedFields(base.fields, next.fields);
  const stored = new Set(base.indexes);
  const kept = input.indexes ?? base.indexes.filter((sql) => !usesColumn(sql, removed));
  const indexes = kept.map((sql) => indexForTable(stored.has(sql) ? followFieldRenames(sql, renames) : sql, next.name));
  return next.type === 'auth' ? [...indexes, ...requiredIndexes(next, indexes)] : indexes;
}

function usesColumn(sql: string, names: readonly string[]): boolean {
  const index = parseIndex(sql);
  return index !== undefined && names.some((name) => indexHasColumn(index, name));
}

function nextAuthOptions(
  input: CollectionInput,
  base: CollectionData,
  fields: readonly FieldDefinition[],
  id: string,
): AuthOptions {
  const renames = fieldRenames(base.fields, fields);
  const merged = mergeAuthOptions(base.auth!, input.body);
  const followed = followRenames(merged, base.auth!, renames);
  const names = new Set(fields.map((field) => field.name));
  const mapped = Object.entries(followed.oauth2.mappedFields).map(([key, name]) => [key, names.has(name) ? name : '']);
  const mappedFields = Object.fromEntries(mapped) as AuthOptions['oauth2']['mappedFields'];
  const options = { ...followed, oauth2: { ...followed.oauth2, mappedFields } };
  return withRuleSecret(id === SUPERUSERS_ID ? forSuperusers(options) : options, base);
}

/** COL-117: names of fields in auth options follow renamed fields, where the request has left them as they were. */
function followRenames(options: AuthOptions, stored: AuthOptions, renames: ReadonlyMap<string, string>): AuthOptions {
  if (renames.size === 0) return options;
  const follow = (name: string): string => renames.get(name.toLowerCase()) ?? name;
  const { identityFields } = options.passwordAuth;
  const untouched = JSON.stringify(identityFields) === JSON.stringify(stored.passwordAuth.identityFields);
  const mapped = Object.entries(options.oauth2.mappedFields).map(([key, name]) => {
    const before = stored.oauth2.mappedFields[key as keyof AuthOptions['oauth2']['mappedFields']];
    return [key, name === before ? follow(name) : name];
  });
  return {
    ...options,
    passwordAuth: { ...options.passwordAuth, identityFields: untouched ? identityFields.map(follow) : identityFields },
    oauth2: { ...options.oauth2, mappedFields: Object.fromEntries(mapped) as AuthOptions['oauth2']['mappedFields'] },
  };
}

/** COL-154: superusers always sign in with a password, never through OAuth2, and with a code only as a second step. */
function forSuperusers(options: AuthOptions): AuthOptions {
  return {
    ...options,
    passwordAuth: { ...options.passwordAuth, enabled: true },
    oauth2: { ...options.oauth2, enabled: false, providers: [] },
    mfa: { ...options.mfa, enabled: options.mfa.enabled || options.otp.enabled },
  };
}

/** COL-10: a changed auth rule renews the token secret, so that everybody has to sign in again. */
function withRuleSecret(options: AuthOptions, base: CollectionData): AuthOptions {
  const isNew = base.id === '';
  if (isNew || options.authToken.secret !== base.auth!.authToken.secret) return options;
  if ((options.authRule ?? '') === (base.auth!.authRule ?? '')) return options;
  return { ...options, authToken: { ...options.authToken, secret: randomText(SECRET_LENGTH) } };
}

function removedFields(before: readonly FieldDefinition[], after: readonly FieldDefinition[]): string[] {
  const ids = new Set(after.map((field) => field.id));
  return before.filter((field) => !ids.has(field.id)).map((field) => field.name);
}
