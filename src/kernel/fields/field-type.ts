import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { FilterValue } from '../sql/filter-value.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldDefinition } from './field-definition.js';

/**
 * How a value is stored; each dialect knows how to spell it.
 * `json` is the only nullable kind; `jsonArray` holds the text of an array, `geoPoint` the text of `{lon,lat}`.
 */
export type ColumnKind = 'primaryKey' | 'text' | 'number' | 'boolean' | 'json' | 'jsonArray' | 'geoPoint';

/** What a database column holds, seen from JavaScript. Booleans are 1 and 0. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** How the filter language compares a field (chapter 02 §10): text, date, number, bool, json, multi-valued, geo. */
export type OperandKind = 'T' | 'D' | 'N' | 'B' | 'J' | 'M' | 'G';

/** The kind of an option's value: used to fill defaults, to refuse wrong JSON types and to drop unknown options. */
export type OptionKind = 'boolean' | 'integer' | 'number?' | 'string' | 'strings?' | 'date';

/** An option of a field type, with the value that `null` or a missing key stands for. */
export interface FieldOption {
  readonly kind: OptionKind;
  readonly default: unknown;
}

/** `name+`, `name-` and `+name` of a record body. */
export type ValueModifier = 'append' | 'prepend' | 'remove';

/** The write in which a value is completed. */
export interface WriteMoment {
  readonly isNew: boolean;
  /** The time of the write, in the product's format. */
  readonly now: string;
}

/** What checking a definition may look at. */
export interface FieldOptionsContext {
  /** The stored definition of the same field id, if there is one. */
  readonly stored?: FieldDefinition;
  /** All fields of the collection as it will be, this one included. */
  readonly fields: readonly FieldDefinition[];
  /** The type and identity of the collection the field belongs to. */
  readonly collection: { readonly id: string; readonly type: string; readonly name: string };
  /** Type of the collection with this exact id, undefined when there is none. Includes the one being saved. */
  collectionType(id: string): string | undefined;
}

/**
 * One type of field: how it is defined, stored, cast, validated, shown and compared. One class per type, one line in
 * `builtin-field-types.ts`; teams add theirs with `FieldTypesModule.register`. No `switch` on `field.type` exists
 * anywhere else.
 *
 * A value is what `normalize` returns: string, number, boolean, string[], any JSON, `{lon, lat}` …
 */
export interface FieldType<Value = unknown> {
  readonly type: string;
  /** The options of this type besides the common properties, in the order in which they are shown. */
  readonly options: Readonly<Record<string, FieldOption>>;
  /** The kind of its column. When a change of options changes the kind, stored values are converted (COL-113). */
  column(field: FieldDefinition): ColumnKind;
  /** How filters compare it. */
  operandKind(field: FieldDefinition): OperandKind;
  /**
   * What filters, rules and sorts compare when that is not the column itself, such as the amount that a column keeps in
   * cents. It must be a value as a record has it, because it is compared with those of bodies and callers too. An index
   * on the column is of no use for it. Not for fields of several values, JSON and places.
   */
  filterValue?(column: FilterValue, field: FieldDefinition): FilterValue;
  /** Whether it holds several values, which filters compare one by one. Its column is a `jsonArray` then. */
  isMultiple(field: FieldDefinition): boolean;
  /** Errors of the definition by option name; `{}` when it is fine. Runs after names and common properties passed. */
  checkOptions(field: FieldDefinition, context: FieldOptionsContext): FieldErrors;
  /** Casts anything to a value; never fails. `undefined` and `null` give the zero value. */
  normalize(raw: unknown, field: FieldDefinition): Value;
  /**
   * Whether it is the value of a record that was given none. A required field refuses it, and other checks are skipped.
   */
  isZero(value: Value, field: FieldDefinition): boolean;
  /** The first thing wrong with the value. `required` is checked here too. */
  validate(value: Value, field: FieldDefinition, checks: FieldChecks): MaybePromise<FieldError | undefined>;
  /** The value as its column holds it. Equal values must give equal results: that is how changes are found. */
  toColumn(value: Value, field: FieldDefinition): SqlValue;
  /** The inverse of `toColumn`. It must accept whatever other tools have stored. */
  fromColumn(stored: SqlValue, field: FieldDefinition): Value;
  /** What a response shows; the value itself when absent. */
  toJson?(value: Value, field: FieldDefinition): unknown;
  /**
   * The value when the write itself has a say in it: timestamps, generated texts. Runs after the rules and before
   * validation.
   */
  complete?(value: Value, field: FieldDefinition, moment: WriteMoment): Value;
  /** The modifiers a body key may carry for this type; none when absent. */
  readonly modifiers?: readonly ValueModifier[];
  /** Only types with modifiers. `operand` is raw. */
  modify?(current: Value, modifier: ValueModifier, operand: unknown, field: FieldDefinition): Value;
  /** True when values are names of uploaded files: uploads are read for such fields only. */
  readonly holdsFiles?: boolean;
  /** True when only the server sets values: what clients send, superusers included, is ignored. */
  readonly setByServer?: boolean;
  /** True when `required` makes no sense for this type and is always false. */
  readonly neverRequired?: boolean;
  /** The value that the body key `name:autogenerate` sets; only types that know how to make values up. */
  autogenerate?(prefix: unknown, field: FieldDefinition): Value;
  /** Bytes a record body may hold beyond the common limit because of this field (REC-13). */
  bodyAllowance?(field: FieldDefinition): number;
}
