import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldDefinition } from './field-definition.js';
import type {
  ColumnKind,
  FieldOption,
  FieldOptionsContext,
  FieldType,
  OperandKind,
  SqlValue,
  ValueModifier,
} from './field-type.js';
import { castToList, listOfText, textOfColumn } from './value-casts.js';

/** A text, '' for none, of a field with `maxSelect` 0 or 1; else a list of different texts. */
export type ListValue = string | string[];

/** The option that decides between one value and many. */
export interface ListDefinition extends FieldDefinition {
  readonly maxSelect: number;
}

/** What the types have in common that hold one or, with `maxSelect` above 1, several texts. */
export abstract class ListValuedField implements FieldType<ListValue> {
  abstract readonly type: string;
  abstract readonly options: Readonly<Record<string, FieldOption>>;
  readonly modifiers: readonly ValueModifier[] = ['append', 'prepend', 'remove'];

  abstract checkOptions(field: ListDefinition, context: FieldOptionsContext): FieldErrors;

  abstract validate(value: ListValue, field: ListDefinition, checks: FieldChecks): MaybePromise<FieldError | undefined>;

  column(field: ListDefinition): ColumnKind {
    return this.isMultiple(field) ? 'jsonArray' : 'text';
  }

  operandKind(field: ListDefinition): OperandKind {
    return this.isMultiple(field) ? 'M' : 'T';
  }

  isMultiple(field: ListDefinition): boolean {
    return field.maxSelect > 1;
  }

  /** A single-valued field keeps the last of several values. */
  normalize(raw: unknown, field: ListDefinition): ListValue {
    return this.toValue(castToList(raw), field);
  }

  isZero(value: ListValue): boolean {
    return value.length === 0;
  }

  toColumn(value: ListValue): SqlValue {
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  fromColumn(stored: SqlValue, field: ListDefinition): ListValue {
    return this.toValue(listOfText(textOfColumn(stored)), field);
  }

  modify(current: ListValue, modifier: ValueModifier, operand: unknown, field: ListDefinition): ListValue {
    const present = itemsOf(current);
    const given = castToList(operand);
    switch (modifier) {
      case 'append':
        return this.normalize([...present, ...given], field);
      case 'prepend':
        return this.normalize([...given, ...present], field);
      case 'remove':
        return this.normalize(without(present, given), field);
    }
  }

  private toValue(items: string[], field: ListDefinition): ListValue {
    return this.isMultiple(field) ? items : (items.at(-1) ?? '');
  }
}

/** Lists of clients may be of any length, so none is gone through for each item of another. */
function without(items: readonly string[], removed: readonly string[]): string[] {
  const all = new Set(removed);
  return items.filter((item) => !all.has(item));
}

/** The value as a list, whether the field holds one or many. */
export function itemsOf(value: ListValue): readonly string[] {
  if (typeof value !== 'string') return value;
  return value === '' ? [] : [value];
}

/** How many values a field takes; 0 stands for 1. */
export function mostValues(field: ListDefinition): number {
  return Math.max(field.maxSelect, 1);
}
