import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { FieldType, SqlValue } from '../fields/field-type.js';
import type { Upload } from '../files/upload.js';

/** A row of a collection's table: column values by field name. */
export type RecordRow = Readonly<Record<string, SqlValue>>;

/**
 * One record of a collection: its values now, the values it was stored with, and what is related to it.
 *
 * Values are what the field types' `normalize` returns. `set` casts, so a value read back may differ from the one
 * given. Nothing is validated or stored here. Its state is private at run time too, because rows hold hashes and token
 * keys: a record that ends in a log or an answer by accident shows what a guest could see.
 */
export class RecordModel {
  /** Related records by step of an expand path; undefined as long as no path could be followed (EXP-7). */
  expand: { [step: string]: RecordModel | readonly RecordModel[] | undefined } | undefined;

  /** Created with the first value, because most records are read once and shown. */
  #values: Map<string, unknown> | undefined;
  #newFiles: Map<string, readonly Upload[]> | undefined;
  #row: RecordRow | undefined;

  private constructor(
    readonly collection: Collection,
    row: RecordRow | undefined,
  ) {
    this.#row = row;
  }

  /** A record that is not stored yet: zero values everywhere. */
  static blank(collection: Collection): RecordModel {
    return new RecordModel(collection, undefined);
  }

  /** A stored record. The row must have a value for every field of the collection. */
  static fromRow(collection: Collection, row: RecordRow): RecordModel {
    return new RecordModel(collection, row);
  }

  /** The id; `''` until a record that is to be created has one. */
  get id(): string {
    // Asked of every record that an event is about, and a text in the row already.
    const id = this.#values?.get('id') ?? this.#row?.['id'];
    return typeof id === 'string' ? id : (this.get('id') as string);
  }

  /** True until `markStored`: the record has no row yet. */
  get isNew(): boolean {
    return this.#row === undefined;
  }

  /** The value of a field; undefined when the collection has no such field. */
  get(name: string): unknown {
    if (this.#values?.has(name)) return this.#values.get(name);
    const field = this.collection.field(name);
    if (!field) return undefined;
    const value = this.#stored(field);
    this.#keep(name, value);
    return value;
  }

  /** As `get`, for callers that have the field and its type and read it once: nothing is cached. */
  read(field: FieldDefinition, type: FieldType): unknown {
    if (this.#values?.has(field.name)) return this.#values.get(field.name);
    return this.#row === undefined
      ? type.normalize(undefined, field)
      : type.fromColumn(this.#row[field.name] ?? null, field);
  }

  /** Casts and sets the value of a field. Unknown names are ignored, as they are in a body. */
  set(name: string, raw: unknown): void {
    const field = this.collection.field(name);
    if (field) this.#keep(name, this.collection.typeOf(field).normalize(raw, field));
  }

  /** Sets a value that a field type made itself, without casting it again. */
  setValue(name: string, value: unknown): void {
    if (this.collection.field(name)) this.#keep(name, value);
  }

  /** The value a field was stored with, its zero value when the record is new. */
  original(name: string): unknown {
    const field = this.collection.field(name);
    return field && this.#stored(field);
  }

  /** Names of the fields whose column would change. */
  changedFields(): string[] {
    return [...(this.#values?.keys() ?? [])].filter((name) => this.isChanged(name));
  }

  /** Whether the column of a field would change. */
  isChanged(name: string): boolean {
    if (!this.#values?.has(name)) return false;
    const field = this.collection.field(name)!;
    const type = this.collection.typeOf(field);
    const column = type.toColumn(this.#values.get(name), field);
    return column !== this.#row?.[name] && column !== type.toColumn(this.#stored(field), field);
  }

  /** Whether files arrived with this write, for whatever field. */
  get hasUploads(): boolean {
    return this.#newFiles !== undefined;
  }

  /** Files that arrived for a field with this write and whose names stand in its value. */
  uploads(name: string): readonly Upload[] {
    const arrived = this.#newFiles?.get(name);
    if (!arrived) return [];
    const names = new Set([this.get(name)].flat());
    return arrived.filter((upload) => names.has(upload.name));
  }

  /** Adds files that arrived; their names have to be set as well. */
  addUploads(name: string, uploads: readonly Upload[]): void {
    this.#newFiles ??= new Map();
    this.#newFiles.set(name, [...(this.#newFiles.get(name) ?? []), ...uploads]);
  }

  /** The column values of the record as it is now, for every field of the collection. */
  toRow(): Record<string, SqlValue> {
    const row: Record<string, SqlValue> = {};
    for (const field of this.collection.fields) {
      row[field.name] = this.collection.typeOf(field).toColumn(this.get(field.name), field);
    }
    return row;
  }

  /** How much is stored of it: values, and the characters of those that are texts. */
  get stored(): { readonly values: number; readonly characters: number } {
    let values = 0;
    let characters = 0;
    for (const name in this.#row) {
      values += 1;
      const value = this.#row[name];
      if (typeof value === 'string') characters += value.length;
    }
    return { values, characters };
  }

  /**
   * To be called when this row was stored: nothing counts as changed or new any more, and plain passwords are dropped.
   */
  markStored(row: RecordRow = this.toRow()): void {
    this.#row = row;
    this.#values = undefined;
    this.#newFiles = undefined;
  }

  /** A copy of the stored record, untouched by whatever happens to this one; `keep` may keep its row elsewhere. */
  snapshot(keep = (row: RecordRow) => row): RecordModel {
    return new RecordModel(this.collection, this.#row && keep(this.#row));
  }

  /** What a guest could see of it, whatever the rules. Answers are made by the presenter, not by this. */
  toJSON(): Record<string, unknown> {
    const { collection } = this;
    const result: Record<string, unknown> = { collectionId: collection.id, collectionName: collection.name };
    for (const field of collection.fields) {
      const isPrivate = field.hidden || (collection.isAuth && field.name === 'email' && !this.get('emailVisibility'));
      if (!isPrivate) result[field.name] = this.#json(field);
    }
    return result;
  }

  /** What `console.log` and util.inspect show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `RecordModel ${this.collection.name}/${this.id}`;
  }

  #keep(name: string, value: unknown): void {
    this.#values ??= new Map();
    this.#values.set(name, value);
  }

  #json(field: FieldDefinition): unknown {
    const type = this.collection.typeOf(field);
    const value = this.get(field.name);
    return type.toJson ? type.toJson(value, field) : value;
  }

  #stored(field: FieldDefinition): unknown {
    const type = this.collection.typeOf(field);
    if (this.#row === undefined) return type.normalize(undefined, field);
    return type.fromColumn(this.#row[field.name] ?? null, field);
  }
}
