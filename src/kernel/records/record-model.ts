import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { SqlValue } from '../fields/field-type.js';
import type { Upload } from '../files/upload.js';

/** A row of a collection's table: column values by field name. */
export type RecordRow = Readonly<Record<string, SqlValue>>;

/**
 * One record of a collection: its values now, the values it was stored with, and what is related to it.
 *
 * Values are what the field types' `normalize` returns. `set` casts, so a value read back may differ from the one
 * given. Nothing is validated or stored here.
 */
export class RecordModel {
  /** Related records by step of an expand path, filled by the expander. */
  readonly expand: Record<string, RecordModel | RecordModel[]> = {};

  private readonly values = new Map<string, unknown>();
  private readonly originals = new Map<string, unknown>();
  private readonly newFiles = new Map<string, Upload[]>();
  private row: RecordRow | undefined;

  private constructor(
    readonly collection: Collection,
    row: RecordRow | undefined,
  ) {
    this.row = row;
  }

  /** A record that is not stored yet: zero values everywhere. */
  static blank(collection: Collection): RecordModel {
    return new RecordModel(collection, undefined);
  }

  /** A stored record. The row must have a value for every field of the collection. */
  static fromRow(collection: Collection, row: RecordRow): RecordModel {
    return new RecordModel(collection, row);
  }

  get id(): string {
    return this.get('id') as string;
  }

  /** True until `markStored`: the record has no row yet. */
  get isNew(): boolean {
    return this.row === undefined;
  }

  /** The value of a field; undefined when the collection has no such field. */
  get(name: string): unknown {
    if (this.values.has(name)) return this.values.get(name);
    const field = this.collection.field(name);
    if (!field) return undefined;
    const value = this.stored(field);
    this.values.set(name, value);
    return value;
  }

  /** Casts and sets the value of a field. Unknown names are ignored, as they are in a body. */
  set(name: string, raw: unknown): void {
    const field = this.collection.field(name);
    if (field) this.setValue(name, this.collection.typeOf(field).normalize(raw, field));
  }

  /** Sets a value that a field type made itself, without casting it again. */
  setValue(name: string, value: unknown): void {
    if (!this.originals.has(name)) this.originals.set(name, this.get(name));
    this.values.set(name, value);
  }

  /** The value a field was stored with, its zero value when the record is new. */
  original(name: string): unknown {
    return this.originals.has(name) ? this.originals.get(name) : this.get(name);
  }

  /** Names of the fields whose column would change. */
  changedFields(): string[] {
    return [...this.originals.keys()].filter((name) => {
      const field = this.collection.field(name)!;
      const type = this.collection.typeOf(field);
      return type.toColumn(this.get(name), field) !== type.toColumn(this.originals.get(name), field);
    });
  }

  /** Files that arrived for a field with this write and whose names stand in its value. */
  uploads(name: string): readonly Upload[] {
    return this.newFiles.get(name) ?? [];
  }

  addUploads(name: string, uploads: readonly Upload[]): void {
    this.newFiles.set(name, [...this.uploads(name), ...uploads]);
  }

  /** The column values of the record as it is now, for every field of the collection. */
  toRow(): Record<string, SqlValue> {
    const row: Record<string, SqlValue> = {};
    for (const field of this.collection.fields) {
      row[field.name] = this.collection.typeOf(field).toColumn(this.get(field.name), field);
    }
    return row;
  }

  /** Tells the record that this row of it is stored: nothing is changed or new any more. */
  markStored(row: RecordRow = this.toRow()): void {
    this.row = row;
    this.originals.clear();
    this.newFiles.clear();
  }

  /** A copy of the stored record, untouched by whatever happens to this one. */
  snapshot(): RecordModel {
    return new RecordModel(this.collection, this.row);
  }

  private stored(field: FieldDefinition): unknown {
    const type = this.collection.typeOf(field);
    if (this.row === undefined) return type.normalize(undefined, field);
    return type.fromColumn(this.row[field.name] ?? null, field);
  }
}
