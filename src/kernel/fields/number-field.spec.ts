import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberField, type NumberDefinition } from './number-field.js';

const type = new NumberField();
const field = (options: Partial<NumberDefinition> = {}) =>
  ({ required: false, min: null, max: null, onlyInt: false, ...options }) as NumberDefinition;
const codeOf = (raw: unknown, options: Partial<NumberDefinition> = {}) =>
  type.validate(type.normalize(raw), field(options))?.code;

describe('number fields', () => {
  it('COL-64 are numbers in columns, JSON and filters', () => {
    expect(type.column()).toBe('number');
    expect(type.operandKind()).toBe('N');
    expect(type.normalize('1.5')).toBe(1.5);
    expect(type.normalize(null)).toBe(0);
    expect(type.isZero(0)).toBe(true);
  });

  it('COL-64 what is stored reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (raw) => {
        const value = type.normalize(raw);
        expect(type.fromColumn(type.toColumn(value))).toBe(value);
      }),
    );
  });

  it('COL-53 columns of other makings are numbers too', () => {
    expect(type.fromColumn(null)).toBe(0);
    expect(type.fromColumn(5n)).toBe(5);
    expect(type.fromColumn('1.5')).toBe(1.5);
    expect(type.fromColumn('abc')).toBe(0);
    expect(type.fromColumn('NaN')).toBe(0);
    expect(type.toColumn(NaN)).toBe(0);
  });

  it('COL-55 COL-64 zero is no value: it passes the limits and fails required', () => {
    expect(codeOf(0, { min: 5 })).toBeUndefined();
    expect(codeOf(0, { max: -5 })).toBeUndefined();
    expect(codeOf('abc', { required: true })).toBe('validation_required');
  });

  it.each(['NaN', 'Inf', '-Infinity', 'infinity', '1e999'])('COL-64 %s is not a number', (raw) => {
    expect(codeOf(raw)).toBe('validation_not_a_number');
    expect(codeOf(raw, { required: true })).toBe('validation_not_a_number');
  });

  it('COL-64 whole numbers and limits', () => {
    expect(codeOf(1.5, { onlyInt: true })).toBe('validation_only_int_constraint');
    expect(codeOf(1e300, { onlyInt: true })).toBeUndefined();
    expect(type.validate(4, field({ min: 5 }))).toMatchObject({
      code: 'validation_min_number_constraint',
      params: { min: 5 },
    });
    expect(type.validate(6, field({ max: 5 }))).toMatchObject({
      code: 'validation_max_number_constraint',
      params: { max: 5 },
    });
    expect(codeOf(5, { min: 5, max: 5 })).toBeUndefined();
    expect(codeOf(-1, { min: 0 })).toBe('validation_min_number_constraint');
  });

  it('COL-64 options', () => {
    expect(type.checkOptions(field({ min: -1.5, max: 2.5 }))).toEqual({});
    expect(type.checkOptions(field({ onlyInt: true, min: 0.5, max: 1.5 }))).toMatchObject({
      min: { code: 'validation_only_int_constraint' },
      max: { code: 'validation_only_int_constraint' },
    });
    expect(type.checkOptions(field({ min: 5, max: 4 }))).toMatchObject({
      max: { code: 'validation_min_number_constraint', params: { min: 5 } },
    });
    expect(type.checkOptions(field({ min: 0, max: 0 }))).toEqual({});
  });

  it('COL-64 COL-57 name+ adds and name- subtracts', () => {
    expect(type.modifiers).toEqual(['append', 'remove']);
    expect(type.modify(10, 'append', '5')).toBe(15);
    expect(type.modify(10, 'remove', 1)).toBe(9);
    expect(type.modify(10, 'append', null)).toBe(10);
    expect(type.modify(10, 'append', -3)).toBe(7);
  });
});
