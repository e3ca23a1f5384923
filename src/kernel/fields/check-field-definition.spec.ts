import { describe, expect, it } from 'vitest';
import { builtinFieldTypes } from './builtin-field-types.js';
import { checkFieldDefinition, checkFieldName } from './check-field-definition.js';
import { FieldTypeRegistry } from './field-type-registry.js';
import { normalizeFieldDefinition } from './normalize-field-definition.js';

const types = new FieldTypeRegistry(builtinFieldTypes());
const errorsOf = (raw: object) => {
  const definition = normalizeFieldDefinition({ id: 'f1', name: 'f', type: 'text', ...raw }, types).definition!;
  const context = {
    fields: [definition],
    collection: { id: 'c', name: 'posts', type: 'base' },
    collectionType: () => undefined,
  };
  const errors = checkFieldDefinition(definition, context, types);
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error['code']]));
};

describe('checks of field definitions', () => {
  it.each(['title', 'a', '5', '_x', 'X_9', 'password', 'passwordConfirm', 'Null', 'EXPAND', 'x'.repeat(100)])(
    'COL-28 %s is a name',
    (name) => {
      expect(checkFieldName(name)).toBeUndefined();
    },
  );

  it.each([
    ['', 'validation_required'],
    ['x'.repeat(101), 'validation_length_out_of_range'],
    ['my field', 'validation_match_invalid'],
    ['naïve', 'validation_match_invalid'],
    ['a-b', 'validation_match_invalid'],
    ['a.b', 'validation_match_invalid'],
    ['a\n', 'validation_match_invalid'],
    ['null', 'validation_not_in_invalid'],
    ['true', 'validation_not_in_invalid'],
    ['false', 'validation_not_in_invalid'],
    ['_rowid_', 'validation_not_in_invalid'],
    ['_ROWID_', 'validation_not_in_invalid'],
    ['__proto__', 'validation_not_in_invalid'],
    ['collectionId', 'validation_not_in_invalid'],
    ['collectionName', 'validation_not_in_invalid'],
    ['expand', 'validation_not_in_invalid'],
    ['posts_via_author', 'validation_found_via'],
    ['posts_VIA_author', 'validation_found_via'],
  ])('COL-28 %j is none: %s', (name, code) => {
    expect(checkFieldName(name)?.code).toBe(code);
  });

  it('COL-27 an id has 1 to 100 characters', () => {
    expect(errorsOf({ id: 'x'.repeat(100) })).toEqual({});
    expect(errorsOf({ id: 'x'.repeat(101) })).toEqual({ id: 'validation_length_out_of_range' });
  });

  it('COL-40 the help text has at most 300 characters', () => {
    expect(errorsOf({ help: '👍'.repeat(300) })).toEqual({});
    expect(errorsOf({ help: 'x'.repeat(301) })).toEqual({ help: 'validation_length_out_of_range' });
  });

  it('COL-55 everything wrong is told at once, the name before what the type says about it', () => {
    expect(errorsOf({ name: 'a b', help: 'x'.repeat(301), min: -1, pattern: '(', primaryKey: true })).toEqual({
      name: 'validation_match_invalid',
      help: 'validation_length_out_of_range',
      min: 'validation_min_greater_equal_than_required',
      pattern: 'validation_invalid_regex',
    });
  });
});
