import { describe, expect, it } from 'vitest';
import type { FieldModel } from '../api/collection-model.js';
import { hasUnknownOptions, ownOptions, readOwnOptions } from './own-options.js';

const field = {
  id: 'f',
  name: 'stars',
  type: 'rating',
  hidden: false,
  help: '',
  max: 5,
  unit: undefined,
} as never as FieldModel;

describe('the options of a type of a team', () => {
  it('UI-41 are what a field has beside what all fields have', () => {
    expect(ownOptions(field)).toEqual({ max: 5 });
  });

  it('UI-41 are asked for where there are some, or a new field may get some', () => {
    const of = (more: object) => hasUnknownOptions({ ...field, max: undefined, ...more } as FieldModel);
    expect([of({ max: 5 }), of({ id: '' }), of({}), of({ type: 'bool', max: 5 })]).toEqual([true, true, false, false]);
  });

  it('UI-41 are read from JSON, and what is taken out has its default again', () => {
    expect(readOwnOptions(field, '{"min": 1}')).toStrictEqual({ change: { max: undefined, min: 1 } });
    expect(readOwnOptions(field, ' ')).toStrictEqual({ change: { max: undefined } });
  });

  it.each([
    ['{"max": }', 'This is no JSON'],
    ['[1]', 'are an object'],
    ['null', 'are an object'],
    ['{"hidden": true}', '“hidden” is not an option'],
  ])('UI-41 are not taken from %s', (text, error) => {
    expect(readOwnOptions(field, text).error).toContain(error);
  });
});
