import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { FieldType } from '../fields/field-type.js';
import { mostRead, type ListDefinition } from '../fields/list-valued-field.js';
import { PasswordValue } from '../fields/password-value.js';
import { castToList } from '../fields/value-casts.js';
import { parseBodyKey, type KeyAction } from '../fields/value-modifiers.js';
import type { Upload } from '../files/upload.js';
import { andThen, forEachSeries, type MaybePromise } from '../maybe-promise.js';
import type { RecordModel } from './record-model.js';

/** What a client sent for a record: JSON values, and files that arrived, both by body key with its modifier. */
export interface RecordInput {
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, readonly Upload[]>;
}

/** Who sends it, and who else is there. */
export interface InputOptions {
  /** Whether hidden fields may be written: by superusers and by code that acts with full rights. */
  readonly allowHidden: boolean;
  /** Called after each key, which may have brought a long list; may let others in (OPS-39). */
  readonly pause: () => MaybePromise<void>;
}

/** A body key that means a field of the collection. */
interface FieldKey {
  readonly key: string;
  readonly action: KeyAction;
  readonly field: FieldDefinition;
  readonly type: FieldType;
}

/**
 * Sets the submitted values on a record: plain keys, modifiers and uploads, shorter keys first (BODY-13). A new record
 * starts from zero values, a stored one from what it has, so the caller reads it in the transaction that writes it.
 *
 * Returns the body as rules see it: fields by name with their resulting values (BODY-15), uploads by final name, other
 * keys as they were sent. Hidden fields the caller may not write are in neither. Nothing is validated.
 */
export function applyInput(
  record: RecordModel,
  input: RecordInput,
  options: InputOptions,
): MaybePromise<Record<string, unknown>> {
  const { keys, body } = keysOf(record, input, options);
  const applying = forEachSeries(keys, (key) => {
    apply(record, key, input);
    return options.pause();
  });
  return andThen(applying, () => completed(body, keys, record));
}

/** The keys that mean fields, in the order in which they are applied, and the rest of the body. */
function keysOf(
  record: RecordModel,
  input: RecordInput,
  options: InputOptions,
): { readonly keys: readonly FieldKey[]; readonly body: Record<string, unknown> } {
  // Without a prototype, because clients may send keys such as "constructor" or "__proto__".
  const body = Object.create(null) as Record<string, unknown>;
  const keys: FieldKey[] = [];
  for (const key of bodyKeys(input)) {
    const fieldKey = readKey(key, record.collection);
    if (!fieldKey || fieldKey.type.setByServer) {
      if (Object.hasOwn(input.values, key)) body[key] = input.values[key];
    } else if (isWritable(fieldKey.field, record.collection, options) && holdsInput(fieldKey, input)) {
      keys.push(fieldKey);
    }
  }
  keys.sort((left, right) => left.key.length - right.key.length);
  return { keys, body };
}

function completed(
  body: Record<string, unknown>,
  keys: readonly FieldKey[],
  record: RecordModel,
): Record<string, unknown> {
  for (const { field } of keys) body[field.name] = shown(record.get(field.name));
  return body;
}

function bodyKeys({ values, files }: RecordInput): Iterable<string> {
  return files.size === 0 ? Object.keys(values) : new Set([...Object.keys(values), ...files.keys()]);
}

function readKey(key: string, collection: Collection): FieldKey | undefined {
  const plain = collection.field(key);
  if (plain) return { key, action: 'set', field: plain, type: collection.typeOf(plain) };
  const parsed = parseBodyKey(key);
  const field = parsed && collection.field(parsed.name);
  if (!field) return undefined;
  const type = collection.typeOf(field);
  return supports(type, parsed.action) ? { key, action: parsed.action, field, type } : undefined;
}

function supports(type: FieldType, action: KeyAction): boolean {
  if (action === 'set') return true;
  if (action === 'autogenerate') return type.autogenerate !== undefined;
  return type.modify !== undefined && (type.modifiers?.includes(action) ?? false);
}

function isWritable(field: FieldDefinition, collection: Collection, options: InputOptions): boolean {
  return !field.hidden || options.allowHidden || (collection.isAuth && field.name === 'password');
}

/** False for uploads under the key of a field that holds none, or under a key that removes. */
function holdsInput(key: FieldKey, input: RecordInput): boolean {
  return Object.hasOwn(input.values, key.key) || uploadsOf(key, input).length > 0;
}

function apply(record: RecordModel, key: FieldKey, input: RecordInput): void {
  const { action, field, type } = key;
  const uploads = uploadsOf(key, input);
  const raw = input.values[key.key];
  const operand = uploads.length === 0 ? raw : withUploads(raw, uploads, field as ListDefinition);
  if (action === 'set') record.set(field.name, operand);
  else if (action === 'autogenerate') record.set(field.name, type.autogenerate!(operand, field));
  else record.set(field.name, type.modify!(record.get(field.name), action, operand, field));
  if (uploads.length > 0) record.addUploads(field.name, uploads);
}

/** The kept names come first, then the new files. */
function withUploads(names: unknown, uploads: readonly Upload[], field: ListDefinition): string[] {
  return [...castToList(names, mostRead(field)), ...uploads.map(({ name }) => name)];
}

function uploadsOf(key: FieldKey, input: RecordInput): readonly Upload[] {
  if (!key.type.holdsFiles || key.action === 'remove' || key.action === 'autogenerate') return [];
  return input.files.get(key.key) ?? [];
}

function shown(value: unknown): unknown {
  return value instanceof PasswordValue ? (value.plain ?? '') : value;
}
