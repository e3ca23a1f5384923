import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinFieldTypes } from './builtin-field-types.js';
import { FieldTypeRegistry } from './field-type-registry.js';
import { normalizeFieldDefinition } from './normalize-field-definition.js';
import { PasswordValue } from './password-value.js';

const types = new FieldTypeRegistry(builtinFieldTypes());
const NAMES = 'text editor number bool email url date select json file relation autodate password geoPoint'.split(' ');

const define = (type: string, options: object = {}) =>
  normalizeFieldDefinition({ name: 'f', type, ...options }, types).definition!;
const definitions = [
  ...NAMES.map((type) => define(type)),
  ...['select', 'file', 'relation'].map((type) => define(type, { maxSelect: 3 })),
];

describe('built-in field types', () => {
  it('COL-40 are these', () => {
    expect(types.names()).toEqual(NAMES);
  });

  it('COL-53 JSON-2 every type has a zero value', () => {
    const zeros = Object.fromEntries(
      definitions.map((field) => {
        const type = types.get(field.type);
        const value = type.normalize(undefined, field);
        return [field.type + (type.isMultiple(field) ? '[]' : ''), type.toJson ? type.toJson(value, field) : value];
      }),
    );
    expect(zeros).toEqual({
      text: '',
      editor: '',
      number: 0,
      bool: false,
      email: '',
      url: '',
      date: '',
      select: '',
      json: null,
      file: '',
      relation: '',
      autodate: '',
      password: '',
      geoPoint: { lon: 0, lat: 0 },
      'select[]': [],
      'file[]': [],
      'relation[]': [],
    });
  });

  it('COL-53 only json columns may be NULL', () => {
    for (const field of definitions) {
      const type = types.get(field.type);
      expect(type.toColumn(type.normalize(null, field), field) === null, field.type).toBe(field.type === 'json');
    }
  });

  it('COL-53 COL-54 COL-55 casting anything gives a value that can be checked, stored, read back and cast again', () => {
    const raws = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.double(),
      fc.constantFrom('true', '["a"]', '{"lon":1}', 'NaN'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...definitions), raws, (field, raw) => {
        const type = types.get(field.type);
        const value = type.normalize(raw, field);
        const column = type.toColumn(value, field);
        expect(column === null || typeof column === 'string' || Number.isFinite(column)).toBe(true);
        if (value instanceof PasswordValue || field.type === 'json') return;
        expect(type.normalize(value, field)).toEqual(value);
        const again = type.fromColumn(column, field);
        expect(type.toColumn(again, field)).toEqual(
          type.toColumn(type.fromColumn(type.toColumn(again, field), field), field),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('COL-53 no column throws, whatever is in it', () => {
    const stored = fc.oneof(
      fc.string(),
      fc.double(),
      fc.constant(null),
      fc.bigInt(),
      fc.uint8Array({ maxLength: 20 }),
      fc.json(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...definitions), stored, (field, column) => {
        const type = types.get(field.type);
        const value = type.fromColumn(column, field);
        if (type.isMultiple(field)) expect(Array.isArray(value)).toBe(true);
        type.toColumn(value, field);
      }),
      { numRuns: 500 },
    );
  });

  it('COL-57 only these types have modifiers', () => {
    const withModifiers = types.names().filter((name) => types.get(name).modifiers);
    expect(withModifiers).toEqual(['number', 'select', 'file', 'relation']);
  });

  it('REC-13 only these types let a body be longer', () => {
    const withAllowance = types.names().filter((name) => types.get(name).bodyAllowance);
    expect(withAllowance).toEqual(['editor', 'json', 'file']);
  });
});
