import type { Collection } from '../kernel/collections/collection.js';
import { parseIndex, printIndex } from '../kernel/collections/index-definition.js';
import { RULE_NAMES } from '../kernel/collections/rule.js';
import { withSqlQuotes } from '../kernel/collections/sql-tokens.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { isJsonObject, looseProperty } from '../kernel/json-object.js';
import type { SourceCollection } from './pocketbase-source.js';

type Json = Readonly<Record<string, unknown>>;

/** The differences between two definitions: values that changed, and things that are missing. */
export interface DefinitionDifferences {
  readonly changed: readonly string[];
  readonly notCarriedOver: readonly string[];
}

/** Properties of a view's fields that affect its records; the rest follows from the query. */
const SHOWN_BY_VIEWS = ['type', 'hidden', 'maxSelect', 'collectionId'];

/** What is kept beside the options of a stored definition, or follows from the application. */
const NO_OPTIONS = new Set(['id', 'name', 'type', 'system', 'fields', 'indexes', 'created', 'updated', ...RULE_NAMES]);

/**
 * Compares a definition with the one it became. `builtIn` is true for system collections that both products have: they
 * have further indexes of their own here. Quotes of names and letter case of properties make no difference.
 */
export function definitionDifferences(
  source: SourceCollection,
  collection: Collection,
  builtIn: boolean,
): DefinitionDifferences {
  const comparison = new Comparison(source, collection);
  for (const name of ['name', 'type', 'system', ...RULE_NAMES] as const) {
    comparison.values(name, source[name] ?? null, collection[name]);
  }
  comparison.fields();
  comparison.indexes(builtIn);
  comparison.options();
  return comparison;
}

class Comparison implements DefinitionDifferences {
  readonly changed: string[] = [];
  readonly notCarriedOver: string[] = [];

  constructor(
    private readonly source: SourceCollection,
    private readonly collection: Collection,
  ) {}

  /** Notes a value that differs; secrets without their values. */
  values(what: string, was: unknown, is: unknown, place = ''): void {
    if (JSON.stringify(was) === JSON.stringify(is)) return;
    const told = /secret$/i.test(what) ? `${what} is another one` : `${what} was ${print(was)}, is ${print(is)}`;
    this.changed.push(`${this.at(place)}: ${told}`);
  }

  fields(): void {
    const { collection } = this;
    const given = (this.source.fields as readonly Json[] | undefined) ?? [];
    // Definitions of views may come without fields.
    if (collection.isView && given.length === 0) return;
    const left = new Set(collection.fields);
    for (const raw of given) {
      const name = String(looseProperty(raw, 'name'));
      const found = collection.isView ? undefined : collection.fieldById(String(looseProperty(raw, 'id')));
      const field = found ?? collection.field(name);
      if (!field || !left.delete(field)) this.gone(`field ${name}`, String(looseProperty(raw, 'type')));
      else if (collection.isView) this.viewField(raw, field);
      else this.field(raw, field);
    }
    for (const { name, type } of left)
      this.changed.push(`${this.at(`field ${name}`)}: was not there, is ${print(type)}`);
  }

  indexes(builtIn: boolean): void {
    const left = new Map(this.collection.indexes.map((sql) => [indexName(sql), sql]));
    for (const given of this.source.indexes) {
      const sql = withSqlQuotes(given);
      const name = indexName(sql);
      const present = left.get(name);
      left.delete(name);
      if (present === undefined) this.gone(`index ${name}`, given);
      else if (canonical(sql) !== canonical(present)) this.values('definition', given, present, `index ${name}`);
    }
    if (builtIn) return;
    for (const [name, sql] of left) this.changed.push(`${this.at(`index ${name}`)}: was not there, is ${print(sql)}`);
  }

  options(): void {
    const { auth = {}, viewQuery } = this.collection;
    const given = Object.entries(this.source).filter(([key]) => !NO_OPTIONS.has(key));
    for (const [key, was] of given) {
      if (key !== 'viewQuery') this.option(key, was, looseProperty(auth as Json, key));
      else if (this.collection.isView) this.values(key, withSqlQuotes(String(was)), viewQuery);
    }
  }

  private field(raw: Json, field: FieldDefinition): void {
    const options = this.collection.typeOf(field).options;
    for (const [key, is] of Object.entries(field)) {
      const was = looseProperty(raw, key) ?? (key in options ? options[key]!.default : (emptyLike(is) ?? is));
      this.values(key, was, is, `field ${field.name}`);
    }
    for (const [key, was] of Object.entries(raw)) {
      if (looseProperty(field as unknown as Json, key) === undefined && !isEmpty(was))
        this.gone(`field ${field.name}, option ${key}`, was);
    }
  }

  private viewField(raw: Json, field: FieldDefinition): void {
    for (const key of SHOWN_BY_VIEWS) {
      const [was, is] = [looseProperty(raw, key), looseProperty(field as unknown as Json, key)];
      if (was !== undefined && is !== undefined) this.values(key, was, is, `field ${field.name}`);
    }
  }

  private option(path: string, was: unknown, is: unknown): void {
    if (is === undefined) {
      if (!isEmpty(was)) this.gone(`option ${path}`, /secret$/i.test(path) ? undefined : was);
    } else if (isJsonObject(was) && isJsonObject(is)) {
      for (const [key, inner] of Object.entries(was)) this.option(`${path}.${key}`, inner, looseProperty(is, key));
    } else if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
      was.forEach((inner, index) => this.option(`${path}.${index}`, inner, is[index]));
    } else if (!(was === null && Array.isArray(is) && is.length === 0)) {
      this.values(path, was, is);
    }
  }

  private gone(what: string, was: unknown): void {
    this.notCarriedOver.push(`${this.at()}: ${what}${was === undefined ? '' : `, which was ${print(was)}`}`);
  }

  private at(place = ''): string {
    return `collection ${this.source.name}${place ? `, ${place}` : ''}`;
  }
}

function emptyLike(value: unknown): unknown {
  if (typeof value === 'boolean') return false;
  return typeof value === 'string' ? '' : undefined;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isEmpty);
  return !value;
}

/** A value without the secrets in it. */
function print(value: unknown): string {
  const text = JSON.stringify(value, (key, inner: unknown) => (/secret$/i.test(key) && inner ? '(secret)' : inner));
  return text ?? 'nothing';
}

function indexName(sql: string): string {
  return parseIndex(sql)?.name.toLowerCase() ?? sql;
}

function canonical(sql: string): string {
  const index = parseIndex(sql);
  return index ? printIndex({ ...index, name: '', table: '' }) : sql;
}
