import { describe, expect, it } from 'vitest';
import { ERROR_TEXTS, fieldError } from './error-codes.js';

describe('error codes', () => {
  it('CONV-2 an error has its code and a sentence, and params only where it has some', () => {
    expect(fieldError('validation_required')).toEqual({ code: 'validation_required', message: 'Please fill this in.' });
    expect(fieldError('validation_min_text_constraint', { min: 5 })).toEqual({
      code: 'validation_min_text_constraint',
      message: 'This needs at least 5 characters.',
      params: { min: 5 },
    });
  });

  it('CONV-2 a reason only the caller knows replaces the sentence', () => {
    expect(fieldError('validation_invalid_rule', undefined, 'There is no field "x".').message).toBe(
      'There is no field "x".',
    );
  });

  it('CONV-2 a parameter is filled in as it is, and a missing one stays visible', () => {
    expect(fieldError('validation_existing_index_name', { usedTableName: '$& {min}' }).message).toContain('$& {min}');
    expect(fieldError('validation_max_text_constraint').message).toContain('{max}');
  });

  it('CONV-2 every code is in the form clients know and every sentence ends as one', () => {
    for (const [code, text] of Object.entries(ERROR_TEXTS)) {
      expect(code).toMatch(/^(validation|batch|expand)_[A-Za-z_]+$/);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});
