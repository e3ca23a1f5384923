import { isJsonObject } from '../json-object.js';
import type { CollectionBody, CollectionInput } from './collection-body.js';
import type { CollectionData } from './collection.js';
import { importedFields } from './import-fields.js';
import { parseIndex } from './index-definition.js';
import { RULE_NAMES } from './rule.js';

type Json = Readonly<Record<string, unknown>>;

/** The number that stood for an unlimited selection in exports. */
const UNLIMITED = 2_147_483_647;

/** Options that were renamed since. */
const RENAMED_OPTIONS: Readonly<Record<string, string>> = { noDecimal: 'onlyInt', convertUrls: 'convertURLs' };

/** Whether a body has the shape of PocketBase before version 0.23. */
export function isLegacyCollection(body: CollectionBody): boolean {
  return Array.isArray(body.schema) && body.fields === undefined;
}

/**
 * A collection in the shape PocketBase exported before version 0.23, `schema` with nested `options`, in the present
 * shape. Anything else comes back as it is.
 */
export function modernCollection(body: CollectionBody): CollectionBody {
  if (!isLegacyCollection(body)) return body;
  const { schema, options, ...others } = body as CollectionBody & { schema: unknown[]; options?: unknown };
  const rest = { ...others, ...modernRules(others) };
  if (body.type === 'view') return { ...rest, options };
  const fields = schema.map(modernField);
  const indexes = [...textList(body.indexes), ...uniqueIndexes(schema, rest)];
  if (body.type !== 'auth') return { ...rest, fields, indexes };
  return { ...rest, ...modernAuth(isJsonObject(options) ? options : {}, { ...rest, indexes }, fields) };
}

/**
 * Applies a change that was sent in the old shape. Such a client finds no `schema` in our answers and sends what it
 * adds only, so fields and indexes that it does not name stay.
 */
export function additionsTo(
  stored: Pick<CollectionData, 'fields' | 'indexes'>,
  input: CollectionInput,
): CollectionInput {
  const fields = input.fields && importedFields(input.fields, stored.fields, false);
  const sent = input.indexes ?? [];
  const names = new Set(sent.map(indexName));
  const indexes = [...stored.indexes.filter((index) => !names.has(indexName(index))), ...sent];
  return { ...input, fields, indexes };
}

function indexName(sql: string): string {
  return parseIndex(sql)?.name.toLowerCase() ?? sql;
}

function modernRules(body: Json): Json {
  const given = RULE_NAMES.filter((name) => name in body);
  return Object.fromEntries(given.map((name) => [name, modernRule(body[name])]));
}

/** `@request.data` was renamed to `@request.body`. */
function modernRule(rule: unknown): unknown {
  return typeof rule === 'string' ? rule.replace(/@request\.data\b/g, '@request.body') : rule;
}

function modernField(field: unknown): unknown {
  if (!isJsonObject(field)) return field;
  const { options, unique: _unique, ...rest } = field;
  const own = Object.entries(isJsonObject(options) ? options : {}).map(([key, value]) => [
    RENAMED_OPTIONS[key] ?? key,
    value,
  ]);
  const modern: Record<string, unknown> = { ...Object.fromEntries(own), ...rest };
  // A relation without a limit held any number of records, where 0 now means one.
  if (rest.type === 'relation' && modern.maxSelect === null) modern.maxSelect = UNLIMITED;
  return modern;
}

/** Before PocketBase had indexes a field could be marked as unique; later the mark had no effect. */
function uniqueIndexes(schema: readonly unknown[], body: CollectionBody): string[] {
  if (body.indexes !== undefined) return [];
  return schema
    .filter((field): field is Json => isJsonObject(field) && field.unique === true)
    .map(
      ({ name }) =>
        `CREATE UNIQUE INDEX \`idx_unique_${String(body.name)}_${String(name)}\` ON \`\` (\`${String(name)}\`)`,
    );
}

/** Auth options had other names, and every account had a user name. */
function modernAuth(options: Json, body: Json, fields: readonly unknown[]): Json {
  const identityFields = [
    ...(options.allowEmailAuth === false ? [] : ['email']),
    ...(options.allowUsernameAuth === false ? [] : ['username']),
  ];
  const minPasswordLength = typeof options.minPasswordLength === 'number' ? options.minPasswordLength : 8;
  return {
    fields: [
      { name: 'password', type: 'password', min: minPasswordLength },
      {
        name: 'email',
        type: 'email',
        required: options.requireEmail === true,
        exceptDomains: options.exceptEmailDomains ?? null,
        onlyDomains: options.onlyEmailDomains ?? null,
      },
      {
        name: 'username',
        type: 'text',
        required: true,
        min: 3,
        max: 150,
        pattern: '^[\\w][\\w\\.\\-]*$',
        autogeneratePattern: 'users[0-9]{6}',
      },
      ...fields,
    ],
    indexes: [
      ...textList(body.indexes),
      `CREATE UNIQUE INDEX \`idx_username_${String(body.name)}\` ON \`\` (\`username\` COLLATE NOCASE)`,
    ],
    authRule: options.onlyVerified === true ? 'verified = true' : '',
    manageRule: modernRule(options.manageRule ?? null),
    passwordAuth: { enabled: identityFields.length > 0, identityFields },
    oauth2: { enabled: options.allowOAuth2Auth === true },
  };
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
