import { DatabaseError } from '../../database/database.error.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { indexFields, parseIndex } from '../../kernel/collections/index-definition.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { failureText } from './record-validator.js';

/** What the database refused about a record, as an error for the client; anything else is returned as it is. */
export function toWriteError(error: unknown, record: RecordModel, isNew = record.isNew): unknown {
  if (!(error instanceof DatabaseError) || error.kind !== 'unique') return error;
  const names = violatedFields(error, record);
  if (names.length === 0) return new BadRequestError(failureText(isNew), {}, { cause: error });
  const errors: Record<string, FieldError> = {};
  for (const name of names) errors[name] = fieldError('validation_not_unique');
  return new ValidationError(errors, failureText(isNew));
}

/** Every field of the violated index (COL-126, ERR-2), also of one with expressions. */
function violatedFields(error: DatabaseError, { collection }: RecordModel): string[] {
  const names = collection.fields.map((field) => field.name);
  if (error.columns && error.columns.length > 0) return names.filter((name) => error.columns!.includes(name));
  const index = collection.indexes.map((text) => parseIndex(text)).find((parsed) => parsed?.name === error.index);
  return index ? indexFields(index, names) : [];
}
