import { describe, expect, it } from 'vitest';
import { builtinFieldTypes } from './builtin-field-types.js';
import { FieldTypeRegistry } from './field-type-registry.js';
import { normalizeFieldDefinition } from './normalize-field-definition.js';

const types = new FieldTypeRegistry(builtinFieldTypes());
const normalize = (raw: unknown) => normalizeFieldDefinition(raw, types);
const errorsOf = (raw: unknown) => {
  const { errors } = normalize(raw);
  return Object.fromEntries(
    Object.entries(errors ?? {}).map(([name, error]) => [name, (error as { code: string }).code]),
  );
};
const common = { id: '', system: false, hidden: false, presentable: false, required: false, help: '' };

describe('field definitions', () => {
  it.each<[string, object]>([
    ['text', { min: 0, max: 0, pattern: '', autogeneratePattern: '', primaryKey: false }],
    ['editor', { maxSize: 0, convertURLs: false }],
    ['number', { min: null, max: null, onlyInt: false }],
    ['bool', {}],
    ['email', { exceptDomains: null, onlyDomains: null }],
    ['url', { exceptDomains: null, onlyDomains: null }],
    ['date', { min: '', max: '' }],
    ['select', { values: null, maxSelect: 0 }],
    ['json', { maxSize: 0 }],
    ['file', { maxSize: 0, maxSelect: 0, mimeTypes: null, thumbs: null, protected: false }],
    ['relation', { collectionId: '', cascadeDelete: false, minSelect: 0, maxSelect: 0 }],
    ['autodate', { onCreate: false, onUpdate: false }],
    ['password', { min: 0, max: 0, pattern: '', cost: 0 }],
    ['geoPoint', {}],
  ])('COL-40 %s has the common properties and its options at their defaults', (type, options) => {
    expect(normalize({ name: 'f', type }).definition).toEqual({ ...common, name: 'f', type, ...options });
  });

  it('COL-40 what is given is kept, what is unknown is dropped', () => {
    expect(normalize({ name: 'f', type: 'bool', required: true, hidden: true, unknown: 1, min: 5 }).definition).toEqual(
      {
        ...common,
        name: 'f',
        type: 'bool',
        required: true,
        hidden: true,
      },
    );
  });

  it('COL-40 autodate is never required', () => {
    expect(normalize({ name: 'f', type: 'autodate', required: true }).definition!.required).toBe(false);
  });

  it('COL-41 FS-1 names are matched exactly first, then ignoring case, and come out in camelCase', () => {
    const { definition } = normalize({
      Name: 'f',
      TYPE: 'file',
      MaxSize: 5,
      maxSize: 7,
      MAXSELECT: 2,
      MimeTypes: ['a/b'],
      Thumbs: ['1x1'],
      Protected: true,
      Required: true,
    });
    expect(definition).toEqual({
      ...common,
      name: 'f',
      type: 'file',
      required: true,
      maxSize: 7,
      maxSelect: 2,
      mimeTypes: ['a/b'],
      thumbs: ['1x1'],
      protected: true,
    });
  });

  it('COL-42 null stands for the default', () => {
    const { definition } = normalize({
      id: null,
      name: 'f',
      type: 'file',
      required: null,
      maxSize: null,
      thumbs: null,
    });
    expect(definition).toMatchObject({ id: '', required: false, maxSize: 0, thumbs: null });
    expect(normalize({ name: 'f', type: 'select', values: [] }).definition!['values']).toEqual([]);
  });

  it('COL-42 an unknown or missing type is refused at the type', () => {
    expect(errorsOf({ name: 'f', type: 'nothing' })).toEqual({ type: 'validation_in_invalid' });
    expect(errorsOf({ name: 'f', type: 'Text' })).toEqual({ type: 'validation_in_invalid' });
    expect(errorsOf({ name: 'f', type: 'constructor' })).toEqual({ type: 'validation_in_invalid' });
    expect(errorsOf({ name: 'f' })).toEqual({ type: 'validation_required' });
    expect(errorsOf({ name: 'f', type: 5 })).toEqual({ type: 'validation_unsupported_value_type' });
  });

  it('COL-42 values of the wrong JSON type are refused, all of them together', () => {
    const wrong = 'validation_unsupported_value_type';
    expect(errorsOf({ name: 5, type: 'text', min: '5', max: 1.5, pattern: 1, primaryKey: 'true', system: 1 })).toEqual({
      name: wrong,
      system: wrong,
      min: wrong,
      max: wrong,
      pattern: wrong,
      primaryKey: wrong,
    });
    expect(errorsOf({ name: 'f', type: 'select', values: 'a' })).toEqual({ values: wrong });
    expect(errorsOf({ name: 'f', type: 'select', values: ['a', 1] })).toEqual({ values: wrong });
    expect(errorsOf({ name: 'f', type: 'number', min: '5' })).toEqual({ min: wrong });
    expect(errorsOf({ name: 'f', type: 'date', min: 5 })).toEqual({ min: wrong });
    for (const raw of [null, undefined, 'text', 5, []]) {
      expect(normalize(raw).errors).toMatchObject({ code: wrong });
    }
  });

  it('COL-68 limits of dates are brought into the product format', () => {
    expect(normalize({ name: 'f', type: 'date', min: '2024-01-01', max: '' }).definition).toMatchObject({
      min: '2024-01-01 00:00:00.000Z',
      max: '',
    });
    expect(errorsOf({ name: 'f', type: 'date', max: 'soon' })).toEqual({ max: 'validation_invalid_value' });
  });

  it('COL-40 normalizing once more changes nothing', () => {
    for (const name of types.names()) {
      const { definition } = normalize({ name: 'f', type: name });
      expect(normalize(definition).definition).toEqual(definition);
    }
  });
});
