import type { FieldError, FieldType, FilterValue, SqlValue } from 'roost';

/** An amount with two decimals, kept in whole cents and compared as it is written: `fee > 80.5`. */
export class MoneyField implements FieldType<number> {
  readonly type = 'money';
  readonly options = {};
  column = () => 'number' as const;
  operandKind = () => 'N' as const;
  isMultiple = () => false;
  checkOptions = () => ({});
  normalize = (raw: unknown) => Math.round(Number(raw) * 100) / 100 || 0;
  isZero = (value: number) => value === 0;
  validate = (value: number): FieldError | undefined =>
    value < 0 ? { code: 'validation_negative', message: 'It costs nothing at least.' } : undefined;
  toColumn = (value: number): SqlValue => Math.round(value * 100);
  fromColumn = (stored: SqlValue) => Number(stored) / 100;
  filterValue = (column: FilterValue) => column.dividedBy(100);
}
