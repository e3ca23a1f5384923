import type { FieldDefinition } from '../fields/field-definition.js';
import type { FieldTypeRegistry } from '../fields/field-type-registry.js';
import type { FieldType } from '../fields/field-type.js';
import type { AuthOptions } from './auth-options.js';

/** The types a collection can have. */
export const COLLECTION_TYPES = ['base', 'auth', 'view'] as const;

/** What a collection holds: records, accounts, or the rows of a query. */
export type CollectionType = (typeof COLLECTION_TYPES)[number];

/** The rules every collection has. null: superusers only; '': everyone; else an expression. */
export interface CollectionRules {
  readonly listRule: string | null;
  readonly viewRule: string | null;
  readonly createRule: string | null;
  readonly updateRule: string | null;
  readonly deleteRule: string | null;
}

/** The plain data of a collection as it is stored, secrets included. */
export interface CollectionData extends CollectionRules {
  readonly id: string;
  readonly name: string;
  readonly type: CollectionType;
  readonly system: boolean;
  readonly fields: readonly FieldDefinition[];
  readonly indexes: readonly string[];
  readonly created: string;
  readonly updated: string;
  /** Only of auth collections. */
  readonly auth?: AuthOptions;
  /** Only of view collections: the text exactly as given. */
  readonly viewQuery?: string;
}

/**
 * An immutable collection with its fields by name and id. A change makes a new Collection, so anything derived from it,
 * such as compiled SQL, is valid as long as the identity (`===`) is the same.
 */
export class Collection implements CollectionData {
  readonly id: string;
  readonly name: string;
  readonly type: CollectionType;
  readonly system: boolean;
  readonly fields: readonly FieldDefinition[];
  readonly indexes: readonly string[];
  readonly listRule: string | null;
  readonly viewRule: string | null;
  readonly createRule: string | null;
  readonly updateRule: string | null;
  readonly deleteRule: string | null;
  readonly created: string;
  readonly updated: string;
  readonly auth?: AuthOptions;
  readonly viewQuery?: string;

  private readonly byName: ReadonlyMap<string, FieldDefinition>;
  private readonly byId: ReadonlyMap<string, FieldDefinition>;

  constructor(
    data: CollectionData,
    private readonly types: FieldTypeRegistry,
  ) {
    this.id = data.id;
    this.name = data.name;
    this.type = data.type;
    this.system = data.system;
    this.fields = data.fields;
    this.indexes = data.indexes;
    this.listRule = data.listRule;
    this.viewRule = data.viewRule;
    this.createRule = data.createRule;
    this.updateRule = data.updateRule;
    this.deleteRule = data.deleteRule;
    this.created = data.created;
    this.updated = data.updated;
    this.auth = data.auth;
    this.viewQuery = data.viewQuery;
    this.byName = new Map(data.fields.map((field) => [field.name, field]));
    this.byId = new Map(data.fields.map((field) => [field.id, field]));
  }

  /** The definition as plain data, for making a changed one of it. */
  toData(): CollectionData {
    const { byName: _byName, byId: _byId, types: _types, ...data } = this;
    return data as CollectionData;
  }

  /** Whether its records are accounts. */
  get isAuth(): boolean {
    return this.type === 'auth';
  }

  /** Whether its records are the rows of a query, which cannot be written. */
  get isView(): boolean {
    return this.type === 'view';
  }

  /** The field of this name, undefined when there is none. */
  field(name: string): FieldDefinition | undefined {
    return this.byName.get(name);
  }

  /** The behaviour behind a field of this collection. */
  typeOf(field: FieldDefinition): FieldType {
    return this.types.get(field.type);
  }

  /** The field with this id, undefined when there is none. */
  fieldById(id: string): FieldDefinition | undefined {
    return this.byId.get(id);
  }
}
