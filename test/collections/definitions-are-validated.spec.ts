import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsApp } from './support/collections-app.js';

type Json = Record<string, unknown>;

describe('the definition of a collection', () => {
  let app: CollectionsApp;
  let count = 0;
  beforeAll(async () => {
    app = await CollectionsApp.start();
    await app.create({
      id: 'posts_id',
      name: 'posts',
      type: 'base',
      fields: [
        { id: 'f_title', name: 'title', type: 'text' },
        { id: 'f_author', name: 'author', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
      ],
      indexes: ['CREATE INDEX idx_title ON posts (title)'],
    });
    await app.create({ name: 'a_view', type: 'view', viewQuery: 'SELECT id FROM posts' });
    await app.sql('CREATE TABLE outside (x TEXT)');
  });
  afterAll(() => app.stop());

  const unique = () => `c${++count}`;
  const text = (name: string, more: Json = {}) => ({ name, type: 'text', ...more });
  /** The errors a new collection is refused with; what is not given is fine. */
  const refused = async (body: Json) => {
    const before = app.exported();
    const { data } = await app.refusal(app.create({ name: unique(), type: 'base', ...body }));
    expect(app.exported()).toEqual(before);
    return data;
  };
  const refusedUpdate = async (name: string, body: Json) => (await app.refusal(app.update(name, body))).data;

  describe('its id', () => {
    it('COL-20 follows from type and name, and counts on when it is taken', async () => {
      const one = await app.create({ name: 'counted', type: 'base' });
      expect(one.id).toMatch(/^pbc_\d+$/);
      await app.update('counted', { name: 'counted_old' });
      expect((await app.create({ name: 'counted', type: 'base', id: '' })).id).toBe(`${one.id}2`);
    });

    it('COL-20 COL-21 that follows is not the name of another collection either', async () => {
      const { id } = await app.create({ name: 'followed', type: 'base' });
      await app.collections.delete('followed');
      await app.create({ name: id.toUpperCase(), type: 'base' });
      expect((await app.create({ name: 'followed', type: 'base' })).id).toBe(`${id}2`);
    });

    it.each([
      ['x'.repeat(101), 'validation_length_out_of_range'],
      ['a-b', 'validation_match_invalid'],
      ['posts_id', 'validation_invalid_or_existing_id'],
      ['USERS', 'validation_invalid_or_existing_id'],
    ])('COL-21 cannot be %s', async (id, code) => {
      expect(await refused({ id })).toEqual({ id: expect.objectContaining({ code }) });
    });

    it('COL-21 cannot be changed', async () => {
      expect((await refusedUpdate('posts', { id: 'other' })).id.code).toBe('validation_values_mismatch');
      await app.update('posts', { id: 'posts_id' });
    });
  });

  describe('its name', () => {
    it.each([
      ['', 'validation_required'],
      ['x'.repeat(256), 'validation_length_out_of_range'],
      ['a_VIA_b!', 'validation_found_via'],
      ['a b', 'validation_match_invalid'],
      ['é', 'validation_match_invalid'],
      ['POSTS', 'validation_collection_name_exists'],
      ['posts_id', 'validation_collection_name_id_duplicate'],
      ['Outside', 'validation_collection_name_invalid'],
      ['_params', 'validation_collection_name_invalid'],
      ['_COLLECTIONS', 'validation_collection_name_invalid'],
      ['_migrations', 'validation_collection_name_invalid'],
      ['_system_migrations', 'validation_collection_name_invalid'],
      ['sqlite_x', 'validation_collection_name_invalid'],
      ['Json_Each', 'validation_collection_name_invalid'],
      ['json_tree', 'validation_collection_name_invalid'],
      ['pragma_table_info', 'validation_collection_name_invalid'],
      ['SQLITE_x', 'validation_collection_name_invalid'],
    ])('COL-23 cannot be %j', async (name, code) => {
      expect((await refused({ name })).name.code).toBe(code);
    });

    it.each(['0', '_x', 'x'.repeat(255), 'Order', 'select', 'group'])('COL-23 can be %s', async (name) => {
      const { id } = await app.create({ name, type: 'base', fields: [text('from'), text('table')] });
      await app.collections.delete(id);
    });

    it('COL-22 COL-23 can be its own id, which leaves no doubt what is meant', async () => {
      const { id } = await app.create({ id: 'hotels', name: 'hotels', type: 'base', fields: [text('a')] });
      await app.update('hotels', { listRule: `a = 'x'` });
      expect(app.collections.get('hotels')).toMatchObject({ id, listRule: `a = 'x'` });
      expect((await refused({ name: 'hotels' })).name.code).toBe('validation_collection_name_exists');
      await app.update('hotels', { name: 'inns' });
      expect((await refused({ name: 'hotels' })).name.code).toBe('validation_collection_name_id_duplicate');
      await app.collections.delete(id);
    });

    it('COL-24 may change its letter case only', async () => {
      await app.create({ name: 'casing', type: 'base', fields: [text('a')], indexes: ['CREATE INDEX ic ON x (a)'] });
      await app.sql(`INSERT INTO casing (id, a) VALUES ('r', 'A')`);
      const renamed = await app.update('casing', { name: 'Casing' });
      expect(renamed.indexes).toEqual(['CREATE INDEX `ic` ON `Casing` (`a`)']);
      expect(await app.sql(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'Casing'`)).toHaveLength(1);
      expect(await app.sql('SELECT a FROM Casing')).toEqual([{ a: 'A' }]);
      await app.collections.delete('Casing');
    });
  });

  it('COL-25 its type is one of three and stays', async () => {
    expect((await refused({ type: '' })).type.code).toBe('validation_required');
    for (const type of ['', undefined, 'table']) {
      const { message } = (await refused({ type })).type;
      for (const known of ['base', 'auth', 'view']) expect(message).toContain(known);
      expect(/only an import/i.test(message)).toBe(type !== 'table');
    }
    expect((await refused({ type: 'table' })).type.code).toBe('validation_in_invalid');
    expect((await refusedUpdate('posts', { type: 'auth' })).type.code).toBe('validation_collection_type_change');
  });

  it.each([
    ['posts', 'view', 'validation_collection_type_change'],
    ['posts', 'table', 'validation_in_invalid'],
    ['posts', '', 'validation_required'],
    ['users', 'base', 'validation_collection_type_change'],
    ['users', 'view', 'validation_collection_type_change'],
    ['a_view', 'base', 'validation_collection_type_change'],
    ['a_view', 'auth', 'validation_collection_type_change'],
    ['a_view', 'table', 'validation_in_invalid'],
  ])('COL-25 %s cannot become a collection of type %j, and nothing else is wrong with it', async (name, type, code) => {
    const wrong = { type: { code, message: expect.any(String) } };
    expect(await refusedUpdate(name, { type })).toEqual(wrong);
    const { data } = await app.refusal(app.collections.import([{ name, type }]));
    expect(data.collections.params).toEqual({ collection: name, errors: wrong });
  });

  it('COL-30 a system collection can be made, and then stays what it is', async () => {
    await app.create({
      name: 'mine',
      type: 'base',
      system: true,
      listRule: '',
      fields: [text('a'), text('b', { system: true })],
    });
    const change = (body: Json) => refusedUpdate('mine', body);
    expect((await change({ name: 'other' })).name.code).toBe('validation_collection_system_name_change');
    expect((await change({ system: false })).system.code).toBe('validation_collection_system_flag_change');
    for (const rule of ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule']) {
      expect((await change({ [rule]: `id = 'x'` }))[rule].code).toBe('validation_collection_system_rule_change');
    }
    expect((await refusedUpdate('posts', { system: true })).system.code).toBe(
      'validation_collection_system_flag_change',
    );
    expect((await app.update('mine', { fields: [text('c')] })).fields.map(({ name }) => name)).toContain('c');
    const { data, message } = await app.refusal(app.collections.delete('mine'));
    expect([data, message]).toEqual([{}, expect.any(String)]);
  });

  describe('its fields', () => {
    const names = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);

    it('COL-43 COL-44 hold the built-in ones, missing ones in their places', async () => {
      const base = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('a'), { name: 'created', type: 'autodate', onCreate: true }],
      });
      expect(names(base.fields)).toEqual(['id', 'a', 'created', 'updated']);
      const auth = await app.create({
        name: unique(),
        type: 'auth',
        fields: [{ name: 'email', type: 'email', required: false }, text('a')],
      });
      expect(names(auth.fields)).toEqual([
        'id',
        'email',
        'a',
        'password',
        'tokenKey',
        'emailVisibility',
        'verified',
        'created',
        'updated',
      ]);
    });

    it('COL-43 AUTH-401 enforces what makes them what they are and keeps their other options', async () => {
      const weak = { system: false, hidden: false, required: false };
      const created = await app.create({
        name: unique(),
        type: 'auth',
        fields: [
          text('id', { ...weak, hidden: true, primaryKey: false, pattern: '', min: 3, max: 30 }),
          { name: 'password', type: 'password', ...weak, min: 12 },
          text('tokenKey', { ...weak, min: 31 }),
          { name: 'email', type: 'email', system: false, hidden: true, required: false, onlyDomains: ['x.io'] },
          { name: 'emailVisibility', type: 'bool', system: false },
          { name: 'verified', type: 'bool', system: false },
          { name: 'created', type: 'autodate', onCreate: false, onUpdate: true, hidden: true },
          { name: 'updated', type: 'autodate', onCreate: false, onUpdate: false },
        ],
      });
      expect(created.field('id')).toMatchObject({
        system: true,
        required: true,
        primaryKey: true,
        hidden: false,
        pattern: '^[a-z0-9]+$',
        min: 3,
      });
      expect(created.field('password')).toMatchObject({ system: true, hidden: true, required: true, min: 12 });
      expect(created.field('tokenKey')).toMatchObject({ system: true, hidden: true, required: true, min: 31 });
      expect(created.field('email')).toMatchObject({
        system: true,
        hidden: false,
        required: false,
        onlyDomains: ['x.io'],
      });
      expect(created.field('emailVisibility')).toMatchObject({ system: true });
      expect(created.field('verified')).toMatchObject({ system: true });
      expect(created.field('created')).toMatchObject({ system: true, onCreate: true, onUpdate: false, hidden: true });
      expect(created.field('updated')).toMatchObject({ system: true, onCreate: true, onUpdate: true });
    });

    it('COL-45 give way to a built-in one whose name they borrow', async () => {
      const created = await app.create({
        name: unique(),
        type: 'auth',
        fields: [text('a'), { name: 'verified', type: 'text' }, text('b')],
      });
      expect(created.field('verified')).toMatchObject({ type: 'bool', system: true });
      expect(names(created.fields).slice(0, 4)).toEqual(['id', 'a', 'verified', 'b']);
      expect((await refused({ fields: [{ name: 'id', type: 'number' }] })).fields).toMatchObject({
        '1': { name: { code: 'validation_duplicated_field_name' } },
      });
    });

    it.each([
      ['base', { name: 'updated', type: 'number', onlyInt: true }],
      ['auth', { name: 'created', type: 'date' }],
      ['base', { name: 'Updated', type: 'autodate', onCreate: true }],
      ['base', { name: 'CREATED', type: 'text', max: 3 }],
    ])('COL-45 keep a time of their own in a collection of the type %s: %j', async (type, own) => {
      const created = await app.create({ name: unique(), type, fields: [own] });
      const called = created.fields.filter(({ name }) => name.toLowerCase() === own.name.toLowerCase());
      expect(called).toMatchObject([{ ...own, system: false }]);
      const other = own.name.toLowerCase() === 'created' ? 'updated' : 'created';
      expect(created.field(other)).toMatchObject({ type: 'autodate', system: true });
      expect((await app.update(created.name, { listRule: '' })).fields).toEqual(created.fields);
      const without = created.fields.filter((field) => field !== called[0]);
      const restored = await app.update(created.name, { fields: without });
      expect(restored.field(own.name.toLowerCase())).toMatchObject({ type: 'autodate', system: true });
    });

    it('COL-48 do not put a time of their own in the place of a system field', async () => {
      const { name, fields } = await app.create({ name: unique(), type: 'base' });
      const own = [...fields.slice(0, 2), { name: 'updated', type: 'number' }];
      expect((await refusedUpdate(name, { fields: own })).fields.code).toBe('validation_system_field_change');
    });

    it('COL-45 give way to the built-in one as it is stored, with its options', async () => {
      const name = unique();
      const domains = { name: 'email', type: 'email', onlyDomains: ['x.io'] };
      const { fields } = await app.create({ name, type: 'auth', fields: [domains] });
      const email = fields.find((field) => field.name === 'email')!;
      const borrowed = fields.map((field) => (field === email ? { name: 'email', type: 'text' } : field));
      expect((await app.update(name, { fields: borrowed })).field('email')).toEqual(email);
    });

    it('COL-40 COL-41 take any letter case and give camelCase with every default', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [
          {
            Name: 'doc',
            Type: 'file',
            MaxSize: 7,
            MaxSelect: 2,
            MimeTypes: ['a/b'],
            Thumbs: null,
            Protected: true,
            Required: true,
            nonsense: 1,
          },
        ],
      });
      expect(created.field('doc')).toEqual({
        id: expect.stringMatching(/^file\d+$/),
        name: 'doc',
        type: 'file',
        system: false,
        hidden: false,
        presentable: false,
        required: true,
        help: '',
        maxSize: 7,
        maxSelect: 2,
        mimeTypes: ['a/b'],
        thumbs: null,
        protected: true,
      });
    });

    it('COL-42 COL-29 need a known type, told at their place in the resulting list', async () => {
      expect((await refused({ fields: [text('a'), { name: 'b', type: 'nothing' }] })).fields).toEqual({
        '2': { type: { code: 'validation_in_invalid', message: expect.any(String) } },
      });
      expect((await refused({ fields: [text('id'), { name: 'b' }] })).fields['1'].type.code).toBe(
        'validation_required',
      );
      await refused({ fields: [text('a', { max: '5' })] });
      await refused({ fields: [text('a', { max: 1.5 })] });
      for (const id of [5, true, {}, []]) {
        expect((await refused({ fields: [text('a', { id })] })).fields['1'].id.code).toBe(
          'validation_unsupported_value_type',
        );
      }
    });

    it.each([
      ['', 'validation_required'],
      ['x'.repeat(101), 'validation_length_out_of_range'],
      ['a b', 'validation_match_invalid'],
      ['é', 'validation_match_invalid'],
      ['null', 'validation_not_in_invalid'],
      ['true', 'validation_not_in_invalid'],
      ['false', 'validation_not_in_invalid'],
      ['_rowid_', 'validation_not_in_invalid'],
      ['__proto__', 'validation_not_in_invalid'],
      ['collectionId', 'validation_not_in_invalid'],
      ['collectionName', 'validation_not_in_invalid'],
      ['expand', 'validation_not_in_invalid'],
      ['a_Via_b', 'validation_found_via'],
    ])('COL-28 cannot be called %j', async (name, code) => {
      expect((await refused({ fields: [text(name)] })).fields['1'].name.code).toBe(code);
    });

    it('COL-28 have names of their own, ignoring case, and none of those auth bodies use', async () => {
      expect((await refused({ fields: [text('a'), text('A')] })).fields).toEqual({
        '2': { name: { code: 'validation_duplicated_field_name', message: expect.any(String) } },
      });
      for (const name of ['passwordConfirm', 'oldPassword']) {
        expect((await refused({ type: 'auth', fields: [text(name)] })).fields['1'].name.code).toBe(
          'validation_reserved_field_name',
        );
      }
      await app.create({
        name: unique(),
        type: 'base',
        fields: ['passwordConfirm', 'oldPassword', 'email', 'password', 'tokenKey', 'NULL'].map((name) => text(name)),
      });
    });

    it('COL-27 COL-40 have an id of at most 100 characters and a help of at most 300', async () => {
      const { fields } = await refused({ fields: [text('a', { id: 'x'.repeat(101), help: 'x'.repeat(301) })] });
      expect(fields['1']).toMatchObject({
        id: { code: 'validation_length_out_of_range' },
        help: { code: 'validation_length_out_of_range' },
      });
    });

    it('COL-52 are all judged before they are refused', async () => {
      const { fields } = await refused({
        fields: [text('a', { min: 9, max: 1 }), text('b'), { name: 'c', type: 'select' }],
      });
      expect(Object.keys(fields)).toEqual(['1', '3']);
    });

    it('COL-51 the later of two with one id, or of two without id and with one name, counts', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('a', { id: 'x' }), text('b'), text('c', { id: 'x' }), text('b', { max: 7 })],
      });
      expect(names(created.fields)).toEqual(['id', 'c', 'b', 'created', 'updated']);
      expect(created.field('b')).toMatchObject({ max: 7 });
    });

    it('COL-51 one without id after one of its name and type counts instead, with its id and data', async () => {
      const { id, name, fields } = await app.create({ name: unique(), type: 'base', fields: [text('a'), text('b')] });
      await app.sql(`INSERT INTO "${name}" (id, a, b) VALUES ('r', 'one', 'two')`);
      const again = await app.update(id, { fields: [...fields, text('a', { max: 7 })] });
      expect(names(again.fields)).toEqual(names(fields));
      expect(again.field('a')).toMatchObject({ id: fields[1]!.id, max: 7 });
      expect(await app.sql(`SELECT a, b FROM "${name}"`)).toEqual([{ a: 'one', b: 'two' }]);
      const position = String(fields.length);
      for (const other of [{ name: 'a', type: 'number' }, text('A'), text('a', { id: 'other' })]) {
        await expect(app.update(id, { fields: [...fields, other] })).rejects.toMatchObject({
          errors: { fields: { [position]: { name: { code: 'validation_duplicated_field_name' } } } },
        });
      }
    });

    it('COL-27 COL-49 without an id are found again by name and type, and never mistaken for a removed one', async () => {
      const first = await app.create({ name: unique(), type: 'base', fields: [text('a'), text('b')] });
      const [a, b] = [first.field('a')!, first.field('b')!];
      const same = await app.update(first.id, { fields: [text('b', { max: 5 }), text('a')] });
      expect([same.field('a')!.id, same.field('b')!.id]).toEqual([a.id, b.id]);
      const renamed = await app.update(first.id, { fields: [{ ...a, name: 'c' }, text('a')] });
      expect(renamed.field('c')!.id).toBe(a.id);
      expect(renamed.field('a')!.id).toBe(`${a.id}2`);
      await app.sql(`INSERT INTO "${first.name}" (id, c) VALUES ('r', 'old')`);
      const replaced = await app.update(first.id, { fields: [text('a', { id: '' })] });
      expect(replaced.field('a')!.id).toBe(`${a.id}2`);
      const other = await app.update(first.id, { fields: [{ name: 'a', type: 'number' }] });
      expect(other.field('a')!.type).toBe('number');
      const moved = await app.create({ name: unique(), type: 'base', fields: [text('a')] });
      await app.update(moved.id, { fields: [{ ...moved.field('a')!, name: 'c' }] });
      await app.sql(`INSERT INTO "${moved.name}" (id, c) VALUES ('r', 'old')`);
      const renewed = await app.update(moved.id, { fields: [text('a')] });
      expect(renewed.field('a')!.id).toBe(`${a.id}2`);
      expect(await app.sql(`SELECT a FROM "${moved.name}"`)).toEqual([{ a: '' }]);
    });

    it('COL-47 COL-114 no list leaves them alone', async () => {
      const before = app.collections.get('posts').fields;
      expect((await app.update('posts', { fields: undefined })).fields).toEqual(before);
      expect((await app.update('posts', { viewRule: null })).fields).toEqual(before);
    });

    it('COL-47 one that is missing from the list goes with its data, the others keep theirs', async () => {
      const { id, name, fields } = await app.create({ name: unique(), type: 'base', fields: [text('a'), text('b')] });
      await app.sql(`INSERT INTO "${name}" (id, a, b) VALUES ('r', 'one', 'two')`);
      const kept = fields.filter((field) => field.name !== 'a');
      expect(names((await app.update(id, { fields: kept })).fields)).toEqual(['id', 'b', 'created', 'updated']);
      await expect(app.sql(`SELECT a FROM "${name}"`)).rejects.toThrow();
      const back = await app.update(id, { fields: [...kept, text('a')] });
      expect(names(back.fields)).toContain('a');
      expect(await app.sql(`SELECT a, b FROM "${name}"`)).toEqual([{ a: '', b: 'two' }]);
    });

    it('COL-114 other limits rewrite nothing that is stored', async () => {
      const fields = [text('a'), { name: 'n', type: 'number' }];
      const { id, name } = await app.create({ name: unique(), type: 'base', fields });
      await app.sql(`INSERT INTO "${name}" (id, a, n) VALUES ('r', 'too long', 2.5), ('s', '', 0)`);
      const before = await app.sql(`SELECT * FROM "${name}" ORDER BY id`);
      const limits = [
        text('a', { max: 3, pattern: '^[a-c]+$', required: true }),
        { name: 'n', type: 'number', onlyInt: true, min: 5, required: true },
      ];
      const changed = await app.update(id, { fields: limits });
      expect([changed.field('a'), changed.field('n')]).toMatchObject([{ max: 3 }, { onlyInt: true, min: 5 }]);
      expect(await app.sql(`SELECT * FROM "${name}" ORDER BY id`)).toEqual(before);
    });

    it('COL-48 system ones come back as they were, and keep name and id', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('own', { system: true, max: 9 }), text('a')],
      });
      const updated = await app.update(created.id, { fields: [] });
      expect(names(updated.fields)).toEqual(['id', 'own', 'created', 'updated']);
      expect(updated.field('own')).toMatchObject({ max: 9, system: true });
      const own = updated.field('own')!;
      expect((await refusedUpdate(created.id, { fields: [{ ...own, name: 'other' }] })).fields.code).toBe(
        'validation_system_field_change',
      );
      expect((await refusedUpdate(created.id, { fields: [text('own', { id: 'new' })] })).fields.code).toBe(
        'validation_system_field_change',
      );
      const id = updated.field('id')!;
      expect((await refusedUpdate(created.id, { fields: [{ ...id, name: 'key' }] })).fields.code).toBe(
        'validation_system_field_change',
      );
      const kept = await app.update(created.id, { fields: [{ ...own, system: false, max: 3 }] });
      expect(kept.field('own')).toMatchObject({ system: true, max: 3 });
    });

    it('COL-50 keep their type', async () => {
      const { fields } = await refusedUpdate('posts', { fields: [{ id: 'f_title', name: 'title', type: 'editor' }] });
      expect(fields).toEqual({ '1': { code: 'validation_field_type_change', message: expect.any(String) } });
    });

    it('COL-73 relations point to a collection that exists, by its id, and stay there', async () => {
      const relation = (collectionId: string) => refused({ fields: [{ name: 'r', type: 'relation', collectionId }] });
      expect((await relation('')).fields['1'].collectionId.code).toBe('validation_required');
      expect((await relation('users')).fields['1'].collectionId.code).toBe(
        'validation_field_relation_missing_collection',
      );
      const view = app.collections.get('a_view').id;
      expect((await relation(view)).fields['1'].collectionId.code).toBe(
        'validation_relation_field_non_view_base_collection',
      );
      const moved = await refusedUpdate('posts', {
        fields: [{ id: 'f_author', name: 'author', type: 'relation', collectionId: 'posts_id' }],
      });
      expect(moved.fields['1'].collectionId.code).toBe('validation_field_relation_change');
      const self = await app.create({
        id: 'selfish',
        name: unique(),
        type: 'base',
        fields: [{ name: 'r', type: 'relation', collectionId: 'selfish' }],
      });
      await app.collections.delete(self.id);
    });
  });

  describe('its indexes', () => {
    const indexes = async (...list: string[]) =>
      (await refused({ fields: [text('a'), text('b')], indexes: list })).indexes;

    it.each([
      [['nonsense'], '0', 'validation_invalid_index_expression'],
      [['CREATE INDEX i1 ON t (a)', 'CREATE INDEX i2 ON t ()'], '1', 'validation_invalid_index_expression'],
      [['CREATE INDEX i1 ON t (a)', 'CREATE INDEX I1 ON t (b)'], '1', 'validation_duplicated_index_name'],
      [['CREATE INDEX i1 ON t (a)', 'create index i2 on x ("a")'], '1', 'validation_duplicated_index_definition'],
      [['CREATE INDEX IDX_title ON t (a)'], '0', 'validation_existing_index_name'],
      [['CREATE INDEX i1 ON t (nothing)'], '0', 'validation_invalid_index_expression'],
      [['CREATE INDEX i1 ON t (a)', 'CREATE INDEX posts ON t (b)'], '1', 'validation_invalid_index_expression'],
      [['CREATE INDEX i1 ON t (a); DROP TABLE posts'], '0', 'validation_invalid_index_expression'],
    ])('COL-122 COL-124 COL-163 cannot be %j', async (list, at, code) => {
      expect(await indexes(...list)).toMatchObject({ [at]: { code } });
    });

    it('COL-122 tells which collection uses a name', async () => {
      const error = await indexes('CREATE INDEX idx_title ON t (a)');
      expect(error['0'].params).toEqual({ usedTableName: 'posts' });
    });

    it('COL-124 COL-111 a unique index over repeated values changes nothing', async () => {
      await app.create({ name: 'repeated', type: 'base', fields: [text('a')] });
      await app.sql(`INSERT INTO repeated (id, a) VALUES ('1', 'x'), ('2', 'x')`);
      const before = await app.state();
      const data = await refusedUpdate('repeated', {
        listRule: '',
        indexes: ['CREATE UNIQUE INDEX u ON repeated (a)'],
      });
      expect(data.indexes['0'].code).toBe('validation_invalid_index_expression');
      expect(data.indexes['0'].message).toContain('UNIQUE');
      expect(await app.state()).toEqual(before);
    });

    it('COL-121 COL-115 are kept as given, and follow the name of the collection', async () => {
      const name = unique();
      const given = `create  index kept1 on ${name} (a)`;
      const created = await app.create({
        name,
        type: 'base',
        fields: [text('a'), text('b')],
        indexes: [given, 'CREATE INDEX kept2 ON `` (a, b DESC)'],
      });
      expect(created.indexes).toEqual([given, `CREATE INDEX \`kept2\` ON \`${name}\` (\n  \`a\`,\n  \`b\` DESC\n)`]);
      const renamed = await app.update(name, { name: `${name}_x` });
      expect(renamed.indexes[0]).toBe(`CREATE INDEX \`kept1\` ON \`${name}_x\` (\`a\`)`);
    });

    it('COL-120 may have texts in double quotes, as definitions written elsewhere do', async () => {
      const given = (name: string) =>
        `CREATE UNIQUE INDEX quoted_${name} ON ${name} ("a") WHERE "a" != "" AND "b" = "it's"`;
      const name = unique();
      const created = await app.create({ name, type: 'base', fields: [text('a'), text('b')], indexes: [given(name)] });
      expect(created.indexes).toEqual([given(name)]);
      const [{ sql }] = (await app.sql<{ sql: string }>(
        'SELECT sql FROM sqlite_schema WHERE name = ?',
        `quoted_${name}`,
      )) as [{ sql: string }];
      expect(sql).toContain("WHERE `a` != '' AND `b` = 'it''s'");
    });

    it('COL-117 COL-125 follow renamed and removed fields, unless they are supplied', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('a'), text('b')],
        indexes: [
          `CREATE INDEX fa ON x (a)`,
          `CREATE UNIQUE INDEX fab ON x (lower(a), b) WHERE a != 'a'`,
          'CREATE INDEX fb ON x (b)',
        ],
      });
      const [a, b] = [created.field('a')!, created.field('b')!];
      const swapped = await app.update(created.id, {
        fields: [
          { ...a, name: 'b' },
          { ...b, name: 'a' },
        ],
        indexes: created.indexes,
      });
      expect(swapped.indexes).toEqual([
        `CREATE INDEX \`fa\` ON \`${created.name}\` (\`b\`)`,
        `CREATE UNIQUE INDEX \`fab\` ON \`${created.name}\` (\n  lower(\`b\`),\n  \`a\`\n) WHERE \`b\` != 'a'`,
        `CREATE INDEX \`fb\` ON \`${created.name}\` (\`a\`)`,
      ]);
      const supplied = await refusedUpdate(created.id, { fields: [{ ...a, name: 'b' }], indexes: swapped.indexes });
      expect(supplied.indexes).toMatchObject({ '1': { code: 'validation_invalid_index_expression' } });
      const left = await app.update(created.id, { fields: [{ ...a, name: 'b' }] });
      expect(left.indexes).toEqual([`CREATE INDEX \`fa\` ON \`${created.name}\` (\`b\`)`]);
    });

    it('COL-123 AUTH-402 an auth collection always has its two, and may rename and recollate them', async () => {
      const created = await app.create({ id: 'x'.repeat(80), name: unique(), type: 'auth', indexes: [] });
      expect(created.indexes).toEqual([
        `CREATE UNIQUE INDEX \`idx_tokenKey_${'x'.repeat(51)}\` ON \`${created.name}\` (\`tokenKey\`)`,
        `CREATE UNIQUE INDEX \`idx_email_${'x'.repeat(54)}\` ON \`${created.name}\` (\`email\`) WHERE \`email\` != ''`,
      ]);
      const own = [
        `CREATE UNIQUE INDEX t_own ON x (tokenKey)`,
        `CREATE UNIQUE INDEX e_own ON x (email COLLATE NOCASE)`,
      ];
      const renamed = await app.update(created.id, { indexes: own });
      expect(renamed.indexes).toEqual([
        `CREATE UNIQUE INDEX \`t_own\` ON \`${created.name}\` (\`tokenKey\`)`,
        `CREATE UNIQUE INDEX \`e_own\` ON \`${created.name}\` (\`email\` COLLATE NOCASE)`,
      ]);
      expect((await app.update(created.id, { indexes: [] })).indexes).toHaveLength(2);
    });

    it('COL-117 COL-122 a unique index over a system field follows its other fields, and goes with them', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('a'), text('b')],
        indexes: ['CREATE UNIQUE INDEX ua ON x (a, created)', 'CREATE UNIQUE INDEX ub ON x (lower(b), updated)'],
      });
      const [a, b] = [created.field('a')!, created.field('b')!];
      const renamed = await app.update(created.id, {
        fields: [
          { ...a, name: 'c' },
          { ...b, name: 'd' },
        ],
      });
      expect(renamed.indexes).toEqual([
        `CREATE UNIQUE INDEX \`ua\` ON \`${created.name}\` (\n  \`c\`,\n  \`created\`\n)`,
        `CREATE UNIQUE INDEX \`ub\` ON \`${created.name}\` (\n  lower(\`d\`),\n  \`updated\`\n)`,
      ]);
      const data = await refusedUpdate(created.id, { indexes: [renamed.indexes[1]] });
      expect(data.indexes.code).toBe('validation_invalid_unique_system_field_index');
      const left = await app.update(created.id, { fields: [{ ...b, name: 'd' }] });
      expect(left.indexes).toEqual([renamed.indexes[1]]);
    });

    it('COL-122 a unique index over a system field stays unique and where it is', async () => {
      for (const list of [
        [],
        ['CREATE INDEX idx_authOrigins_unique_pairs ON x (collectionRef, recordRef, fingerprint)'],
        ['CREATE UNIQUE INDEX i ON x (collectionRef, recordRef)'],
      ]) {
        const data = await refusedUpdate('_authOrigins', { indexes: list });
        expect(data.indexes.code).toBe('validation_invalid_unique_system_field_index');
      }
      await app.update('_authOrigins', {
        indexes: ['CREATE UNIQUE INDEX pairs ON x (collectionRef, recordRef, fingerprint DESC)'],
      });
    });
  });

  describe('its rules', () => {
    it.each([
      'title =',
      'nothing = 1',
      '@collection.nothing.id = 1',
      'unknown(title) = 1',
      '   ',
      '// nothing',
      Array.from({ length: 201 }, () => 'id = 1').join(' || '),
    ])('COL-140 cannot be %j', async (rule) => {
      const { listRule } = await refusedUpdate('posts', { listRule: rule });
      expect(listRule.code).toBe('validation_invalid_rule');
      expect(listRule.message).not.toBe('');
    });

    it('COL-140 COL-141 may use fields of the same save and hidden ones', async () => {
      const created = await app.create({
        name: unique(),
        type: 'base',
        fields: [text('a', { hidden: true })],
        listRule: `a = 'x'`,
        viewRule: `@request.auth.id != '' && @collection.posts.title = a`,
      });
      expect(created.listRule).toBe(`a = 'x'`);
    });

    it('COL-89 are judged again when a field they use goes', async () => {
      const created = await app.create({ name: unique(), type: 'base', fields: [text('a')], listRule: `a = 'x'` });
      expect((await refusedUpdate(created.id, { fields: [text('b')] })).listRule.code).toBe('validation_invalid_rule');
    });
  });

  it('COL-91 a collection that others point to stays, one that points to itself may go', async () => {
    const { data, message } = await app.refusal(app.collections.delete('users'));
    expect(data).toEqual({});
    expect(message).toContain('posts');
    expect((await app.refusal(app.collections.delete('_otps'))).data).toEqual({});
  });
});
