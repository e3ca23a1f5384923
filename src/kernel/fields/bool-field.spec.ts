import { describe, expect, it } from 'vitest';
import { BoolField } from './bool-field.js';
import type { FieldDefinition } from './field-definition.js';

const type = new BoolField();

describe('bool fields', () => {
  it.each([true, 1, -0.5, '1', 't', 'T', 'true', 'True', 'TRUE'])('COL-65 %j is true', (raw) => {
    expect(type.normalize(raw)).toBe(true);
  });

  it.each([false, 0, '', '0', 'f', 'false', 'yes', 'on', 'tRUE', ' true', null, undefined, {}, [true], ['1']])(
    'COL-65 %j is false',
    (raw) => {
      expect(type.normalize(raw)).toBe(false);
    },
  );

  it('COL-65 required means true', () => {
    const required = { required: true } as FieldDefinition;
    expect(type.validate(false, required)?.code).toBe('validation_required');
    expect(type.validate(true, required)).toBeUndefined();
    expect(type.validate(false, { required: false } as FieldDefinition)).toBeUndefined();
  });

  it('COL-65 is 1 or 0 in its column', () => {
    expect(type.column()).toBe('boolean');
    expect(type.operandKind()).toBe('B');
    for (const value of [true, false]) expect(type.fromColumn(type.toColumn(value))).toBe(value);
    expect(type.toColumn(true)).toBe(1);
    expect(type.fromColumn(1n)).toBe(true);
    expect(type.fromColumn(0n)).toBe(false);
    expect(type.fromColumn('true')).toBe(true);
    expect(type.fromColumn(null)).toBe(false);
    expect(type.isZero(false)).toBe(true);
    expect(type.checkOptions()).toEqual({});
  });
});
