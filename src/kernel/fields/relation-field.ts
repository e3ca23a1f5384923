import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldOption, FieldOptionsContext } from './field-type.js';
import { itemsOf, ListValuedField, mostValues, type ListDefinition, type ListValue } from './list-valued-field.js';
import { belowMinimum, checkIntegers, type OptionErrors } from './option-checks.js';

/** Where the related records are, how many there may be, and whether they take this record along when they go. */
export interface RelationDefinition extends ListDefinition {
  readonly collectionId: string;
  readonly cascadeDelete: boolean;
  readonly minSelect: number;
}

/** The ids of one or several records of a collection. */
export class RelationField extends ListValuedField {
  readonly type = 'relation';
  readonly options: Readonly<Record<string, FieldOption>> = {
    collectionId: { kind: 'string', default: '' },
    cascadeDelete: { kind: 'boolean', default: false },
    minSelect: { kind: 'integer', default: 0 },
    maxSelect: { kind: 'integer', default: 0 },
  };

  checkOptions(field: RelationDefinition, context: FieldOptionsContext): FieldErrors {
    const errors: OptionErrors = checkIntegers(field, this.options);
    const target = checkTarget(field, context);
    if (target) errors['collectionId'] = target;
    if (field.maxSelect === 0 && field.minSelect > 0) errors['maxSelect'] = fieldError('validation_required');
    else if (field.maxSelect < field.minSelect) errors['maxSelect'] ??= belowMinimum(field.minSelect);
    return errors;
  }

  validate(value: ListValue, field: RelationDefinition, checks: FieldChecks): MaybePromise<FieldError | undefined> {
    const ids = itemsOf(value);
    if (ids.length === 0) return field.required ? fieldError('validation_required') : undefined;
    const { minSelect } = field;
    const maxSelect = mostValues(field);
    if (ids.length < minSelect) return fieldError('validation_not_enough_values', { minSelect });
    if (ids.length > maxSelect) return fieldError('validation_too_many_values', { maxSelect });
    if (!checks.hasCollection(field.collectionId)) return fieldError('validation_missing_rel_collection');
    return andThen(checks.existingIds(field.collectionId, ids), (existing) =>
      ids.every((id) => existing.has(id)) ? undefined : fieldError('validation_missing_rel_records'),
    );
  }
}

function checkTarget(field: RelationDefinition, context: FieldOptionsContext): FieldError | undefined {
  if (field.collectionId === '') return fieldError('validation_required');
  if (context.stored && context.stored['collectionId'] !== field.collectionId) {
    return fieldError('validation_field_relation_change');
  }
  const type = context.collectionType(field.collectionId);
  if (type === undefined) return fieldError('validation_field_relation_missing_collection');
  if (type === 'view' && context.collection.type !== 'view') {
    return fieldError('validation_relation_field_non_view_base_collection');
  }
  return undefined;
}
