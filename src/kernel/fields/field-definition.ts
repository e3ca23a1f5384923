/**
 * The plain data a collection stores about one field: the common properties and, beside them, the options of its
 * type under their own names (`min`, `maxSelect`, …), all present with their defaults filled in.
 */
export interface FieldDefinition {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly system: boolean;
  readonly hidden: boolean;
  readonly presentable: boolean;
  readonly required: boolean;
  readonly help: string;
  readonly [option: string]: unknown;
}
