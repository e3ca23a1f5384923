import { describe, expect, it } from 'vitest';
import { parseBodyKey } from './value-modifiers.js';

describe('body keys', () => {
  it.each([
    ['tags', 'tags', 'set'],
    ['tags+', 'tags', 'append'],
    ['+tags', 'tags', 'prepend'],
    ['tags-', 'tags', 'remove'],
    ['tags:autogenerate', 'tags', 'autogenerate'],
    ['5', '5', 'set'],
  ])('COL-57 COL-62 %s is %s: %s', (key, name, action) => {
    expect(parseBodyKey(key)).toEqual({ name, action });
  });

  it.each([
    '',
    '+',
    '-',
    '-tags',
    '+tags+',
    '+tags-',
    'tags++',
    'tags+-',
    'ta gs',
    'tags:',
    'tags:each',
    ':autogenerate',
    'tags:autogenerate+',
    '+tags:autogenerate',
    'tags+\n',
    'a.b',
  ])('COL-57 %j is no field key', (key) => {
    expect(parseBodyKey(key)).toBeUndefined();
  });
});
