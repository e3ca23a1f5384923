import { BadRequestError } from '../errors/bad-request.error.js';
import { isJsonObject } from '../json-object.js';
import { type RawField, rawFields } from './raw-field.js';
import { RULE_NAMES, type RuleName } from './rule.js';
import { withSqlQuotes } from './sql-tokens.js';
import type { ViewQueryInput } from './view-options.js';

/** A collection as it was sent. */
export type CollectionBody = Readonly<Record<string, unknown>>;

/** The properties of a body that are common to all types, in their own types. What was not supplied is undefined. */
export interface CollectionInput {
  readonly id?: string;
  readonly name?: string;
  readonly type?: string;
  readonly system?: boolean;
  readonly fields?: readonly RawField[];
  readonly indexes?: readonly string[];
  readonly rules: Readonly<Partial<Record<RuleName, string | null>>>;
  readonly view: ViewQueryInput;
  /** Everything that was sent: auth options are read from here once the type is known. */
  readonly body: CollectionBody;
}

/**
 * Reads the properties of a body (COL-81). A null stands for "not supplied" except for rules; unknown properties are
 * ignored. Throws 400 when a property has the wrong JSON type.
 */
export function readCollectionBody(body: CollectionBody): CollectionInput {
  return {
    id: property(body, 'id', isText),
    name: property(body, 'name', isText),
    type: property(body, 'type', isText),
    system: property(body, 'system', isBoolean),
    fields: body.fields === undefined || body.fields === null ? undefined : rawFields(body.fields),
    indexes: property(body, 'indexes', isTextList)?.map(withSqlQuotes),
    rules: rules(body),
    view: viewQuery(body),
    body,
  };
}

function rules(body: CollectionBody): CollectionInput['rules'] {
  const supplied = RULE_NAMES.filter((name) => Object.hasOwn(body, name) && body[name] !== undefined);
  return Object.fromEntries(supplied.map((name) => [name, body[name] === null ? null : property(body, name, isText)]));
}

function viewQuery(body: CollectionBody): ViewQueryInput {
  const options = property(body, 'options', isJsonObject);
  return {
    viewQuery: query(body, 'viewQuery'),
    optionsQuery: options && query(options, 'query'),
  };
}

function query(body: CollectionBody, name: string): string | undefined {
  const text = property(body, name, isText);
  return text === undefined ? undefined : withSqlQuotes(text);
}

function property<Value>(
  body: CollectionBody,
  name: string,
  fits: (value: unknown) => value is Value,
): Value | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw new BadRequestError(`The property ${name} has the wrong type.`);
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
