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
    await this.removeOnce(record, options, new Set());
  }

  private async removeOnce(record: RecordModel, options: WriteOptions, gone: Set<string>): Promise<void> {
    const key = `${record.collection.id}/${record.id}`;
    if (gone.has(key)) return;
    gone.add(key);
    await this.writer.remove(record, options, async () => {
      for (const reference of this.referencesTo(record.collection)) await this.release(record, reference, gone);
    });
  }

  /** Takes the record out of every value of one relation field. */
  private async release(record: RecordModel, reference: Reference, gone: Set<string>): Promise<void> {
    for (;;) {
      const referring = await this.referring(record, reference);
      if (referring.length === 0) return;
      for (const holder of referring) await this.releaseOne(holder, record.id, reference, gone);
    }
  }

  private async releaseOne(
    holder: RecordModel,
    id: string,
    { field, collection }: Reference,
    gone: Set<string>,
  ): Promise<void> {
    const value = holder.get(field.name);
    const remaining = (Array.isArray(value) ? (value as string[]) : [value as string]).filter((entry) => entry !== id);
    const options: WriteOptions = { caller: null, validate: false };
    if (remaining.length === 0 && field['cascadeDelete'] === true) {
      // The row may have gone with a hook or a nested cascade of this very operation.
      const still = await this.rows.find(collection, holder.id);
      if (still) await this.removeOnce(still, options, gone);
      return;
    }
    if (remaining.length === 0 && field.required) {
      throw new BadRequestError(
        `The record is still required by "${field.name}" of a record of "${collection.name}", so it cannot be deleted.`,
      );
    }
    holder.set(field.name, remaining);
    await this.writer.update(holder, options);
  }

  private async referring(record: RecordModel, { collection, field }: Reference): Promise<RecordModel[]> {
    // Without its table, a field called "key", "path" or "parent" would be a column of json_each.
    const column = `${quoteName(collection.name)}.${quoteName(field.name)}`;
    const condition = collection.typeOf(field).isMultiple(field)
      ? `EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(${column}) AND json_type(${column}) = 'array' THEN ${column} ELSE json_array(${column}) END) AS "the item" WHERE "the item".value = ?)`
      : `${column} = ?`;
    const rows = await this.database.all<RecordRow>({
      sql: `SELECT ${this.rows.columnsOf(collection)} FROM ${quoteName(collection.name)} WHERE ${condition} LIMIT ${CHUNK}`,
      params: [record.id],
    });
    return rows.map((row) => RecordModel.fromRow(collection, row));
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
