import { describe, expect, it } from 'vitest';
import { jsonError } from './json-error.js';

describe('jsonError', () => {
  it.each([
    ['{"a": 1, b: 2}', 9],
    ['[1, 2, x]', 7],
    ['{"a": tru}', 6],
    ['{"a": 1', 7],
    ['{"a" 1}', 5],
  ])('%s fails at %i', (text, from) => {
    expect(jsonError(text)?.from).toBe(from);
  });

  it.each(['', '  ', '[]', '{"a": [1, null]}'])('%j is as it should be', (text) => {
    expect(jsonError(text)).toBeUndefined();
  });
});
