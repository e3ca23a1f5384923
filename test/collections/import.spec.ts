import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Collection } from '../../src/kernel/collections/collection.js';
import { CollectionsApp } from './support/collections-app.js';
import { actualShape, expectedShape } from './support/table-shape.js';

type Json = Record<string, unknown>;

describe('an import', () => {
  let app: CollectionsApp;
  beforeEach(async () => {
    app = await CollectionsApp.asNew(app);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app.stop());

  const own = () => app.collections.all().filter((collection) => !collection.system);
  const names = (collections: readonly Collection[]) => collections.map(({ name }) => name).sort();
  const text = (name: string, more: Json = {}) => ({ name, type: 'text', ...more });
  const run = (collections: readonly Json[], deleteMissing = false) =>
    app.collections.import(collections, { deleteMissing });
  const failure = async (collections: readonly Json[], deleteMissing = false) =>
    (await app.refusal(run(collections, deleteMissing))).data.collections;

  /**
   * A schema of many collections: relations in circles, to themselves, auth collections with options, views over views.
   */
  function wholeApplication(count: number): Json[] {
    const id = (index: number) => `app_collection_${index}`;
    const tables = Array.from({ length: count }, (_, index): Json => ({
      id: id(index),
      name: `thing${index}`,
      type: index % 10 === 3 ? 'auth' : 'base',
      listRule: `@request.auth.id != '' && next.title ~ 'a'`,
      viewRule: `@collection.thing${(index + 5) % count}.id = id`,
      fields: [
        text('title', { presentable: true }),
        { name: 'next', type: 'relation', collectionId: id((index + 1) % count), maxSelect: 1 },
        { name: 'self', type: 'relation', collectionId: id(index), maxSelect: 5 },
        { name: 'kind', type: 'select', values: ['a', 'b'], maxSelect: 2 },
        { name: 'doc', type: 'file', maxSelect: 3, protected: true },
      ],
      indexes: [`CREATE UNIQUE INDEX idx_title_${index} ON thing${index} (title COLLATE NOCASE)`],
      ...(index % 10 === 3
        ? {
            authRule: 'verified = true',
            passwordAuth: { enabled: true, identityFields: ['email', 'title'] },
            otp: { enabled: true, duration: 60, length: 6 },
            mfa: { enabled: true, duration: 100, rule: `title != ''` },
          }
        : {}),
    }));
    const views = Array.from({ length: 6 }, (_, index): Json => ({
      name: `view${index}`,
      type: 'view',
      listRule: `title != ''`,
      // The first views read later ones: the order of the body says nothing.
      viewQuery:
        index === 5
          ? `SELECT t.id, t.title, t.next FROM thing0 t JOIN thing1 o ON o.id = t.next`
          : `SELECT id, title, next FROM view${index + 1}`,
    }));
    return [...views, ...tables];
  }

  it('COL-98 COL-132 takes a whole application in one call, whatever the order of its entries', async () => {
    await run(wholeApplication(60));
    expect(own()).toHaveLength(67);
    for (const collection of own().filter(({ isView }) => !isView)) {
      expect(await actualShape(app, collection.name)).toEqual(expectedShape(collection));
    }
    expect(app.collections.get('view0').fields.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'text'],
      ['title', 'text'],
      ['next', 'relation'],
    ]);
    expect(app.collections.get('thing3').auth).toMatchObject({ authRule: 'verified = true', mfa: { duration: 100 } });
  });

  it.each([false, true])(
    'COL-93 an export imported into an empty instance exports the same (deleteMissing: %s)',
    async (deleteMissing) => {
      await run(wholeApplication(20));
      await app.update('users', { fields: [...app.collections.get('users').fields, text('nick')], listRule: null });
      await app.update('_superusers', { fields: [...app.collections.get('_superusers').fields, text('nick')] });
      const exported = structuredClone(app.exported());
      const empty = await CollectionsApp.start();
      await empty.collections.import(exported, { deleteMissing });
      const timeless = (collections: readonly Json[]) =>
        collections
          .map(({ created: _created, updated: _updated, ...rest }) => rest)
          .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
      expect(timeless(empty.exported())).toEqual(timeless(exported));
      await empty.collections.import(exported, { deleteMissing });
      expect(timeless(empty.exported())).toEqual(timeless(exported));
      await empty.stop();
    },
  );

  it('OPS-39 COL-98 of many collections lets others in, who see those before it until it is over', async () => {
    const many = (more: Json[]) =>
      Array.from({ length: 150 }, (_, index) => ({ name: `many${index}`, fields: [text('a'), ...more] }));
    // Whatever the machine, a slice of work is over whenever that is asked.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    const states: string[] = [];
    const seeing = async (importing: Promise<void>) => {
      let isOver = false;
      void importing.finally(() => (isOver = true));
      for (await nextTurn(); !isOver; await nextTurn()) {
        const changed = own().filter(({ fields }) => fields.some(({ name }) => name === 'b'));
        states.push(`${own().length} ${changed.length}`);
      }
    };
    const before = own().length;
    await seeing(run(many([])));
    // Each is read, planned, checked before and after it is stored, created and told.
    expect(states.length).toBeGreaterThan(5 * 150);
    await seeing(run(many([text('b')])));
    expect([...new Set(states)]).toEqual([`${before} 0`, `${before + 150} 0`, `${before + 150} 150`]);
    expect(await actualShape(app, 'many149')).toEqual(expectedShape(app.collections.get('many149')));
  });

  it('COL-94 merges over a stored collection found by id or by name', async () => {
    await run([{ id: 'the_id_1', name: 'posts', fields: [text('a')], listRule: '', viewRule: '' }]);
    await run([{ id: 'the_id_1', name: 'articles', listRule: null }]);
    expect(app.collections.get('the_id_1')).toMatchObject({ name: 'articles', listRule: null, viewRule: '' });
    await run([{ name: 'ARTICLES', viewRule: null }]);
    expect(app.collections.get('the_id_1')).toMatchObject({ name: 'ARTICLES', viewRule: null, type: 'base' });
  });

  it('COL-94 several entries of one collection are merged one after the other, whether it was there or not', async () => {
    await run([
      { name: 'posts', fields: [text('a')] },
      { name: 'posts', listRule: '' },
    ]);
    await run([
      { name: 'posts', viewRule: '' },
      { name: 'posts', createRule: '' },
    ]);
    const posts = app.collections.get('posts');
    expect(posts).toMatchObject({ listRule: '', viewRule: '', createRule: '' });
    expect(posts.field('a')).toBeDefined();
  });

  it('COL-94 an unknown id with a known name is another collection', async () => {
    await run([{ id: 'the_id_1', name: 'posts', fields: [text('a')] }]);
    const error = await failure([{ id: 'the_id_2', name: 'posts' }]);
    expect(error).toMatchObject({
      code: 'validation_collections_import_failure',
      params: { collection: 'posts', errors: { name: { code: 'validation_collection_name_exists' } } },
    });
    await run([{ id: 'the_id_2', name: 'posts', fields: [text('b')] }], true);
    expect(app.collections.get('posts').id).toBe('the_id_2');
    expect(app.collections.get('posts').field('a')).toBeUndefined();
  });

  it('COL-99 keeps the errors of fields under their names, in the message and in the data', async () => {
    const error = await failure([{ name: 'posts', fields: [text('a'), { ...text('b'), pattern: '(' }] }]);
    expect(error.message).toMatch(/^The collection "posts" cannot be imported: \{"fields":\{"b":/);
    expect(error.params).toMatchObject({ errors: { fields: { b: { pattern: {} } } } });
  });

  describe('of fields', () => {
    beforeEach(async () => {
      await run([
        {
          id: 'posts_id',
          name: 'posts',
          fields: [text('a', { id: 'fa' }), text('b', { id: 'fb' }), text('c', { id: 'fc' })],
        },
      ]);
      await app.sql(`INSERT INTO posts (id, a, b, c) VALUES ('r', 'A', 'B', 'C')`);
    });

    it('COL-95 adds back what is missing, or with deleteMissing drops it', async () => {
      await run([{ name: 'posts', fields: [text('b', { id: 'fb', max: 9 }), { name: 'd', type: 'number' }] }]);
      expect(await app.sql('SELECT a, b, c, d FROM posts')).toEqual([{ a: 'A', b: 'B', c: 'C', d: 0 }]);
      expect(app.collections.get('posts').field('b')).toMatchObject({ max: 9 });
      await run([{ name: 'posts', fields: [text('b', { id: 'fb' })] }], true);
      expect(app.collections.get('posts').fields.map(({ name }) => name)).toEqual(['id', 'b', 'created', 'updated']);
      expect(await app.sql('SELECT b FROM posts')).toEqual([{ b: 'B' }]);
    });

    it('COL-95 keeps id and data of a field of the same name and type, and takes its options', async () => {
      await run([{ name: 'posts', fields: [text('a', { id: 'other', max: 5 })] }], true);
      expect(app.collections.get('posts').field('a')).toMatchObject({ id: 'fa', max: 5 });
      expect(await app.sql('SELECT a FROM posts')).toEqual([{ a: 'A' }]);
    });

    it('COL-95 loses nothing when ids and names disagree', async () => {
      await run([{ name: 'posts', fields: [text('b', { id: 'fa' })] }]);
      expect(await app.sql('SELECT a, b, c FROM posts')).toEqual([{ a: 'A', b: 'B', c: 'C' }]);
    });

    it('COL-95 with deleteMissing a field known by its id takes over the name of one that goes', async () => {
      await run([{ name: 'posts', fields: [text('b', { id: 'fa' }), text('c', { id: 'fb' })] }], true);
      expect(app.collections.get('posts').fields.slice(1, 3)).toMatchObject([{ id: 'fa' }, { id: 'fb' }]);
      expect(await app.sql('SELECT b, c FROM posts')).toEqual([{ b: 'A', c: 'B' }]);
    });

    it('COL-45 COL-95 puts a time of its own in the place of a system field only with deleteMissing', async () => {
      const definition = {
        name: 'posts',
        fields: [{ name: 'updated', type: 'number', id: 'own_number', onlyInt: true }],
      };
      const error = await failure([definition]);
      expect(JSON.stringify(error.params.errors)).toContain('validation_duplicated_field_name');
      await run([definition], true);
      await run([definition], true);
      await run([definition]);
      expect(app.collections.get('posts').fields.map(({ name, type }) => [name, type])).toEqual([
        ['id', 'text'],
        ['updated', 'number'],
        ['created', 'autodate'],
      ]);
    });

    it.each([
      ['createdAt', 'created', { onCreate: true, onUpdate: false }],
      ['changed', 'updated', { onCreate: false, onUpdate: true }],
      ['touched', 'updated', { onCreate: true, onUpdate: true }],
    ])('COL-97 takes an autodate %s with the id of %s for a rename', async (name, was, moments) => {
      const { id } = app.collections.get('posts').field(was)!;
      await app.sql(`UPDATE posts SET "${was}" = '2020-01-02 03:04:05.678Z'`);
      const definition = { name: 'posts', fields: [{ id, name, type: 'autodate', ...moments }] };
      for (const deleteMissing of [false, false, true]) await run([definition], deleteMissing);
      const posts = app.collections.get('posts');
      expect(posts.field(name)).toMatchObject({ id, system: false, ...moments });
      expect(posts.field(was)).toMatchObject({ type: 'autodate', system: true });
      expect(posts.field(was)!.id).not.toBe(id);
      expect(await app.sql(`SELECT "${name}" AS moved FROM posts`)).toEqual([{ moved: '2020-01-02 03:04:05.678Z' }]);
    });

    it('COL-97 follows times that change places, and one whose name another field takes', async () => {
      const posts = app.collections.get('posts');
      const [created, updated] = [posts.field('created')!.id, posts.field('updated')!.id];
      await app.sql(`UPDATE posts SET created = '2020-01-01 00:00:00.000Z', updated = '2021-01-01 00:00:00.000Z'`);
      const time = (id: string, name: string) => ({ id, name, type: 'autodate', onCreate: true });
      await run([{ name: 'posts', fields: [time(created, 'updated'), time(updated, 'created')] }]);
      expect(await app.sql('SELECT created, updated FROM posts')).toEqual([
        { created: '2021-01-01 00:00:00.000Z', updated: '2020-01-01 00:00:00.000Z' },
      ]);
      const own = { id: 'own_date', name: 'updated', type: 'date' };
      await run([{ name: 'posts', fields: [time(created, 'since'), own] }]);
      expect(await app.sql('SELECT created, since, updated FROM posts')).toEqual([
        { created: '2021-01-01 00:00:00.000Z', since: '2020-01-01 00:00:00.000Z', updated: '' },
      ]);
    });

    it('COL-95 COL-112 renames and swaps by id', async () => {
      await run([
        { name: 'posts', fields: [text('b', { id: 'fa' }), text('a', { id: 'fb' }), text('x', { id: 'fc' })] },
      ]);
      expect(await app.sql('SELECT a, b, x FROM posts')).toEqual([{ a: 'B', b: 'A', x: 'C' }]);
    });

    it('COL-95 refuses another type, or with deleteMissing replaces the column', async () => {
      const error = await failure([{ name: 'posts', fields: [{ name: 'a', type: 'number' }] }]);
      expect(error.params.errors.fields).toMatchObject({ a: { name: { code: 'validation_duplicated_field_name' } } });
      await run([{ name: 'posts', fields: [{ name: 'a', type: 'number' }] }], true);
      expect(await app.sql('SELECT a FROM posts')).toEqual([{ a: 0 }]);
    });

    it('COL-95 with deleteMissing an entry without fields keeps the system fields', async () => {
      await run([{ name: 'posts' }]);
      expect(app.collections.get('posts').fields).toHaveLength(6);
      await run([{ name: 'posts' }], true);
      expect(app.collections.get('posts').fields.map(({ name }) => name)).toEqual(['id', 'created', 'updated']);
    });
  });

  it('COL-96 COL-161 with deleteMissing deletes what is not imported, references or not', async () => {
    await run(wholeApplication(5));
    await run([{ name: 'only', fields: [text('a')] }], true);
    expect(names(own())).toEqual(['only']);
    expect(app.collections.all().filter(({ system }) => system)).toHaveLength(5);
    const left = await app.sql<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'idx%'`,
    );
    expect(left).toEqual([{ name: 'only' }]);
  });

  it('COL-97 COL-43 adds created and updated, and makes ordinary ones system fields', async () => {
    await run([
      { name: 'without', fields: [text('a')] },
      {
        name: 'with',
        fields: [
          { id: 'mine1', name: 'created', type: 'autodate', onCreate: true, onUpdate: false, system: false },
          { id: 'mine2', name: 'updated', type: 'autodate', onCreate: false, onUpdate: true, hidden: true },
        ],
      },
    ]);
    for (const name of ['without', 'with']) {
      const collection = app.collections.get(name);
      expect(collection.field('created')).toMatchObject({ system: true, onCreate: true, onUpdate: false });
      expect(collection.field('updated')).toMatchObject({ system: true, onCreate: true, onUpdate: true });
    }
    expect(app.collections.get('with').field('updated')).toMatchObject({ id: 'mine2', hidden: true });
  });

  it('COL-97 renames a time of the users of a new installation, and of no system collection', async () => {
    const renamed = (name: string) => ({
      name,
      fields: [
        { id: app.collections.get(name).field('created')!.id, name: 'createdAt', type: 'autodate', onCreate: true },
      ],
    });
    await run([renamed('users')]);
    expect(app.collections.get('users').field('createdAt')).toBeDefined();
    expect(app.collections.get('users').field('created')).toMatchObject({ type: 'autodate', system: true });
    const refused = await failure([renamed('_superusers')]);
    expect(refused.params.errors.fields.code).toBe('validation_system_field_change');
  });

  it('COL-97 COL-30 protects system collections', async () => {
    await run([{ name: '_superusers', fields: [text('nick')] }], true);
    expect(app.collections.get('_superusers').field('nick')).toBeDefined();
    expect(app.collections.get('_superusers').field('email')).toBeDefined();
    const renamed = await failure([{ id: 'pbc_3142635823', name: 'admins' }]);
    expect(renamed.params.errors.name.code).toBe('validation_collection_system_name_change');
    const opened = await failure([{ name: '_otps', listRule: '' }]);
    expect(opened.params.errors.listRule.code).toBe('validation_collection_system_rule_change');
  });

  it('COL-99 names the collection, the property and the cause, and changes nothing', async () => {
    await run([{ name: 'kept', fields: [text('a')] }]);
    const before = await app.state();
    const refused: readonly [Json, object][] = [
      [
        { name: 'bad', fields: [text('a'), text('a', { id: 'x' })] },
        { fields: { a: { name: { code: 'validation_duplicated_field_name' } } } },
      ],
      [
        { name: 'bad', fields: [{ name: 'a', type: 'nothing' }, text('b')] },
        { fields: { a: { type: { code: 'validation_in_invalid' } } } },
      ],
      [
        { name: 'bad', fields: [{ name: 'r', type: 'relation', collectionId: 'gone' }] },
        { fields: { r: { collectionId: { code: 'validation_field_relation_missing_collection' } } } },
      ],
      [{ name: 'bad', listRule: 'nothing = 1' }, { listRule: { code: 'validation_invalid_rule' } }],
      [
        { name: 'bad', indexes: ['CREATE INDEX i ON bad (nothing)'] },
        { indexes: { '0': { code: 'validation_invalid_index_expression' } } },
      ],
      [
        { name: 'bad', type: 'view', viewQuery: 'SELECT id, nothing FROM kept' },
        { viewQuery: { code: 'validation_invalid_view_query' } },
      ],
      [
        { name: 'bad', type: 'view', viewQuery: 'SELECT id FROM kept', listRule: 'nothing = 1' },
        { listRule: { code: 'validation_invalid_rule' } },
      ],
      [
        { name: 'bad', type: 'auth', otp: { enabled: true, length: 1 } },
        { otp: { length: { code: 'validation_min_greater_equal_than_required' } } },
      ],
      [{ name: 'bad', type: 'nothing' }, { type: { code: 'validation_in_invalid' } }],
      [
        { name: 'bad', type: 'view', viewQuery: 'SELECT NULL AS id' },
        { viewQuery: { code: 'validation_invalid_view_query' } },
      ],
      [{ name: 'bad name!' }, { name: { code: 'validation_match_invalid' } }],
      [
        { name: 'bad name!', fields: [text('1 a')], listRule: 'nope = 1', updateRule: 'a =', indexes: ['none'] },
        {
          name: { code: 'validation_match_invalid' },
          fields: { '1 a': { name: { code: 'validation_match_invalid' } } },
          listRule: { code: 'validation_invalid_rule' },
          updateRule: { code: 'validation_invalid_rule' },
          indexes: { '0': { code: 'validation_invalid_index_expression' } },
        },
      ],
    ];
    for (const [entry, errors] of refused) {
      const error = await failure([
        { name: 'fine', fields: [text('a')] },
        entry,
        { name: 'kept', fields: [text('z')] },
      ]);
      expect(error.code).toBe('validation_collections_import_failure');
      expect(error.params, error.message).toMatchObject({ collection: entry.name, errors });
      expect(error.message).toContain(String(entry.name));
      expect(error.message).toContain(JSON.stringify(error.params.errors));
      expect(await app.state()).toEqual(before);
    }
  });

  it('COL-99 tells a wrong JSON type and the collection it is in', async () => {
    const error = await failure([{ name: 'bad', listRule: 5 }]);
    expect(error.code).toBe('validation_collections_import_failure');
    expect(error.message).toContain('bad');
    expect(error.message).toContain('listRule');
  });

  it('COL-98 rules may use what the same import brings, views included', async () => {
    await run([
      {
        name: 'a',
        fields: [{ name: 'to', type: 'relation', collectionId: 'b_id', maxSelect: 1 }],
        listRule: `to.name = 'x' && @collection.v.total > 1`,
      },
      { id: 'b_id', name: 'b', fields: [text('name')], listRule: `a_via_to.id != ''` },
      { name: 'v', type: 'view', viewQuery: 'SELECT id, count(*) AS total FROM b GROUP BY id' },
    ]);
    expect(names(own())).toEqual(['a', 'b', 'users', 'v']);
  });

  it('COL-24 COL-112 swaps the names of collections', async () => {
    await run([
      { id: 'id_1', name: 'one', fields: [text('a')] },
      { id: 'id_2', name: 'two', fields: [text('b')] },
    ]);
    await app.sql(`INSERT INTO one (id, a) VALUES ('x', '1')`);
    await run([
      { id: 'id_1', name: 'two' },
      { id: 'id_2', name: 'one' },
    ]);
    expect(await app.sql('SELECT a FROM two')).toEqual([{ a: '1' }]);
  });

  it('COL-93 takes the shape exported before fields had their options beside them', async () => {
    await run([
      {
        id: 'old_posts_id',
        created: '2023-01-01 00:00:00.000Z',
        updated: '2023-01-01 00:00:00.000Z',
        name: 'posts',
        type: 'base',
        system: false,
        schema: [
          {
            system: false,
            id: 'oldtitle',
            name: 'title',
            type: 'text',
            required: true,
            presentable: false,
            unique: false,
            options: { min: null, max: 100, pattern: '' },
          },
          {
            system: false,
            id: 'oldcount',
            name: 'count',
            type: 'number',
            required: false,
            unique: true,
            options: { min: null, max: 5, noDecimal: true },
          },
          {
            system: false,
            id: 'oldtags',
            name: 'tags',
            type: 'relation',
            required: false,
            options: {
              collectionId: 'old_tags_id',
              cascadeDelete: true,
              minSelect: null,
              maxSelect: null,
              displayFields: ['name'],
            },
          },
          {
            system: false,
            id: 'oldbody',
            name: 'body',
            type: 'editor',
            required: false,
            options: { convertUrls: true },
          },
          {
            system: false,
            id: 'oldfile',
            name: 'file',
            type: 'file',
            required: false,
            options: { mimeTypes: [], thumbs: [], maxSelect: 1, maxSize: 5242880, protected: false },
          },
        ],
        indexes: ['CREATE INDEX `idx_old` ON `posts` (`title`)'],
        listRule: '',
        viewRule: null,
        createRule: null,
        updateRule: null,
        deleteRule: null,
        options: {},
      },
      {
        id: 'old_tags_id',
        name: 'tags',
        type: 'base',
        schema: [{ name: 'name', type: 'text', options: {} }],
        options: {},
      },
      {
        id: 'old_users_id',
        name: 'members',
        type: 'auth',
        schema: [{ name: 'bio', type: 'text', options: {} }],
        indexes: [],
        listRule: `username = 'x'`,
        createRule: `@request.data.bio != '' && @request.data.email:isset = true`,
        options: {
          allowEmailAuth: true,
          allowOAuth2Auth: true,
          allowUsernameAuth: true,
          exceptEmailDomains: null,
          manageRule: `@request.data.bio = 'managed'`,
          minPasswordLength: 9,
          onlyEmailDomains: ['example.com'],
          onlyVerified: true,
          requireEmail: false,
        },
      },
      {
        id: 'old_view_id',
        name: 'titles',
        type: 'view',
        schema: [],
        options: { query: 'SELECT id, title FROM posts' },
      },
    ]);
    const posts = app.collections.get('posts');
    expect(posts.id).toBe('old_posts_id');
    expect(posts.field('title')).toMatchObject({ id: 'oldtitle', required: true, max: 100, min: 0 });
    expect(posts.field('count')).toMatchObject({ onlyInt: true, min: null, max: 5 });
    expect(posts.field('tags')).toMatchObject({
      collectionId: 'old_tags_id',
      cascadeDelete: true,
      minSelect: 0,
      maxSelect: 2147483647,
    });
    expect(posts.field('body')).toMatchObject({ convertURLs: true });
    expect(posts.indexes).toEqual(['CREATE INDEX `idx_old` ON `posts` (`title`)']);
    const members = app.collections.get('members');
    expect(members.createRule).toBe(`@request.body.bio != '' && @request.body.email:isset = true`);
    expect(members.auth?.manageRule).toBe(`@request.body.bio = 'managed'`);
    expect(members.field('username')).toMatchObject({ required: true });
    expect(members.field('email')).toMatchObject({ required: false, onlyDomains: ['example.com'] });
    expect(members.field('password')).toMatchObject({ min: 9 });
    expect(members.auth).toMatchObject({
      authRule: 'verified = true',
      passwordAuth: { enabled: true, identityFields: ['email', 'username'] },
      oauth2: { enabled: true },
    });
    expect(app.collections.get('titles').viewQuery).toBe('SELECT id, title FROM posts');
  });

  it('COL-93 COL-126 a field marked unique is one by an index if the export is older than indexes', async () => {
    const schema = ['number', 'name'].map((name) => ({ name, type: 'text', unique: name === 'number', options: {} }));
    await run([
      { name: 'before_indexes', schema, options: {} },
      { name: 'since_indexes', schema, indexes: [], options: {} },
    ]);
    expect(app.collections.get('before_indexes').indexes).toEqual([
      'CREATE UNIQUE INDEX `idx_unique_before_indexes_number` ON `before_indexes` (`number`)',
    ]);
    expect(app.collections.get('since_indexes').indexes).toEqual([]);
  });

  it('COL-93 takes collections whose id is their name', async () => {
    const rooms = [{ name: 'hotel', type: 'relation', collectionId: 'hotels', maxSelect: 1 }];
    const collections = [
      { id: 'rooms', name: 'rooms', fields: rooms },
      { id: 'hotels', name: 'hotels', fields: [text('name')] },
    ];
    await run(collections);
    await run(collections);
    expect(app.collections.get('rooms').field('hotel')).toMatchObject({ collectionId: 'hotels' });
  });
});
