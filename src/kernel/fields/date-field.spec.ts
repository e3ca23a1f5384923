import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DateField, type DateDefinition } from './date-field.js';

const type = new DateField();
const field = (options: Partial<DateDefinition> = {}) =>
  ({ required: false, min: '', max: '', ...options }) as DateDefinition;

describe('date fields', () => {
  it('COL-68 hold moments in the product format', () => {
    expect(type.column(field())).toBe('text');
    expect(type.operandKind()).toBe('D');
    expect(type.normalize('2024-01-02T03:04:05+01:00')).toBe('2024-01-02 02:04:05.000Z');
    expect(type.normalize(new Date(0))).toBe('1970-01-01 00:00:00.000Z');
  });

  it.each([null, undefined, ''])('COL-68 %s is no date', (raw) => {
    expect(type.normalize(raw)).toBe('');
    expect(type.validate(type.normalize(raw), field())).toBeUndefined();
  });

  it.each([
    [1769688000, '2026-01-29 12:00:00.000Z'],
    [1769688000.2569, '2026-01-29 12:00:00.256Z'],
    [0, '1970-01-01 00:00:00.000Z'],
    [-1, '1969-12-31 23:59:59.000Z'],
  ])('COL-68 %d seconds since 1970 are %s', (seconds, date) => {
    expect(type.normalize(seconds)).toBe(date);
  });

  it.each([
    'soon',
    '1769688000',
    true,
    false,
    {},
    [],
    ['2026-01-29'],
    new Date(NaN),
    new Date(8.64e15),
    1e300,
    Infinity,
    NaN,
    '1'.repeat(100_000),
  ])('COL-68a %s is refused and never stored as no date', (raw) => {
    const value = type.normalize(raw);
    expect(type.isZero(value)).toBe(false);
    expect(type.validate(value, field())?.code).toBe('validation_invalid_date');
    expect(type.validate(value, field({ required: true }))?.code).toBe('validation_invalid_date');
    expect(type.toColumn(value)).toBe('');
    expect(type.normalize(value)).toBe(value);
  });

  it('COL-68 what is stored reads back as it is', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        const value = type.normalize(date);
        expect(value).not.toBe('');
        expect(type.normalize(value)).toBe(value);
        expect(type.fromColumn(type.toColumn(value))).toBe(value);
      }),
    );
  });

  it('COL-53 columns of other makings are cast', () => {
    expect(type.fromColumn('2024-01-02')).toBe('2024-01-02 00:00:00.000Z');
    expect(type.fromColumn('rubbish')).toBe('');
    expect(type.fromColumn(null)).toBe('');
    expect(type.fromColumn(5)).toBe('');
  });

  it('COL-68 limits hold and let no date pass', () => {
    const limits = field({ min: '2024-01-01 00:00:00.000Z', max: '2024-12-31 00:00:00.000Z' });
    expect(type.validate('2023-12-31 23:59:59.999Z', limits)).toMatchObject({
      code: 'validation_min_greater_equal_than_required',
      params: { threshold: limits.min },
    });
    expect(type.validate('2024-12-31 00:00:00.001Z', limits)).toMatchObject({
      code: 'validation_max_less_equal_than_required',
      params: { threshold: limits.max },
    });
    expect(type.validate(limits.min, limits)).toBeUndefined();
    expect(type.validate(limits.max, limits)).toBeUndefined();
    expect(type.validate('', limits)).toBeUndefined();
    expect(type.validate('', field({ required: true }))?.code).toBe('validation_required');
  });

  it('COL-68 the limits are in order', () => {
    const [earlier, later] = ['2024-01-01 00:00:00.000Z', '2024-01-02 00:00:00.000Z'];
    expect(type.checkOptions(field({ min: later, max: earlier }))).toHaveProperty(
      'max.code',
      'validation_date_out_of_range',
    );
    expect(type.checkOptions(field({ min: earlier, max: earlier }))).toEqual({});
    expect(type.checkOptions(field({ min: later }))).toEqual({});
  });
});
