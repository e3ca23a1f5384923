import { describe, expect, it } from 'vitest';
import type { FieldChecks } from './field-checks.js';
import type { FieldOptionsContext } from './field-type.js';
import { TextField, type TextDefinition } from './text-field.js';

const type = new TextField();

function field(options: Partial<TextDefinition> = {}): TextDefinition {
  return {
    id: 'f1',
    name: 'title',
    type: 'text',
    system: false,
    hidden: false,
    presentable: false,
    required: false,
    help: '',
    min: 0,
    max: 0,
    pattern: '',
    autogeneratePattern: '',
    primaryKey: false,
    ...options,
  };
}

function context(...fields: TextDefinition[]): FieldOptionsContext {
  return { fields, collection: { id: 'c', name: 'posts', type: 'base' }, collectionType: () => undefined };
}

function checks(overrides: Partial<FieldChecks> = {}): FieldChecks {
  return {
    original: () => undefined,
    hasCollection: () => true,
    existingIds: (_id, ids) => Promise.resolve(new Set(ids)),
    idTaken: () => Promise.resolve(false),
    authIdTaken: () => Promise.resolve(false),
    uploads: () => [],
    ...overrides,
  };
}

const codeOf = async (value: string, options: Partial<TextDefinition> = {}, outside = checks()) =>
  (await type.validate(value, field(options), outside))?.code;
const optionCodes = (options: Partial<TextDefinition>, ...others: TextDefinition[]) => {
  const definition = field(options);
  const errors = type.checkOptions(definition, context(...others, definition));
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error['code']]));
};

describe('text fields', () => {
  it('COL-60 are text columns, the primary key one of its own', () => {
    expect(type.column(field())).toBe('text');
    expect(type.column(field({ primaryKey: true, name: 'id' }))).toBe('primaryKey');
    expect(type.operandKind()).toBe('T');
    expect(type.isMultiple()).toBe(false);
  });

  it('COL-60 values are cast to text and stored as they are', () => {
    expect(type.normalize(5)).toBe('5');
    expect(type.normalize(undefined)).toBe('');
    expect(type.normalize(null)).toBe('');
    expect(type.isZero('')).toBe(true);
    expect(type.isZero(' ')).toBe(false);
    expect(type.fromColumn(type.toColumn('ä\u0000b'))).toBe('ä\u0000b');
    expect(type.fromColumn(null)).toBe('');
  });

  it('COL-55 an empty value fails only where it is required, whatever else is asked', async () => {
    expect(await codeOf('', { required: true })).toBe('validation_required');
    expect(await codeOf('', { min: 5, pattern: '^x$' })).toBeUndefined();
  });

  it('COL-60 lengths count code points', async () => {
    expect(await type.validate('👍👍', field({ min: 3 }), checks())).toMatchObject({
      code: 'validation_min_text_constraint',
      params: { min: 3 },
    });
    expect(await codeOf('👍👍👍', { min: 3, max: 3 })).toBeUndefined();
    expect(await type.validate('👍👍👍👍', field({ max: 3 }), checks())).toMatchObject({
      code: 'validation_max_text_constraint',
      params: { max: 3 },
    });
  });

  it('COL-60 a max of 0 is 5000', async () => {
    expect(await codeOf('x'.repeat(5000))).toBeUndefined();
    expect(await type.validate('x'.repeat(5001), field(), checks())).toMatchObject({ params: { max: 5000 } });
    expect(await codeOf('x'.repeat(6000), { max: 6000 })).toBeUndefined();
  });

  it('COL-58 COL-60 the pattern matches anywhere unless it is anchored', async () => {
    expect(await codeOf('abc', { pattern: 'b' })).toBeUndefined();
    expect(await codeOf('abc', { pattern: '^b$' })).toBe('validation_invalid_format');
    expect(await codeOf('b\n', { pattern: '^b$' })).toBe('validation_invalid_format');
    expect(await codeOf('Ж', { pattern: '^\\p{Cyrillic}$' })).toBeUndefined();
  });

  it('COL-58 a pattern that is hard for others takes linear time', async () => {
    expect(await codeOf('x'.repeat(5000), { pattern: '^(x+x+)+y$' })).toBe('validation_invalid_format');
  });

  it.each(['(?=a)', '(?<=a)b', '(a)\\1', '[', 'a**', '(', 'a{1001}'])('COL-58 %s is no pattern', (pattern) => {
    expect(optionCodes({ pattern })).toEqual({ pattern: 'validation_invalid_regex' });
  });

  it('COL-59 COL-61 limits of the options', () => {
    expect(optionCodes({})).toEqual({});
    expect(optionCodes({ min: -1, max: -1 })).toEqual({
      min: 'validation_min_greater_equal_than_required',
      max: 'validation_min_greater_equal_than_required',
    });
    expect(optionCodes({ min: 2 ** 53, max: 2 ** 54 })).toEqual({
      min: 'validation_max_less_equal_than_required',
      max: 'validation_max_less_equal_than_required',
    });
    expect(optionCodes({ max: 2 ** 53 - 1 })).toEqual({});
    expect(type.checkOptions(field({ min: 10, max: 5 }), context())).toMatchObject({
      max: { code: 'validation_min_greater_equal_than_required', params: { threshold: 10 } },
    });
    expect(optionCodes({ min: 10, max: 10 })).toEqual({});
    expect(optionCodes({ min: 10, max: 0 })).toEqual({});
  });

  it('COL-61 only the field "id" is the primary key, and there is one', () => {
    const id = field({ id: 'f0', name: 'id', primaryKey: true });
    expect(optionCodes({ id: 'f0', name: 'id', primaryKey: true })).toEqual({});
    expect(optionCodes({ primaryKey: true })).toEqual({ name: 'validation_in_invalid' });
    expect(optionCodes({ primaryKey: true }, id)).toEqual({
      name: 'validation_in_invalid',
      primaryKey: 'validation_unsupported_composite_pk',
    });
  });

  it('COL-61 patterns to generate from', () => {
    expect(optionCodes({ autogeneratePattern: '[a-z]{5}' })).toEqual({});
    expect(optionCodes({ autogeneratePattern: '[a-z' })).toEqual({ autogeneratePattern: 'validation_invalid_regex' });
    expect(optionCodes({ autogeneratePattern: '^a$' })).toEqual({
      autogeneratePattern: 'validation_invalid_autogenerate_pattern',
    });
    const value = { autogeneratePattern: 'validation_invalid_autogenerate_pattern_value' };
    expect(optionCodes({ autogeneratePattern: 'abc', min: 4 })).toEqual(value);
    expect(optionCodes({ autogeneratePattern: 'abc', max: 2 })).toEqual(value);
    expect(optionCodes({ autogeneratePattern: 'abc', pattern: '^x' })).toEqual(value);
    expect(optionCodes({ autogeneratePattern: '(abc){0}', required: true })).toEqual(value);
  });

  it('COL-62 an empty value of a new record is generated, and of no other', () => {
    const generated = field({ autogeneratePattern: '[a-z]{5}' });
    const moment = { isNew: true, now: '' };
    expect(type.complete('', generated, moment)).toMatch(/^[a-z]{5}$/);
    expect(type.complete('given', generated, moment)).toBe('given');
    expect(type.complete('', generated, { ...moment, isNew: false })).toBe('');
    expect(type.complete('', field(), moment)).toBe('');
  });

  it('COL-62 a prefix is followed by a generated text, or stands alone without a pattern', () => {
    expect(type.autogenerate('x-', field({ autogeneratePattern: '[0-9]{3}' }))).toMatch(/^x-[0-9]{3}$/);
    expect(type.autogenerate(null, field({ autogeneratePattern: '[0-9]{3}' }))).toMatch(/^[0-9]{3}$/);
    expect(type.autogenerate('x-', field())).toBe('x-');
  });
});

describe('the field id', () => {
  const id = { name: 'id', primaryKey: true, required: true, min: 15, max: 15, pattern: '^[a-z0-9]+$' };
  const custom = { ...id, min: 0, max: 0, pattern: '' };
  const good = 'abcdefghijklmno';

  it('COL-62 is required and has to fit its own options', async () => {
    expect(await codeOf('', id)).toBe('validation_required');
    expect(await codeOf('', { ...id, required: false })).toBe('validation_required');
    expect(await codeOf('short', id)).toBe('validation_min_text_constraint');
    expect(await codeOf('abcdefghijklmnop', id)).toBe('validation_max_text_constraint');
    expect(await codeOf('ABCDEFGHIJKLMNO', id)).toBe('validation_invalid_format');
    expect(await codeOf(good, id)).toBeUndefined();
  });

  it('COL-62 with the default pattern a taken id is not unique, compared exactly', async () => {
    const asked: [string, boolean][] = [];
    const outside = checks({
      idTaken: (value, ignoreCase) => {
        asked.push([value, ignoreCase]);
        return Promise.resolve(true);
      },
    });
    expect(await codeOf(good, id, outside)).toBe('validation_not_unique');
    expect(asked).toEqual([[good, false]]);
  });

  it('COL-62 with another pattern a taken id is refused ignoring case', async () => {
    const outside = checks({ idTaken: (_value, ignoreCase) => Promise.resolve(ignoreCase) });
    expect(await codeOf('Abc', custom, outside)).toBe('validation_pk_invalid');
  });

  it.each(['.', '/', '\\', '|', '"', "'", '`', '<', '>', ':', '?', '*', '%', '$', '\0', '\t', '\n', '\r', ' '])(
    'COL-62 with another pattern %j is forbidden',
    async (character) => {
      expect(await codeOf(`a${character}b`, custom)).toBe('validation_forbidden_pk_character');
      expect(await codeOf(character, custom)).toBe('validation_forbidden_pk_character');
    },
  );

  it.each(['CON', 'prn', 'Aux', 'NUL', 'com1', 'COM9', 'lpt1', 'LPT9'])('COL-62 %s is reserved', async (value) => {
    expect(await codeOf(value, custom)).toBe('validation_reserved_pk');
  });

  it.each(['CONS', 'COM0', 'COM10', 'a-b_c', 'ünïcode', '#1'])('COL-62 %s is not', async (value) => {
    expect(await codeOf(value, custom)).toBeUndefined();
  });

  it('COL-62 of a stored record cannot be changed, and is not judged again', async () => {
    const outside = checks({ original: () => 'OLD', idTaken: () => Promise.resolve(true) });
    expect(await codeOf('OLD', id, outside)).toBeUndefined();
    expect(await codeOf('old', id, outside)).toBe('validation_pk_change');
    expect(await codeOf('', id, outside)).toBe('validation_pk_change');
  });

  it('COL-62 AUTH-606 must not be used by an account of another auth collection', async () => {
    const outside = checks({ authIdTaken: (value) => Promise.resolve(value === good) });
    expect(await codeOf(good, id, outside)).toBe('validation_invalid_auth_id');
    expect(await codeOf('Abc', custom, outside)).toBeUndefined();
  });
});
