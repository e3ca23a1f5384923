import { describe, expect, it } from 'vitest';
import { AutodateField, type AutodateDefinition } from './autodate-field.js';
import type { FieldOptionsContext } from './field-type.js';

const type = new AutodateField();
const field = (options: Partial<AutodateDefinition>) =>
  ({ system: false, required: false, onCreate: false, onUpdate: false, ...options }) as AutodateDefinition;
const context = (stored?: AutodateDefinition): FieldOptionsContext => ({
  ...(stored && { stored }),
  fields: [],
  collection: { id: 'c', type: 'base', name: 'posts' },
  collectionType: () => undefined,
});
const now = '2024-01-01 00:00:00.000Z';
const before = '2023-01-01 00:00:00.000Z';

describe('autodate fields', () => {
  it('COL-69 are set by the server when their flag applies', () => {
    expect(type.complete('', field({ onCreate: true }), { isNew: true, now })).toBe(now);
    expect(type.complete(before, field({ onCreate: true }), { isNew: false, now })).toBe(before);
    expect(type.complete(before, field({ onUpdate: true }), { isNew: false, now })).toBe(now);
    expect(type.complete('', field({ onUpdate: true }), { isNew: true, now })).toBe('');
    expect(type.complete('', field({ onCreate: true, onUpdate: true }), { isNew: true, now })).toBe(now);
    expect(type.setByServer).toBe(true);
    expect(type.neverRequired).toBe(true);
    expect(type.validate()).toBeUndefined();
  });

  it('COL-69 are dates', () => {
    expect(type.operandKind()).toBe('D');
    expect(type.column(field({}))).toBe('text');
    expect(type.normalize('2024-01-01')).toBe(now);
    expect(type.fromColumn(now)).toBe(now);
    expect(type.fromColumn(null)).toBe('');
  });

  it('COL-69 need one of the flags', () => {
    expect(type.checkOptions(field({}), context())).toMatchObject({
      onCreate: { code: 'validation_required' },
      onUpdate: { code: 'validation_required' },
    });
    expect(type.checkOptions(field({ onUpdate: true }), context())).toEqual({});
  });

  it('COL-69 keep their flags where they are system fields', () => {
    const stored = field({ system: true, onCreate: true });
    expect(type.checkOptions(field({ onCreate: true, onUpdate: true }), context(stored))).toEqual({
      onUpdate: expect.objectContaining({ code: 'validation_values_mismatch' }),
    });
    expect(type.checkOptions(field({ onUpdate: true }), context(field({ onCreate: true })))).toEqual({});
    expect(type.checkOptions(stored, context(stored))).toEqual({});
  });
});
