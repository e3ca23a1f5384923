import { describe, expect, it } from 'vitest';
import { ValidationError } from './validation.error.js';

describe('a refusal of values', () => {
  it('OPS-163 says in one line what is wrong with each of them', () => {
    const wrong = (message: string) => ({ code: 'validation_required', message });
    const error = new ValidationError({ a: wrong('Fill in.'), b: { 0: { c: wrong('Too long.') } } }, 'Refused.');
    expect(error.toLine()).toBe('Refused. a: Fill in. b.0.c: Too long.');
  });
});
