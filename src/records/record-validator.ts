import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { FieldChecks } from '../kernel/fields/field-checks.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { quoteName, RecordRows } from './record-rows.js';

/** Runs the field types over a record (COL-55): all fields, also untouched ones, all errors at once. */
@Injectable()
export class RecordValidator {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
  ) {}

  /** Throws a ValidationError with every failing field. */
  async check(record: RecordModel): Promise<void> {
    const errors = await this.errorsOf(record);
    if (Object.keys(errors).length > 0) throw new ValidationError(errors, failureText(record));
  }

  /** The errors by field name; `{}` when the record is fine. */
  async errorsOf(record: RecordModel): Promise<FieldErrors> {
    const checks = this.checksFor(record);
    const errors: Record<string, FieldError> = {};
    for (const field of record.collection.fields) {
      const result = record.collection.typeOf(field).validate(record.get(field.name), field, checks);
      const error = result instanceof Promise ? await result : result;
      if (error) errors[field.name] = error;
    }
    return errors;
  }

  private checksFor(record: RecordModel): FieldChecks {
    const { catalog } = this.store;
    return {
      original: (field) => (record.isNew ? undefined : record.original(field.name)),
      hasCollection: (id) => catalog.find(id)?.id === id,
      existingIds: async (collectionId, ids) => {
        const target = catalog.find(collectionId);
        return target ? this.rows.existingIds(target, ids) : new Set<string>();
      },
      uploads: (field) => record.uploads(field.name),
      authIdTaken: (id) => this.isTakenByOtherAuth(id, record),
      idTaken: async (id, ignoreCase) => {
        const found = await this.database.get({
          sql: `SELECT 1 AS "taken" FROM ${quoteName(record.collection.name)} WHERE "id" = ?${ignoreCase ? ' COLLATE NOCASE' : ''} LIMIT 1`,
          params: [id],
        });
        return found !== undefined;
      },
    };
  }

  /** The id of an auth record is unique over all auth collections (AUTH-606). */
  private async isTakenByOtherAuth(id: string, { collection }: RecordModel): Promise<boolean> {
    if (!collection.isAuth) return false;
    const others = this.store.catalog.all().filter((other) => other.isAuth && other.id !== collection.id);
    if (others.length === 0) return false;
    const sql = others
      .map((other) => `SELECT 1 AS "taken" FROM ${quoteName(other.name)} WHERE "id" = ?`)
      .join(' UNION ALL ');
    return (await this.database.get({ sql: `${sql} LIMIT 1`, params: others.map(() => id) })) !== undefined;
  }
}

/** The message of a 400 for this record. */
export function failureText(record: RecordModel): string {
  return record.isNew ? 'The record could not be created.' : 'The record could not be updated.';
}
