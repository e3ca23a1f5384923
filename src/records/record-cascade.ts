import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { quoteName, RecordRows } from './record-rows.js';
import { RecordWriter, type WriteOptions } from './record-writer.js';

/** Referencing records handled at a time, so that any number of them fits in memory (REL-5). */
const CHUNK = 200;

/** A relation field that points at a collection. */
interface Reference {
  readonly collection: Collection;
  readonly field: FieldDefinition;
}

/** Deletes a record with everything that depends on it (REL-2): cascades, cleared references, refusals. */
@Injectable()
export class RecordCascade {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly writer: RecordWriter,
  ) {}

  /** Throws 400 when a required reference would be left empty; the surrounding transaction then undoes everything. */
  async remove(record: RecordModel, options: WriteOptions): Promise<void> {
    // Its row goes first: in a circle of references it is not found again.
    await this.writer.remove(record, options, async () => {
      for (const reference of this.referencesTo(record.collection)) await this.release(record, reference);
    });
  }

  /** Takes the record out of every value of one relation field. */
  private async release(record: RecordModel, reference: Reference): Promise<void> {
    for (;;) {
      const holders = await this.holders(record, reference);
      if (holders.length === 0) return;
      for (const id of holders) {
        // Read only now: what became of the holders before it, or a hook, may have changed or deleted this one.
        const holder = await this.holder(id, record, reference);
        if (holder) await this.releaseFrom(holder, record.id, reference);
      }
    }
  }

  private async releaseFrom(holder: RecordModel, id: string, { field, collection }: Reference): Promise<void> {
    const value = holder.get(field.name);
    const remaining = (Array.isArray(value) ? (value as string[]) : [value as string]).filter((entry) => entry !== id);
    const options: WriteOptions = { caller: null, validate: false };
    if (remaining.length === 0 && field['cascadeDelete'] === true) return this.remove(holder, options);
    if (remaining.length === 0 && field.required) {
      throw new BadRequestError(
        `The record is still required by "${field.name}" of a record of "${collection.name}", so it cannot be deleted.`,
      );
    }
    holder.set(field.name, remaining);
    await this.writer.update(holder, options);
  }

  /** Ids of records that refer to it. */
  private async holders({ id }: RecordModel, reference: Reference): Promise<string[]> {
    const table = quoteName(reference.collection.name);
    const sql = `SELECT "id" FROM ${table} WHERE ${this.refers(reference)} LIMIT ${CHUNK}`;
    const rows = await this.database.all<{ id: string }>({ sql, params: [id] });
    return rows.map((row) => row.id);
  }

  /** The record with this id, as long as it refers to the other one. */
  private async holder(id: string, to: RecordModel, reference: Reference): Promise<RecordModel | undefined> {
    const { collection } = reference;
    const sql = `SELECT ${this.rows.columnsOf(collection)} FROM ${quoteName(collection.name)} WHERE "id" = ? AND ${this.refers(reference)}`;
    const row = await this.database.get<RecordRow>({ sql, params: [id, to.id] });
    return row && RecordModel.fromRow(collection, row);
  }

  private refers({ collection, field }: Reference): string {
    // Without its table, a field called "key", "path" or "parent" would be a column of json_each.
    const column = `${quoteName(collection.name)}.${quoteName(field.name)}`;
    if (!collection.typeOf(field).isMultiple(field)) return `${column} = ?`;
    return `EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(${column}) AND json_type(${column}) = 'array' THEN ${column} ELSE json_array(${column}) END) AS "the item" WHERE "the item".value = ?)`;
  }

  /** The relation fields that point at a collection, collections in the order of their names. */
  private referencesTo(target: Collection): Reference[] {
    return [...this.store.catalog.all()]
      .filter((collection) => !collection.isView)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((collection) =>
        collection.fields
          .filter((field) => field.type === 'relation' && field['collectionId'] === target.id)
          .map((field) => ({ collection, field })),
      );
  }
}
