import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldType, OperandKind, SqlValue } from './field-type.js';
import { castToNumber, textOfColumn } from './value-casts.js';

/** A place on Earth in degrees. */
export interface GeoPoint {
  readonly lon: number;
  readonly lat: number;
}

/** A longitude and a latitude. The point 0,0 is no value. */
export class GeoPointField implements FieldType<GeoPoint> {
  readonly type = 'geoPoint';
  readonly options: Readonly<Record<string, FieldOption>> = {};

  column(): ColumnKind {
    return 'geoPoint';
  }

  operandKind(): OperandKind {
    return 'G';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(): FieldErrors {
    return {};
  }

  normalize(raw: unknown): GeoPoint {
    const source = typeof raw === 'string' ? parseObject(raw) : raw;
    if (typeof source !== 'object' || source === null || Array.isArray(source)) return { lon: 0, lat: 0 };
    const { lon, lat } = source as { lon?: unknown; lat?: unknown };
    return { lon: castToNumber(lon), lat: castToNumber(lat) };
  }

  isZero(value: GeoPoint): boolean {
    return value.lon === 0 && value.lat === 0;
  }

  validate(value: GeoPoint, field: FieldDefinition): FieldError | undefined {
    if (this.isZero(value)) return field.required ? fieldError('validation_required') : undefined;
    // Written so that NaN is refused too.
    if (!(Math.abs(value.lat) <= 90)) return fieldError('validation_invalid_latitude');
    if (!(Math.abs(value.lon) <= 180)) return fieldError('validation_invalid_longitude');
    return undefined;
  }

  toColumn(value: GeoPoint): SqlValue {
    return JSON.stringify(value);
  }

  fromColumn(stored: SqlValue): GeoPoint {
    return this.normalize(textOfColumn(stored));
  }
}

/** No point takes more than this to be written. */
const LONGEST_TEXT = 10_000;

function parseObject(text: string): unknown {
  if (text.length > LONGEST_TEXT) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
