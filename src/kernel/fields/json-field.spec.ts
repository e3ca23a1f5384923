import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { JsonField, type JsonDefinition } from './json-field.js';

const type = new JsonField();
const field = (options: Partial<JsonDefinition> = {}) =>
  ({ required: false, maxSize: 0, ...options }) as JsonDefinition;

describe('json fields', () => {
  it.each<[unknown, unknown]>([
    [undefined, null],
    [null, null],
    [5, 5],
    [true, true],
    [{ a: 1 }, { a: 1 }],
    [[1], [1]],
    ['', ''],
    ['null', null],
    ['true', true],
    ['false', false],
    ['5', 5],
    ['-1.5', -1.5],
    ['"text"', 'text'],
    ['[1,2]', [1, 2]],
    ['{"a":{"b":null}}', { a: { b: null } }],
    ['text', 'text'],
    ['nullable', 'nullable'],
    ['5 apples', '5 apples'],
    ['007', '007'],
    ['-', '-'],
    ['"open', '"open'],
    ['[1,', '[1,'],
    ['{a:1}', '{a:1}'],
    [' 5', ' 5'],
    [' {"a":1}', ' {"a":1}'],
    ['True', 'True'],
  ])('COL-71 %j becomes %j', (raw, value) => {
    expect(type.normalize(raw, field())).toEqual(value);
  });

  it('COL-71 JSON-7 what is stored reads back as the same value, null as NULL', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const value = type.normalize(raw, field());
        const expected: unknown = JSON.parse(JSON.stringify(value));
        expect(type.fromColumn(type.toColumn(value))).toEqual(expected);
      }),
    );
    expect(type.toColumn(null)).toBeNull();
    expect(type.toColumn('')).toBe('""');
    expect(type.column()).toBe('json');
    expect(type.operandKind()).toBe('J');
  });

  it('COL-71 columns that hold no JSON are read without an error', () => {
    expect(type.fromColumn(null)).toBeNull();
    expect(type.fromColumn(5)).toBe(5);
    expect(type.fromColumn(5n)).toBe(5);
    expect(type.fromColumn('broken {')).toBe('broken {');
    expect(type.fromColumn('')).toBe('');
    expect(type.fromColumn(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
  });

  it('COL-71 keys such as __proto__ are only keys', () => {
    const value = type.normalize('{"__proto__":{"polluted":true}}', field());
    expect(type.toColumn(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([null, '', [], {}])('COL-71 required rejects %j', (value) => {
    expect(type.validate(value, field({ required: true }))?.code).toBe('validation_required');
    expect(type.validate(value, field())).toBeUndefined();
    expect(type.isZero(value)).toBe(true);
  });

  it.each([0, false, ' ', [null], { a: null }])('COL-71 required accepts %j', (value) => {
    expect(type.validate(value, field({ required: true }))).toBeUndefined();
  });

  it('COL-71 the serialized bytes are limited', () => {
    expect(type.validate('é', field({ maxSize: 4 }))).toBeUndefined();
    expect(type.validate('éx', field({ maxSize: 4 }))).toMatchObject({
      code: 'validation_json_size_limit',
      params: { maxSize: 4 },
    });
    expect(type.validate('x'.repeat(1048574), field())).toBeUndefined();
    expect(type.validate('x'.repeat(1048575), field())).toMatchObject({ params: { maxSize: 1048576 } });
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  it('COL-71 what the database would not take for JSON is refused, as a value and as a text', () => {
    expect(type.validate(JSON.parse(nested(1000)), field())).toBeUndefined();
    expect(type.validate(JSON.parse(nested(1001)), field())?.code).toBe('validation_invalid_json');
    expect(type.normalize(nested(1000), field())).toEqual(JSON.parse(nested(1000)));
    expect(type.validate(type.normalize(nested(1001), field()), field())?.code).toBe('validation_invalid_json');
    expect(type.validate(type.normalize(nested(200_000), field()), field())?.code).toBe('validation_invalid_json');
    // What only begins like JSON is a text.
    expect(type.normalize('['.repeat(1001), field())).toBe('['.repeat(1001));
    expect(type.normalize(' '.repeat(9) + '{'.repeat(9), field())).toBe(' '.repeat(9) + '{'.repeat(9));
  });

  it('OPS-39 brackets by the hundred thousand are not built to be refused, nor what only begins like JSON', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const chains = `[${`${nested(900)},`.repeat(60)}0]`;
    expect(type.normalize('['.repeat(500_000), field())).toBe('['.repeat(500_000));
    expect(type.validate(type.normalize(nested(200_000), field()), field())?.code).toBe('validation_invalid_json');
    expect(type.validate(type.normalize(chains, field()), field())?.code).toBe('validation_invalid_json');
    expect(parse).not.toHaveBeenCalled();
    expect(type.normalize(`[${nested(900)}, {"a":"]"}] \n`, field())).toEqual([JSON.parse(nested(900)), { a: ']' }]);
    parse.mockRestore();
  });

  it.each(['1e400', '-1e400', '[1e400]', '{"a":[0,{"b":-1e999}]}'])(
    'COL-71 %s is a number JSON has no word for',
    (text) => {
      for (const value of [JSON.parse(text) as unknown, type.normalize(text, field())]) {
        expect(type.validate(value, field())?.code).toBe('validation_invalid_json');
      }
    },
  );

  it('OPS-39 a text that is too long for the field is not read as JSON', () => {
    const text = `[${'0,'.repeat(600_000)}0]`;
    expect(type.normalize(text, field())).toBe(text);
    expect(type.validate(text, field())?.code).toBe('validation_json_size_limit');
    expect(type.normalize(text, field({ maxSize: 2_000_000 }))).toHaveLength(600_001);
  });

  it('COL-71 what JSON cannot say is refused, not thrown', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    let deep: unknown = [];
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    for (const value of [circle, deep, 5n, () => 1, Symbol('x')]) {
      expect(type.validate(value, field())?.code).toBe('validation_invalid_json');
      expect(type.toColumn(value)).toBeNull();
    }
  });

  it('REC-13 a body may be longer by what the field takes', () => {
    expect(type.bodyAllowance(field())).toBe(1048576);
    expect(type.bodyAllowance(field({ maxSize: 5 }))).toBe(5);
    expect(type.checkOptions(field({ maxSize: -5 }))).toHaveProperty(
      'maxSize.code',
      'validation_min_greater_equal_than_required',
    );
  });
});
