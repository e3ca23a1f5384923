import { describe, expect, it } from 'vitest';
import { isElsewhere } from './is-elsewhere.js';

describe('isElsewhere', () => {
  it.each([
    ['https://elsewhere.example/a.png', true],
    ['http://roost.example/a.png', true],
    ['https://roost.example/api/files/a', false],
    ['/api/files/a', false],
    ['https://', false],
    ['data:image/png;base64,AA', false],
    ['', false],
  ])('%s: %s', (address, is) => {
    expect(isElsewhere(address, 'https://roost.example/_/#/collections')).toBe(is);
  });
});
