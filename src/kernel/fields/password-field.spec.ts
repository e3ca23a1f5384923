import { describe, expect, it } from 'vitest';
import { PasswordField, type PasswordDefinition } from './password-field.js';
import { PasswordValue } from './password-value.js';

const type = new PasswordField();
const field = (options: Partial<PasswordDefinition> = {}) =>
  ({ required: false, min: 0, max: 0, pattern: '', cost: 0, ...options }) as PasswordDefinition;
const codeOf = (raw: unknown, options: Partial<PasswordDefinition> = {}) =>
  type.validate(type.normalize(raw), field(options))?.code;
const optionCodes = (options: Partial<PasswordDefinition>) =>
  Object.fromEntries(Object.entries(type.checkOptions(field(options))).map(([name, { code }]) => [name, code]));

describe('password fields', () => {
  it('COL-74 cast to text; what is empty clears the password', () => {
    expect(type.normalize('secret').plain).toBe('secret');
    expect(type.normalize(12345678).plain).toBe('12345678');
    for (const raw of ['', null, undefined, {}, ['x']]) expect(type.normalize(raw).isEmpty).toBe(true);
    const value = PasswordValue.fromHash('$2b$...');
    expect(type.normalize(value)).toBe(value);
    expect(type.isZero(PasswordValue.NONE)).toBe(true);
  });

  it('COL-74 AUTH-501 store the hash and nothing else', () => {
    const hashed = PasswordValue.fromPlain('secret').withHash('$2b$10$x');
    expect(type.toColumn(hashed)).toBe('$2b$10$x');
    expect(type.fromColumn('$2b$10$x').hash).toBe('$2b$10$x');
    expect(type.fromColumn('$2b$10$x').plain).toBeUndefined();
    expect(type.toColumn(PasswordValue.NONE)).toBe('');
    expect(type.toColumn(PasswordValue.fromPlain('secret'))).toBe('*');
    expect(type.column()).toBe('text');
    expect(type.operandKind()).toBe('T');
  });

  it('COL-74 read as an empty text', () => {
    expect(type.toJson()).toBe('');
  });

  it('COL-74 AUTH-502 lengths count characters, 71 at most by default', () => {
    expect(type.validate(type.normalize('👍👍'), field({ min: 3 }))).toMatchObject({
      code: 'validation_min_text_constraint',
      params: { min: 3 },
    });
    expect(codeOf('x'.repeat(71))).toBeUndefined();
    expect(type.validate(type.normalize('x'.repeat(72)), field())).toMatchObject({
      code: 'validation_max_text_constraint',
      params: { max: 71 },
    });
    expect(codeOf('12345', { max: 4 })).toBe('validation_max_text_constraint');
  });

  it('COL-74 AUTH-502 what bcrypt would cut off is refused', () => {
    expect(codeOf('é'.repeat(36))).toBeUndefined();
    expect(codeOf('é'.repeat(37))).toBe('validation_max_text_constraint');
    expect(codeOf('pass\0word')).toBe('validation_invalid_format');
  });

  it('COL-74 the pattern', () => {
    expect(codeOf('abc', { pattern: '^\\d+$' })).toBe('validation_invalid_format');
    expect(codeOf('123', { pattern: '^\\d+$' })).toBeUndefined();
  });

  it('COL-55 AUTH-505 required; a hash alone is not judged', () => {
    expect(codeOf('', { required: true })).toBe('validation_required');
    expect(codeOf('', { min: 8 })).toBeUndefined();
    expect(codeOf(PasswordValue.fromHash('$2b$10$x'), { required: true, min: 50 })).toBeUndefined();
    expect(codeOf(PasswordValue.fromPlain('x').withHash('$2b$10$x'), { min: 8 })).toBe(
      'validation_min_text_constraint',
    );
  });

  it('COL-74 options', () => {
    expect(optionCodes({})).toEqual({});
    expect(optionCodes({ min: 71, max: 71, cost: 31 })).toEqual({});
    expect(optionCodes({ cost: 4 })).toEqual({});
    expect(optionCodes({ min: 72 })).toEqual({ min: 'validation_max_less_equal_than_required' });
    expect(optionCodes({ min: -1 })).toEqual({ min: 'validation_min_greater_equal_than_required' });
    expect(optionCodes({ max: 72 })).toEqual({ max: 'validation_max_less_equal_than_required' });
    expect(optionCodes({ min: 8, max: 7 })).toEqual({ max: 'validation_min_greater_equal_than_required' });
    expect(optionCodes({ cost: 3 })).toEqual({ cost: 'validation_min_greater_equal_than_required' });
    expect(optionCodes({ cost: 32 })).toEqual({ cost: 'validation_max_less_equal_than_required' });
    expect(optionCodes({ pattern: '(' })).toEqual({ pattern: 'validation_invalid_regex' });
  });
});
