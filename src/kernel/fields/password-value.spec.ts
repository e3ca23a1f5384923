import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PasswordValue } from './password-value.js';

const SECRET = 'very-secret-text';
const HASH = '$2b$10$abcdefghijklmnopqrstuv';

describe('password values', () => {
  it('AUTH-504 show neither the plain text nor the hash unless they are asked for', () => {
    const value = PasswordValue.fromPlain(SECRET).withHash(HASH);
    const shown = [
      JSON.stringify({ value, list: [value] }),
      inspect(value),
      inspect({ value }, { showHidden: true, depth: 9, getters: true }),
      String(value),
      `${value}`,
      JSON.stringify({ ...value }),
      JSON.stringify(Object.entries(value)),
      JSON.stringify(structuredClone({ ...value })),
      new Error('failed', { cause: value }).toString(),
      inspect(new Error('failed', { cause: value })),
    ];
    for (const text of shown) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('$2b$');
    }
    expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value: '' });
    expect(value.plain).toBe(SECRET);
    expect(value.hash).toBe(HASH);
  });

  it('COL-74 know what they are', () => {
    expect(PasswordValue.fromPlain('')).toBe(PasswordValue.NONE);
    expect(PasswordValue.fromHash('')).toBe(PasswordValue.NONE);
    expect(PasswordValue.NONE.isEmpty).toBe(true);
    expect(PasswordValue.NONE.needsHash).toBe(false);
    expect(PasswordValue.fromPlain('x').needsHash).toBe(true);
    expect(PasswordValue.fromPlain('x').isEmpty).toBe(false);
    expect(PasswordValue.fromPlain('x').withHash(HASH).needsHash).toBe(false);
    expect(PasswordValue.fromHash(HASH).plain).toBeUndefined();
  });
});
