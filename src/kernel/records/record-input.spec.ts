import { describe, expect, it } from 'vitest';
import { countedList } from '../counted-list.spec-support.js';
import { Collection, type CollectionData } from '../collections/collection.js';
import { builtinFieldTypes } from '../fields/builtin-field-types.js';
import { FieldTypeRegistry } from '../fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../fields/normalize-field-definition.js';
import { PasswordValue } from '../fields/password-value.js';
import type { Upload } from '../files/upload.js';
import { applyInput, type RecordInput } from './record-input.js';
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
  { name: 'code', type: 'text', autogeneratePattern: '[0-9]{4}' },
  { name: 'n', type: 'number' },
  { name: 'total', type: 'number' },
  { name: 'tags', type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
  { name: 'one', type: 'select', values: ['a', 'b', 'c'] },
  { name: 'data', type: 'json' },
  { name: 'docs', type: 'file', maxSelect: 5 },
  { name: 'cover', type: 'file' },
  { name: 'secret', type: 'text', hidden: true },
  { name: 'secretDocs', type: 'file', hidden: true },
  { name: 'created', type: 'autodate', onCreate: true },
);
const stored = {
  id: 'r1',
  title: 'Hi',
  code: '',
  n: 0,
  total: 2,
  tags: '["a"]',
  one: 'a',
  data: null,
  docs: '["x.png","y.png"]',
  cover: 'c.png',
  secret: 'hush',
  secretDocs: '',
  created: '2024-01-01 00:00:00.000Z',
};

function upload(name: string): Upload {
  return { name, originalName: name, size: 1, truncated: false, mimeType: 'image/png', md5: '', path: '' };
}

/** Lays input over a record in one go. */
function apply(record: RecordModel, input: RecordInput, allowHidden = false): Record<string, unknown> {
  return applyInput(record, input, { allowHidden, pause: () => {} }) as Record<string, unknown>;
}

type Files = Readonly<Record<string, readonly string[]>>;

function send(
  values: Record<string, unknown>,
  files: Files = {},
  options: { isNew?: boolean; allowHidden?: boolean } = {},
) {
  const record = options.isNew ? RecordModel.blank(posts) : RecordModel.fromRow(posts, stored);
  const uploads = new Map(Object.entries(files).map(([key, names]) => [key, names.map(upload)]));
  const body = apply(record, { values, files: uploads }, options.allowHidden);
  return { record, body: { ...body } };
}

describe('record input', () => {
  it('OPS-39 lets others in between two keys, and comes to the same', async () => {
    const values = { 'tags+': ['a'], 'tags-': ['a', 'b'], tags: ['a', 'c'], other: 1 };
    const record = RecordModel.fromRow(posts, stored);
    let pauses = 0;
    const pause = () => {
      pauses++;
      return Promise.resolve();
    };
    const body = await applyInput(record, { values, files: new Map() }, { allowHidden: false, pause });
    expect(pauses).toBe(3);
    const whole = send(values);
    expect({ ...body }).toEqual(whole.body);
    expect(record.get('tags')).toEqual(whole.record.get('tags'));
  });

  it('BODY-12 sets what was sent and leaves the rest', () => {
    const { record, body } = send({ title: 5, tags: ['b', 'b'] });
    expect(record.get('title')).toBe('5');
    expect(record.get('tags')).toEqual(['b']);
    expect(record.get('total')).toBe(2);
    expect(record.changedFields().sort()).toEqual(['tags', 'title']);
    expect(body).toEqual({ title: '5', tags: ['b'] });
  });

  it('COL-53 null sets the zero value and still counts as sent', () => {
    const { record, body } = send({ title: null, tags: null, data: null });
    expect(record.get('title')).toBe('');
    expect(body).toEqual({ title: '', tags: [], data: null });
  });

  it('BODY-3 COL-56 unknown keys are ignored and stay visible to rules', () => {
    const { record, body } = send({ unknown: [1], expand: {}, collectionId: 'x', 'title:each': 1, '+n': 5 });
    expect(record.changedFields()).toEqual([]);
    expect(body).toEqual({ unknown: [1], expand: {}, collectionId: 'x', 'title:each': 1, '+n': 5 });
  });

  it('BODY-3 COL-69 automatic dates are never set, for superusers neither', () => {
    const { record, body } = send({ created: '2000-01-01 00:00:00.000Z' }, {}, { allowHidden: true });
    expect(record.get('created')).toBe('2024-01-01 00:00:00.000Z');
    expect(body).toEqual({ created: '2000-01-01 00:00:00.000Z' });
  });

  it('BODY-13 COL-57 modifiers apply one after another, shorter keys first', () => {
    expect(send({ n: 10, 'n+': 5, 'n-': 1 }).record.get('n')).toBe(14);
    expect(send({ 'n-': 1, 'n+': 5, n: 10 }).record.get('n')).toBe(14);
    expect(send({ '+tags': 'c', 'tags-': 'a', tags: ['a', 'b'] }).record.get('tags')).toEqual(['c', 'b']);
  });

  it('BODY-13 equal lengths apply in body order', () => {
    expect(send({ 'one+': 'b', '+one': 'c' }).record.get('one')).toBe('b');
    expect(send({ 'tags-': 'a', 'tags+': 'a' }).record.get('tags')).toEqual(['a']);
    expect(send({ 'tags+': 'a', 'tags-': 'a' }).record.get('tags')).toEqual([]);
  });

  it('BODY-13 modifiers start from the stored value, or from zero', () => {
    expect(send({ 'total+': 4 }).record.get('total')).toBe(6);
    expect(send({ 'total+': 4 }, {}, { isNew: true }).record.get('total')).toBe(4);
    expect(send({ 'tags+': ['b', 'c'] }).record.get('tags')).toEqual(['a', 'b', 'c']);
  });

  it('BODY-15 rules see the field with its resulting value, and no modifier key', () => {
    expect(send({ 'total+': 4 }).body).toEqual({ total: 6 });
    expect(send({ 'total+': '4' }).body).toEqual({ total: 6 });
    expect(send({ n: 1, 'n+': 1 }).body).toEqual({ n: 2 });
  });

  it('COL-62 name:autogenerate sets the prefix and a generated text', () => {
    const { record, body } = send({ 'code:autogenerate': 'x-' });
    expect(record.get('code')).toMatch(/^x-[0-9]{4}$/);
    expect(body).toEqual({ code: record.get('code') });
    expect(send({ 'title:autogenerate': 'x-' }).record.get('title')).toBe('x-');
    expect(send({ 'n:autogenerate': 5 }).record.changedFields()).toEqual([]);
  });

  it('BODY-10 hidden fields are dropped for all but superusers, from the body too', () => {
    const sent = { secret: 'new', title: 'Ho', 'secret:autogenerate': 'x' };
    const { record, body } = send(sent, { secretDocs: ['n.png'] });
    expect(record.get('secret')).toBe('hush');
    expect(record.get('secretDocs')).toBe('');
    expect(record.uploads('secretDocs')).toEqual([]);
    expect(body).toEqual({ title: 'Ho' });
    expect(send({ secret: 'new' }, {}, { allowHidden: true }).body).toEqual({ secret: 'new' });
  });

  it('FS-6 BODY-7 uploads replace the value; names sent with them stay, in front', () => {
    const replaced = send({}, { docs: ['n.png', 'm.png'] });
    expect(replaced.record.get('docs')).toEqual(['n.png', 'm.png']);
    expect(replaced.record.uploads('docs').map(({ name }) => name)).toEqual(['n.png', 'm.png']);
    const kept = send({ docs: ['y.png', 'x.png'] }, { docs: ['n.png'] });
    expect(kept.record.get('docs')).toEqual(['y.png', 'x.png', 'n.png']);
    expect(send({ docs: '["y.png"]' }, { docs: ['n.png'] }).record.get('docs')).toEqual(['y.png', 'n.png']);
    expect(send({ docs: '' }, { docs: ['n.png'] }).record.get('docs')).toEqual(['n.png']);
  });

  it('FS-6 BODY-7 uploads are appended and prepended', () => {
    expect(send({}, { 'docs+': ['n.png'] }).record.get('docs')).toEqual(['x.png', 'y.png', 'n.png']);
    expect(send({}, { '+docs': ['n.png', 'm.png'] }).record.get('docs')).toEqual(['n.png', 'm.png', 'x.png', 'y.png']);
  });

  it('FS-6 BODY-8 names remove and clear', () => {
    expect(send({ 'docs-': ['x.png', 'unknown.png'] }).record.get('docs')).toEqual(['y.png']);
    expect(send({ docs: ['y.png'] }).record.get('docs')).toEqual(['y.png']);
    for (const nothing of ['', null, []]) {
      expect(send({ docs: nothing, cover: nothing }).record.get('docs')).toEqual([]);
      expect(send({ docs: nothing, cover: nothing }).record.get('cover')).toBe('');
    }
  });

  it('FS-7 a single file: f and f+ replace it, +f keeps it, the last of several counts', () => {
    expect(send({}, { cover: ['n.png', 'm.png'] }).record.get('cover')).toBe('m.png');
    expect(send({}, { 'cover+': ['n.png'] }).record.get('cover')).toBe('n.png');
    const kept = send({}, { '+cover': ['n.png'] });
    expect(kept.record.get('cover')).toBe('c.png');
    expect(kept.record.uploads('cover')).toEqual([]);
    expect(send({}, { '+cover': ['n.png'] }, { isNew: true }).record.get('cover')).toBe('n.png');
  });

  it('FS-7 the same name twice counts once', () => {
    expect(send({ docs: ['x.png', 'x.png'] }).record.get('docs')).toEqual(['x.png']);
  });

  it('OPS-39 FS-7 of a list that is far too long only the beginning is read, and an upload beside it counts as the last', () => {
    const { list: names, asked } = countedList(Array.from({ length: 1_000_000 }, (_, index) => `${index}.png`));
    expect(send({ cover: names }, { cover: ['n.png'] }).record.get('cover')).toBe('n.png');
    expect((send({ docs: names }, { docs: ['n.png'] }).record.get('docs') as string[]).length).toBeGreaterThan(50_000);
    expect(asked()).toBeLessThan(200_000);
  });

  it('FS-8 several keys of one field apply one after another', () => {
    const { record } = send({ docs: ['x.png'], 'docs-': ['x.png'] }, { 'docs+': ['n.png'], '+docs': ['m.png'] });
    expect(record.get('docs')).toEqual(['m.png', 'n.png']);
    expect(
      record
        .uploads('docs')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['m.png', 'n.png']);
  });

  it('BODY-7 uploads under other keys are ignored', () => {
    const { record, body } = send(
      {},
      { title: ['n.png'], 'docs-': ['x.png'], unknown: ['n.png'], 'docs:autogenerate': ['n.png'] },
    );
    expect(record.changedFields()).toEqual([]);
    expect(body).toEqual({});
  });

  it('REF-7 rules see uploads by their final names', () => {
    expect(send({ docs: ['x.png'] }, { docs: ['n.png'] }).body).toEqual({ docs: ['x.png', 'n.png'] });
    expect(send({}, { cover: ['n.png'] }).body).toEqual({ cover: 'n.png' });
  });

  it('BODY-2 keys that mean something to JavaScript are only keys', () => {
    const values = JSON.parse('{"__proto__":{"title":"x"},"constructor":1,"toString":2}') as Record<string, unknown>;
    const record = RecordModel.fromRow(posts, stored);
    const body = apply(record, { values, files: new Map() });
    expect(Object.getPrototypeOf(body)).toBeNull();
    expect(Object.keys(body)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(body['hasOwnProperty']).toBeUndefined();
  });
});

describe('input of an auth record', () => {
  const users = collection(
    'auth',
    { name: 'id', type: 'text', primaryKey: true },
    { name: 'password', type: 'password', hidden: true },
    { name: 'tokenKey', type: 'text', hidden: true, autogeneratePattern: '[a-z]{30}' },
  );
  const values = { password: 'secret-1', passwordConfirm: 'secret-1', oldPassword: 'old', tokenKey: 'mine' };

  it('BODY-10 BODY-11 everybody may set the password, which is hidden; the form keys stay in the body', () => {
    const record = RecordModel.blank(users);
    const body = apply(record, { values, files: new Map() });
    expect((record.get('password') as PasswordValue).plain).toBe('secret-1');
    expect(record.get('tokenKey')).toBe('');
    expect({ ...body }).toEqual({ password: 'secret-1', passwordConfirm: 'secret-1', oldPassword: 'old' });
  });

  it('BODY-10 the password of a base collection is an ordinary hidden field', () => {
    const accounts = collection('base', { name: 'password', type: 'password', hidden: true });
    const record = RecordModel.blank(accounts);
    apply(record, { values, files: new Map() });
    expect((record.get('password') as PasswordValue).isEmpty).toBe(true);
  });

  it('AUTH-311 superusers renew a token key', () => {
    const record = RecordModel.blank(users);
    apply(record, { values: { 'tokenKey:autogenerate': '' }, files: new Map() }, true);
    expect(record.get('tokenKey')).toMatch(/^[a-z]{30}$/);
  });
});
