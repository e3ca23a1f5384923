import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { TimeSlices } from '../../database/time-slices.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { FieldError, FieldErrors } from '../../kernel/errors/field-error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { FieldChecks } from '../../kernel/fields/field-checks.js';
import { andThen, forEachSeries, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { ValidateRecord } from '../record.hooks.js';
import type { AssumedReferences } from './assumed-references.js';
import { RecordRows } from '../record-rows.js';

/** What is known about a record before it is validated. */
export interface ValidationContext {
  /**
   * True for an id that was just generated: it need not be looked up, because the table itself would refuse a duplicate
   * with the same error.
   */
  readonly isIdNew?: boolean;
  /** True where only the fields that this write changes are to be judged. */
  readonly onlyChanged?: boolean;
  /** Takes what may be judged by the statement that stores the record. */
  readonly assumed?: AssumedReferences;
  /** For hooks: who asked for the write; null acts with full rights. */
  readonly caller?: Caller | null;
}

/** Runs the field types over a record (COL-55): all fields, as a rule also untouched ones, all errors at once. */
@Injectable()
export class RecordValidator {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly hooks: HookRegistry,
  ) {}

  /** Throws a ValidationError with every failing field. */
  check(record: RecordModel, context?: ValidationContext): MaybePromise<void> {
    return andThen(this.errorsOf(record, context), (found) =>
      andThen(this.withErrorsOfHooks(record, found, context?.caller ?? null), (errors) => {
        if (!isFine(errors)) throw new ValidationError(errors, failureText(record.isNew));
      }),
    );
  }

  /** The errors by field name; `{}` when the record is fine. */
  errorsOf(record: RecordModel, context: ValidationContext = {}): MaybePromise<FieldErrors> {
    const checks = this.checksFor(record, context);
    const errors: Record<string, FieldError> = {};
    const { collection } = record;
    const fields = context.onlyChanged
      ? record.changedFields().map((name) => collection.field(name)!)
      : collection.fields;
    const slices = new TimeSlices();
    const validating = forEachSeries(fields, (field) => {
      const result = collection.typeOf(field).validate(record.get(field.name), field, checks);
      return andThen(result, (error) => {
        if (error) errors[field.name] = error;
        return slices.pause();
      });
    });
    return andThen(validating, () => errors);
  }

  private withErrorsOfHooks(record: RecordModel, found: FieldErrors, caller: Caller | null): MaybePromise<FieldErrors> {
    if (!this.hooks.has(ValidateRecord, record.collection)) return found;
    const errors = { ...found } as Record<string, FieldError>;
    return andThen(this.hooks.run(ValidateRecord, { record, caller, errors }, record.collection), () => errors);
  }

  private checksFor(record: RecordModel, { isIdNew = false, assumed }: ValidationContext): FieldChecks {
    const { catalog } = this.store;
    return {
      original: (field) => (record.isNew ? undefined : record.original(field.name)),
      hasCollection: (id) => catalog.findById(id) !== undefined,
      existingIds: (collectionId, ids) => {
        const target = catalog.find(collectionId);
        if (target && assumed?.add(target, ids)) return new Set(ids);
        return target ? this.rows.existingIds(target, ids) : new Set<string>();
      },
      uploads: (field) => record.uploads(field.name),
      authIdTaken: (id) => this.isTakenByOtherAuth(id, record, isIdNew),
      idTaken: (id, ignoreCase) => {
        if (isIdNew && !ignoreCase) return false;
        const held = isIdNew ? undefined : this.rows.lockId(record.collection, id);
        return andThen(held, () => this.rows.isIdTaken(id, [record.collection], { ignoreCase }));
      },
    };
  }

  /** The id of an auth record is unique over all auth collections (AUTH-606). */
  private isTakenByOtherAuth(id: string, { collection }: RecordModel, isIdNew: boolean): MaybePromise<boolean> {
    if (!collection.isAuth) return false;
    // The same chosen id may be used for another auth collection at the same moment, so the id is locked.
    const held = isIdNew ? undefined : this.database.lock(`account ${id}`);
    const others = this.store.catalog.all().filter((other) => other.isAuth && other.id !== collection.id);
    return andThen(held, () => this.rows.isIdTaken(id, others));
  }
}

/** The message of a 400 for a record that was to be created or updated. */
export function failureText(isNew: boolean): string {
  return isNew ? 'The record could not be created.' : 'The record could not be updated.';
}
