import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from './field-definition.js';
import { GeoPointField } from './geo-point-field.js';

const type = new GeoPointField();
const field = { required: false } as FieldDefinition;
const codeOf = (raw: unknown, definition = field) => type.validate(type.normalize(raw), definition)?.code;

describe('geoPoint fields', () => {
  it.each<[unknown, unknown]>([
    [
      { lon: 1.5, lat: -2 },
      { lon: 1.5, lat: -2 },
    ],
    [{ lat: 3 }, { lon: 0, lat: 3 }],
    [
      { lon: '4.5', lat: 'x', other: 1 },
      { lon: 4.5, lat: 0 },
    ],
    ['{"lon":5,"lat":6}', { lon: 5, lat: 6 }],
    ['{"lon":5', { lon: 0, lat: 0 }],
    ['null', { lon: 0, lat: 0 }],
    [[5, 6], { lon: 0, lat: 0 }],
    ['[5,6]', { lon: 0, lat: 0 }],
    [5, { lon: 0, lat: 0 }],
    [null, { lon: 0, lat: 0 }],
    [undefined, { lon: 0, lat: 0 }],
    ['', { lon: 0, lat: 0 }],
  ])('COL-75 %j becomes %j', (raw, value) => {
    expect(type.normalize(raw)).toEqual(value);
  });

  it('COL-75 what is stored reads back as it is', () => {
    const degrees = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(degrees, degrees, (lon, lat) => {
        const value = type.normalize({ lon, lat });
        expect(type.fromColumn(type.toColumn(value))).toEqual(value);
      }),
    );
    expect(type.toColumn(type.normalize(null))).toBe('{"lon":0,"lat":0}');
    expect(type.fromColumn('rubbish')).toEqual({ lon: 0, lat: 0 });
    expect(type.fromColumn(null)).toEqual({ lon: 0, lat: 0 });
    expect(type.column()).toBe('geoPoint');
    expect(type.operandKind()).toBe('G');
  });

  it('COL-75 latitudes and longitudes have limits', () => {
    expect(codeOf({ lon: 180, lat: 90 })).toBeUndefined();
    expect(codeOf({ lon: -180, lat: -90 })).toBeUndefined();
    expect(codeOf({ lon: 0, lat: 90.001 })).toBe('validation_invalid_latitude');
    expect(codeOf({ lon: -180.001, lat: 0 })).toBe('validation_invalid_longitude');
    expect(codeOf({ lon: 'Infinity', lat: 0 })).toBe('validation_invalid_longitude');
    expect(codeOf({ lon: 0, lat: 'NaN' })).toBe('validation_invalid_latitude');
  });

  it('COL-75 required rejects 0,0', () => {
    const required = { required: true } as FieldDefinition;
    expect(codeOf({ lon: 0, lat: 0 }, required)).toBe('validation_required');
    expect(codeOf({ lon: 0, lat: 1 }, required)).toBeUndefined();
  });
});
