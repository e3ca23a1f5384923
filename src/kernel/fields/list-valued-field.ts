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
    return this.toValue(this.read(raw, field), field);
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
    const given = this.read(operand, field);
    // A list that was cut off is refused, whatever it is joined with.
    const isCutOff = (texts: readonly string[]) => this.isMultiple(field) && texts.length > mostRead(field);
    if (isCutOff(present)) return current;
    if (isCutOff(given)) return given;
    switch (modifier) {
      case 'append':
        return this.toValue(castToList([...present, ...given]), field);
      case 'prepend':
        return this.toValue(castToList([...given, ...present]), field);
      case 'remove':
        return this.toValue(without(present, given), field);
    }
  }

  /** The texts of what was given: of many the last for a single value, or else one more than are taken. */
  private read(raw: unknown, field: ListDefinition): string[] {
    const most = mostRead(field);
    return Array.isArray(raw) && !this.isMultiple(field) ? castToList(raw.slice(-most)) : castToList(raw, most);
  }

  private toValue(items: string[], field: ListDefinition): ListValue {
    return this.isMultiple(field) ? items : (items.at(-1) ?? '');
  }
}

/** Longer lists are only read up to here: no field accepts them unless its limit is higher. */
const LONGEST_LIST = 50_000;

/** How many values are read of what a field is given. Of several that is more than it takes, so that more are refused. */
export function mostRead(field: ListDefinition): number {
  return Math.max(mostValues(field), LONGEST_LIST);
}

/** Uses a set, because both lists may be long. */
function without(items: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed);
  return items.filter((item) => !gone.has(item));
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
