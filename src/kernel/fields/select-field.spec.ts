import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedList } from '../counted-list.spec-support.js';
import { SelectField, type SelectDefinition } from './select-field.js';

const type = new SelectField();
const field = (options: Partial<SelectDefinition> = {}) =>
  ({ required: false, values: ['a', 'b', 'c'], maxSelect: 0, ...options }) as SelectDefinition;
const many = field({ maxSelect: 2 });
const optionCode = (options: Partial<SelectDefinition>, name: string) =>
  (type.checkOptions(field(options))[name] as { code?: string } | undefined)?.code;

describe('select fields', () => {
  it('COL-70 JSON-3 hold one text up to maxSelect 1, else a list', () => {
    for (const single of [field(), field({ maxSelect: 1 })]) {
      expect(type.isMultiple(single)).toBe(false);
      expect(type.column(single)).toBe('text');
      expect(type.operandKind(single)).toBe('T');
      expect(type.normalize(undefined, single)).toBe('');
    }
    expect(type.isMultiple(many)).toBe(true);
    expect(type.column(many)).toBe('jsonArray');
    expect(type.operandKind(many)).toBe('M');
    expect(type.normalize(undefined, many)).toEqual([]);
  });

  it('COL-70 BODY-9 a single value keeps the last of several', () => {
    expect(type.normalize(['a', 'b'], field())).toBe('b');
    expect(type.normalize('["a","b"]', field())).toBe('b');
    expect(type.normalize([], field())).toBe('');
    expect(type.normalize(['a', {}], field())).toBe('');
  });

  it('COL-70 BODY-9 a multiple value drops what is empty or repeated', () => {
    expect(type.normalize(['b', '', 'a', 'b'], many)).toEqual(['b', 'a']);
    expect(type.normalize('a', many)).toEqual(['a']);
    expect(type.normalize('["a","b"]', many)).toEqual(['a', 'b']);
  });

  it('COL-70 what is stored reads back as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.constantFrom(1, 2), (raw, maxSelect) => {
        const definition = field({ maxSelect });
        const value = type.normalize(raw, definition);
        fc.pre(typeof value !== 'string' || !value.trimStart().startsWith('['));
        expect(type.fromColumn(type.toColumn(value), definition)).toEqual(value);
        expect(type.normalize(value, definition)).toEqual(value);
      }),
    );
  });

  it('COL-113 columns still in the other form are read in this one', () => {
    expect(type.fromColumn('a', many)).toEqual(['a']);
    expect(type.fromColumn('["a","b"]', field())).toBe('b');
    expect(type.fromColumn('[broken', many)).toEqual(['[broken']);
    expect(type.fromColumn(null, many)).toEqual([]);
    expect(type.fromColumn(5, field())).toBe('5');
    expect(type.fromColumn(Buffer.from('["a"]'), many)).toEqual(['a']);
  });

  it('COL-70 values are checked', () => {
    expect(type.validate('', field({ required: true }))?.code).toBe('validation_required');
    expect(type.validate([], field({ required: true, maxSelect: 2 }))?.code).toBe('validation_required');
    expect(type.validate([], many)).toBeUndefined();
    expect(type.validate(['a', 'b', 'x'], many)).toMatchObject({
      code: 'validation_too_many_values',
      params: { maxSelect: 2 },
    });
    expect(type.validate(['a', 'x'], many)).toMatchObject({ code: 'validation_invalid_value', params: { value: 'x' } });
    // A value of megabytes is not sent back whole.
    expect(type.validate('x'.repeat(201), field())?.params).toEqual({ value: `${'x'.repeat(200)}…` });
    expect(type.validate('A', field())?.code).toBe('validation_invalid_value');
    expect(type.validate('a', field())).toBeUndefined();
  });

  it('COL-70 options', () => {
    expect(optionCode({ values: null }, 'values')).toBe('validation_required');
    expect(optionCode({ values: [] }, 'values')).toBe('validation_required');
    expect(type.checkOptions(field({ maxSelect: 4 }))).toMatchObject({
      maxSelect: { code: 'validation_max_less_equal_than_required', params: { threshold: 3 } },
    });
    expect(optionCode({ maxSelect: -1 }, 'maxSelect')).toBe('validation_min_greater_equal_than_required');
    expect(type.checkOptions(field({ maxSelect: 3 }))).toEqual({});
  });

  it('COL-57 COL-70 modifiers append, prepend and remove', () => {
    expect(type.modify(['a'], 'append', ['b', 'a'], many)).toEqual(['a', 'b']);
    expect(type.modify(['a', 'b'], 'prepend', 'c', many)).toEqual(['c', 'a', 'b']);
    expect(type.modify(['a', 'b'], 'prepend', 'b', many)).toEqual(['b', 'a']);
    expect(type.modify(['a', 'b'], 'remove', ['b', 'x'], many)).toEqual(['a']);
    expect(type.modify(['a'], 'append', null, many)).toEqual(['a']);
  });

  it('BODY-14 of a single value f+ replaces and +f keeps', () => {
    expect(type.modify('a', 'append', 'b', field())).toBe('b');
    expect(type.modify('a', 'append', '', field())).toBe('a');
    expect(type.modify('a', 'prepend', 'b', field())).toBe('a');
    expect(type.modify('', 'prepend', 'b', field())).toBe('b');
    expect(type.modify('a', 'remove', 'a', field())).toBe('');
    expect(type.modify('a', 'remove', 'b', field())).toBe('a');
  });

  const texts = (count: number, letter = 'x') => Array.from({ length: count }, (_, index) => `${letter}${index}`);

  it('OPS-39 a list that is far too long is not gone through to its end, whatever it holds, and is refused', () => {
    const multiple = field({ values: ['a', 'b', 'c'], maxSelect: 2 });
    const ones = Array.from({ length: 1_000_000 }, () => 1);
    for (const items of [texts(1_000_000), ones, ones.map(() => '')]) {
      const { list, asked } = countedList<unknown>(items);
      for (const value of [
        type.normalize(list, multiple),
        ...type.modifiers.map((modifier) => type.modify(['a'], modifier, list, multiple)),
      ]) {
        expect(type.validate(value, multiple)?.code).toBe('validation_too_many_values');
        // Not all of it is there, so nothing can be taken away.
        const less = type.modify(value, 'remove', 'x1', multiple);
        expect(type.validate(less, multiple)?.code).toBe('validation_too_many_values');
      }
      expect(asked()).toBeLessThan(4 * 60_000);
    }
  });

  it('OPS-39 of a list that is far too long a field of one value reads the end', () => {
    const single = field({ values: ['a'], maxSelect: 1 });
    const { list, asked } = countedList<unknown>(texts(1_000_000));
    expect(type.normalize(list, single)).toBe('x999999');
    expect(type.modify('a', 'append', list, single)).toBe('x999999');
    expect(type.modify('a', 'prepend', list, single)).toBe('a');
    expect(type.modify('x999998', 'remove', list, single)).toBe('');
    expect(type.modify('a', 'remove', list, single)).toBe('a');
    expect(asked()).toBeLessThan(5 * 60_000);
  });

  it('OPS-39 COL-57 a list that is far too long is refused where it is joined with others, and a single value has its last', () => {
    const multiple = field({ values: ['a', 'b', 'c'], maxSelect: 2 });
    const long = texts(60_000);
    for (const operand of [long, JSON.stringify(long), texts(1_000_000)]) {
      for (const modifier of ['append', 'prepend'] as const) {
        const value = type.modify(['a'], modifier, operand, multiple);
        expect(type.validate(value, multiple)?.code).toBe('validation_too_many_values');
      }
    }
    for (const operand of [long, JSON.stringify(long)]) {
      expect(type.modify('a', 'append', operand, field())).toBe('x59999');
      expect(type.modify('a', 'prepend', operand, field())).toBe('a');
      expect(type.modify('', 'prepend', operand, field())).toBe('x59999');
    }
  });

  it('COL-57 long lists are joined as one of different texts', () => {
    const multiple = field({ values: texts(70_000), maxSelect: 70_000 });
    expect(type.modify(texts(60_000), 'append', texts(70_000), multiple)).toEqual(texts(70_000));
    expect(type.modify(texts(60_000), 'prepend', JSON.stringify(texts(70_000)), multiple)).toEqual(texts(70_000));
  });

  it('OPS-39 COL-57 long lists are taken from each other item by item', () => {
    const multiple = field({ values: texts(100_000), maxSelect: 100_000 });
    const value = type.modify(texts(100_000), 'remove', texts(99_999), multiple);
    expect(value).toEqual(['x99999']);
    expect(type.modify(texts(3), 'remove', [...texts(2), {}], multiple)).toEqual(texts(3));
  });
});
