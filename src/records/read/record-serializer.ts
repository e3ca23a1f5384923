import type { Collection } from '../../kernel/collections/collection.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import type { FieldType } from '../../kernel/fields/field-type.js';
import { objectMaker, type ObjectMaker } from '../../kernel/object-maker.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

type Json = Record<string, unknown>;

/** One key of a record's JSON: where its value comes from. */
type Column =
  | { readonly name: 'collectionId' | 'collectionName' | 'expand'; readonly field: null }
  | { readonly name: string; readonly field: FieldDefinition; readonly type: FieldType };

/** The columns of the records that show the same keys. */
interface Shape {
  readonly columns: readonly Column[];
  readonly make: ObjectMaker;
}

const FIXED: readonly Column[] = [
  { name: 'collectionId', field: null },
  { name: 'collectionName', field: null },
  { name: 'expand', field: null },
];

/** How records of a collection are written down when these fields of them are shown: their keys in byte order. */
export class RecordSerializer {
  private readonly columns: readonly Column[];
  /** By whether `expand` and whether `email` is shown. */
  private readonly shapes: (Shape | undefined)[] = [];

  constructor(
    private readonly collection: Collection,
    shown: readonly FieldDefinition[],
  ) {
    const ofFields = shown.map((field) => ({ name: field.name, field, type: collection.typeOf(field) }));
    this.columns = [...FIXED, ...ofFields].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The JSON object of a record. `expand` has its key but no value yet. */
  write(record: RecordModel, { showEmail }: { readonly showEmail: boolean }): Json {
    const { columns, make } = this.shape(record.expand !== undefined, showEmail);
    return make(columns.map((column) => this.value(record, column)));
  }

  private value(record: RecordModel, column: Column): unknown {
    if (column.field === null) {
      if (column.name === 'collectionId') return this.collection.id;
      return column.name === 'collectionName' ? this.collection.name : undefined;
    }
    const { field, type } = column;
    const value = record.read(field, type);
    return type.toJson ? type.toJson(value, field) : value;
  }

  private shape(showExpand: boolean, showEmail: boolean): Shape {
    const index = (showExpand ? 2 : 0) + (showEmail ? 1 : 0);
    let shape = this.shapes[index];
    if (!shape) {
      const columns = this.columns.filter(
        ({ name }) => (showExpand || name !== 'expand') && (showEmail || name !== 'email'),
      );
      shape = { columns, make: objectMaker(columns.map(({ name }) => name)) };
      this.shapes[index] = shape;
    }
    return shape;
  }
}
