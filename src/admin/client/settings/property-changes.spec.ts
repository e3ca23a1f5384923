import { describe, expect, it } from 'vitest';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { newField } from '../fields/field-types.js';
import { propertyChanges } from './property-changes.js';

const title = { ...newField('text', 'title'), id: 'f1' } as FieldModel;
const views = { ...newField('number', 'views'), id: 'f2' } as FieldModel;
const collection = (change: object = {}) =>
  ({
    id: 'c',
    name: 'posts',
    type: 'auth',
    listRule: '',
    authRule: '',
    fields: [title, views],
    indexes: ['CREATE INDEX a ON posts (title)'],
    otp: { enabled: false, length: 8 },
    ...change,
  }) as unknown as CollectionModel;
const changes = (change: object) =>
  propertyChanges(collection(), collection(change)).map(
    ({ field, property, from, to }) => `${field}.${property}: ${from ?? '–'} > ${to ?? '–'}`,
  );

describe('propertyChanges', () => {
  it.each([
    ['nothing', {}, []],
    ['a name', { name: 'news' }, ['.name: posts > news']],
    ['a rule that is closed', { listRule: null }, ['.listRule: Everyone > Superusers only']],
    ['the rule of signing in', { authRule: null }, ['.authRule: Everyone > Nobody']],
    ['a part of an option', { otp: { enabled: true, length: 8 } }, ['.otp.enabled: false > true']],
    [
      'a field that comes',
      { fields: [title, views, { ...newField('bool', 'on'), required: true }] },
      ['on.: – > bool, required'],
    ],
    ['a field that goes', { fields: [title] }, ['views.: number > –']],
    ['a field under another name', { fields: [{ ...title, name: 'head' }, views] }, ['title.name: title > head']],
    ['an option of a field', { fields: [{ ...title, max: 10 }, views] }, ['title.max: 0 > 10']],
    ['an option that is a list', { fields: [{ ...title, values: ['a', 'b'] }, views] }, ['title.values: empty > a, b']],
    ['what says nothing in other words', { fields: [{ ...title, pattern: null }, views] }, []],
    ['other ids of the same fields', { fields: [{ ...title, id: 'x' }, views] }, []],
    [
      'an index',
      { indexes: ['CREATE INDEX b ON posts (views)'] },
      ['.index: CREATE INDEX a ON posts (title) > –', '.index: – > CREATE INDEX b ON posts (views)'],
    ],
  ])('tells of %s', (_what, change, told) => {
    expect(changes(change)).toEqual(told);
  });
});
