import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Collection, type CollectionData } from '../collections/collection.js';
import { builtinFieldTypes } from '../fields/builtin-field-types.js';
import { FieldTypeRegistry } from '../fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../fields/normalize-field-definition.js';
import { PasswordValue } from '../fields/password-value.js';
import type { Upload } from '../files/upload.js';
import { RecordModel } from './record-model.js';

const types = new FieldTypeRegistry(builtinFieldTypes());

function collection(type: 'base' | 'auth', ...fields: object[]): Collection {
  const definitions = fields.map((field) => normalizeFieldDefinition(field, types).definition!);
  const data = { id: 'pbc_1', name: 'posts', type, system: false, fields: definitions, indexes: [] };
  return new Collection(data as unknown as CollectionData, types);
}

const posts = collection(
  'base',
  { name: 'id', type: 'text', primaryKey: true },
  { name: 'title', type: 'text' },
  { name: 'count', type: 'number' },
  { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
  { name: 'data', type: 'json' },
  { name: 'docs', type: 'file', maxSelect: 3 },
);
const row = { id: 'r1', title: 'Hi', count: 2, tags: '["a"]', data: '{"x":1}', docs: '["old.png"]' };
const upload = (name: string) => ({ name }) as Upload;

describe('a record', () => {
  let record: RecordModel;

  beforeEach(() => {
    record = RecordModel.fromRow(posts, row);
  });

  it('JSON-2 that is new has zero values', () => {
    const blank = RecordModel.blank(posts);
    expect(blank.isNew).toBe(true);
    expect(blank.toRow()).toEqual({ id: '', title: '', count: 0, tags: '[]', data: null, docs: '[]' });
    expect(blank.changedFields()).toEqual([]);
    expect(blank.original('tags')).toEqual([]);
  });

  it('COL-54 casts what is set and ignores unknown names', () => {
    record.set('count', '7');
    record.set('tags', ['b', 'b', '']);
    record.set('nothing', 1);
    expect(record.get('count')).toBe(7);
    expect(record.get('tags')).toEqual(['b']);
    expect(record.get('nothing')).toBeUndefined();
    expect(record.original('nothing')).toBeUndefined();
    expect(record.changedFields()).toEqual(['count', 'tags']);
  });

  it('BODY-12 only what would be stored differently has changed', () => {
    record.set('title', 'Hi');
    record.set('tags', 'a');
    expect(record.changedFields()).toEqual([]);
    record.set('title', 'Ho');
    record.set('title', 'Hi');
    expect(record.changedFields()).toEqual([]);
  });

  it('OPS-39 tells of one field without a look at the others, whose lists may be long', () => {
    record.set('title', 'Ho');
    record.set('count', row['count']);
    record.set('tags', ['b']);
    const read = vi.spyOn(posts.typeOf(posts.field('tags')!), 'fromColumn');
    expect(['title', 'count', 'docs'].map((name) => record.isChanged(name))).toEqual([true, false, false]);
    expect(read).not.toHaveBeenCalled();
    expect(record.isChanged('tags')).toBe(true);
    read.mockRestore();
  });

  it('BODY-12 a value changed in place has changed', () => {
    (record.get('data') as { x: number }).x = 2;
    expect(record.changedFields()).toEqual(['data']);
    expect(record.original('data')).toEqual({ x: 1 });
  });

  it('JSON-8 reads back what is stored', () => {
    record.set('data', { when: new Date(0) });
    record.markStored();
    expect(record.isNew).toBe(false);
    expect(record.get('data')).toEqual({ when: '1970-01-01T00:00:00.000Z' });
    expect(record.changedFields()).toEqual([]);
  });

  it('COL-53 a column that is missing or broken reads as something', () => {
    const broken = RecordModel.fromRow(posts, { id: 'r2', tags: 'broken[', data: '{' });
    expect(broken.get('title')).toBe('');
    expect(broken.get('tags')).toEqual(['broken[']);
    expect(broken.get('data')).toBe('{');
  });

  it('FS-6 only uploads whose names are in the value count', () => {
    record.addUploads('docs', [upload('a.png')]);
    record.addUploads('docs', [upload('b.png')]);
    record.set('docs', ['old.png', 'b.png']);
    expect(record.uploads('docs').map(({ name }) => name)).toEqual(['b.png']);
    expect(record.uploads('title')).toEqual([]);
    record.markStored();
    expect(record.uploads('docs')).toEqual([]);
  });

  it('TX-1 a snapshot is the stored record, whatever happens to this one', () => {
    record.set('title', 'Ho');
    const snapshot = record.snapshot();
    expect(snapshot.get('title')).toBe('Hi');
    record.markStored();
    expect(snapshot.get('title')).toBe('Hi');
    expect(record.snapshot().get('title')).toBe('Ho');
  });

  it('COL-62 takes a value a type made without casting it again', () => {
    const value = ['a', 'a'];
    record.setValue('tags', value);
    record.setValue('nothing', value);
    expect(record.get('tags')).toBe(value);
    expect(record.changedFields()).toEqual(['tags']);
  });
});

describe('a record of an auth collection', () => {
  const users = collection(
    'auth',
    { name: 'id', type: 'text', primaryKey: true },
    { name: 'email', type: 'email' },
    { name: 'emailVisibility', type: 'bool' },
    { name: 'password', type: 'password', hidden: true },
    { name: 'pin', type: 'password' },
    { name: 'tokenKey', type: 'text', hidden: true },
  );
  const stored = {
    id: 'u1',
    email: 'ann@x.io',
    emailVisibility: 0,
    password: '$2b$10$hash',
    pin: '$2b$10$pin',
    tokenKey: 'very-secret-key',
  };

  it('AUTH-504 AUTH-607 shows no secret by accident', () => {
    const record = RecordModel.fromRow(users, stored);
    record.set('password', 'plain-secret');
    for (const text of [JSON.stringify({ record }), inspect({ record }, { depth: 9, showHidden: true })]) {
      for (const secret of ['plain-secret', '$2b$10$', 'very-secret-key', 'ann@x.io'])
        expect(text).not.toContain(secret);
    }
    expect(JSON.parse(JSON.stringify(record))).toEqual({
      collectionId: 'pbc_1',
      collectionName: 'posts',
      id: 'u1',
      emailVisibility: false,
      pin: '',
    });
  });

  it('JSON-6 shows an email that everybody may see', () => {
    expect(RecordModel.fromRow(users, { ...stored, emailVisibility: 1 }).toJSON()).toHaveProperty('email', 'ann@x.io');
  });

  it('AUTH-504 forgets the plain password once it is stored', () => {
    const record = RecordModel.fromRow(users, stored);
    record.set('password', 'plain-secret');
    expect(record.changedFields()).toEqual(['password']);
    record.setValue('password', (record.get('password') as PasswordValue).withHash('$2b$10$new'));
    expect(record.toRow()['password']).toBe('$2b$10$new');
    record.markStored();
    expect(record.get('password')).toMatchObject({ hash: '$2b$10$new', plain: undefined });
  });
});
