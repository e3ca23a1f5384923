import { describe, expect, it } from 'vitest';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { newField } from '../fields/field-types.js';
import { exampleParameters, recordParameters } from './body-parameters.js';

const field = (type: string, name: string, options: object = {}) =>
  ({ ...newField(type, name), ...options }) as FieldModel;
const collection = (type: string, fields: FieldModel[]) => ({ type, fields }) as unknown as CollectionModel;

describe('parameters of a body', () => {
  it.each([
    ['text', {}, 'String', ''],
    ['text', { min: 2, max: 9, help: 'Short.' }, 'String', 'From 2 to 9 characters. Short.'],
    ['number', { onlyInt: true, min: 1 }, 'Number', 'A whole number, min 1'],
    ['select', { values: ['a', 'b'], maxSelect: 2 }, 'String[]', 'One of a, b; max 2'],
    ['relation', { maxSelect: 1 }, 'Record id', ''],
    ['relation', { maxSelect: 5 }, 'Record id[]', 'Max 5'],
    ['file', { maxSize: 2048, mimeTypes: ['image/png'] }, 'File', 'Up to 2 KiB; image/png'],
    ['date', { min: '2026-01-01 00:00:00.000Z' }, 'Date', 'From 2026-01-01 00:00:00.000Z'],
    ['geoPoint', {}, '{ lon, lat }', ''],
    ['editor', {}, 'String', 'HTML'],
  ])('tell the type and bounds of %s %j', (type, options, shown, about) => {
    expect(recordParameters(collection('base', [field(type, 'x', options)]), true)).toEqual([
      { name: 'x', type: shown, required: false, about },
    ]);
  });

  it('are required only where a record is made and nothing is generated', () => {
    const fields = [
      field('text', 'id', { required: true, autogeneratePattern: '[a-z]{15}' }),
      field('text', 'title', { required: true }),
      field('text', 'secret', { hidden: true }),
      field('autodate', 'created'),
    ];
    const names = (isNew: boolean) =>
      recordParameters(collection('base', fields), isNew).map(({ name, required }) => [name, required]);
    expect(names(true)).toEqual([
      ['id', false],
      ['title', true],
    ]);
    expect(names(false)).toEqual([['title', false]]);
  });

  it('of accounts have passwords', () => {
    const account = collection('auth', [field('password', 'password', { hidden: true }), field('email', 'email')]);
    const names = (isNew: boolean) => recordParameters(account, isNew).map(({ name }) => name);
    expect(names(true)).toEqual(['email', 'password', 'passwordConfirm']);
    expect(names(false)).toEqual(['email', 'oldPassword', 'password', 'passwordConfirm']);
  });

  it('come from the example of other requests', () => {
    expect(exampleParameters({ identity: 'a', requests: [] })).toEqual([
      { name: 'identity', type: 'String', required: true, about: expect.stringContaining('identity fields') as string },
      { name: 'requests', type: 'Object[]', required: true, about: '' },
    ]);
  });
});
