import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ViewDryRun } from '../../src/collections/view-dry-run.js';
import type { FieldDefinition } from '../../src/kernel/fields/field-definition.js';
import { CollectionsApp } from './support/collections-app.js';

describe('views', () => {
  let app: CollectionsApp;
  beforeEach(async () => {
    app = await CollectionsApp.asNew(app, { config: { ROOST_QUERY_TIMEOUT: 1 } });
    app.clock.freeze();
    await app.create({
      name: 'posts',
      type: 'base',
      fields: [
        { name: 'title', type: 'text', max: 20 },
        { name: 'views', type: 'number' },
        { name: 'secret', type: 'text', hidden: true },
        { name: 'author', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
        { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
      ],
    });
    await app.sql(`INSERT INTO posts (id, title, views) VALUES ('r1', 'one', 3), ('r2', 'two', 4)`);
  });
  afterAll(() => app.stop());

  const view = (name: string, viewQuery: string) => app.create({ name, type: 'view', viewQuery });
  const shapes = (name: string) => app.collections.get(name).fields.map((field) => [field.name, field.type]);
  const hasSqlView = async (name: string) =>
    (await app.sql(`SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?`, name)).length === 1;
  const changed = (name: string, change: (field: FieldDefinition) => object | undefined) =>
    app.update(name, { fields: app.collections.get(name).fields.flatMap((field) => change(field) ?? []) });
  const renamed = (name: string, from: string, to: string) =>
    changed(name, (field) => (field.name === from ? { ...field, name: to } : field));
  const without = (name: string, removed: string) =>
    changed(name, (field) => (field.name === removed ? undefined : field));

  it('COL-130 COL-133 has the fields of its query, whatever the request says', async () => {
    const created = await app.create({
      name: 'stats',
      type: 'view',
      fields: [{ name: 'nonsense', type: 'text' }],
      viewQuery: `SELECT p.id, p.title AS name, p.secret, u.id AS owner, p.author, count(p.id) AS n, total(p.views) AS t,
        cast(p.views AS real) AS r, cast(p.views AS int) AS i, cast(p.views AS text) AS x, cast(p.views AS bool) AS b,
        max(p.views) AS m, p.tags, 1 AS one, 'a' || p.title AS both, CASE WHEN 1 THEN 2 END AS c
        FROM posts p LEFT JOIN users u ON u.id = p.author GROUP BY p.id`,
    });
    expect(created.fields.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'text'],
      ['name', 'text'],
      ['secret', 'text'],
      ['owner', 'relation'],
      ['author', 'relation'],
      ['n', 'number'],
      ['t', 'number'],
      ['r', 'number'],
      ['i', 'number'],
      ['x', 'text'],
      ['b', 'bool'],
      ['m', 'number'],
      ['tags', 'select'],
      ['one', 'json'],
      ['both', 'text'],
      ['c', 'json'],
    ]);
    expect(created.field('id')).toMatchObject({ system: true, required: true, primaryKey: true, min: 0, max: 0 });
    expect(created.field('id')).toMatchObject({ pattern: '^[a-z0-9]+$', autogeneratePattern: '' });
    expect(created.field('name')).toMatchObject({ max: 20 });
    expect(created.field('name')!.id).not.toBe(app.collections.get('posts').field('title')!.id);
    expect(created.field('owner')).toMatchObject({ collectionId: '_pb_users_auth_', maxSelect: 1 });
    expect(created.field('n')).toMatchObject({ onlyInt: true });
    expect(created.field('i')).toMatchObject({ onlyInt: true });
    expect(created.field('t')).toMatchObject({ onlyInt: false });
    expect(created.field('tags')).toMatchObject({ maxSelect: 2, values: ['a', 'b'] });
  });

  it('COL-134 keeps copied fields hidden', async () => {
    const created = await view('v', 'SELECT id, secret AS shown FROM posts');
    expect(created.field('shown')).toMatchObject({ hidden: true });
  });

  it('COL-134 hides at start what a version before has stored as open', async () => {
    await view('loud', 'SELECT id, title, upper(secret) AS shown FROM posts');
    await view('louder', 'SELECT id, title, shown FROM loud');
    await app.sql(
      `UPDATE _collections SET fields = replace(fields, '"hidden":true', '"hidden":false') WHERE type = 'view'`,
    );
    await app.store.load();
    for (const name of ['loud', 'louder']) {
      expect(app.collections.get(name).fields.map(({ hidden }) => hidden)).toEqual([false, false, true]);
    }
  });

  it('COL-132 always has text for an id', async () => {
    await view('numbered', 'SELECT (ROW_NUMBER() OVER ()) AS id, title FROM posts');
    expect(await app.sql('SELECT id FROM numbered')).toEqual([{ id: '1' }, { id: '2' }]);
    await view('numbered2', 'SELECT id, title FROM numbered');
    expect(await app.sql('SELECT typeof(id) AS t FROM numbered2')).toEqual([{ t: 'text' }, { t: 'text' }]);
  });

  it('COL-132 finds a record by id through the index of its table', async () => {
    await view('v', 'SELECT id, title FROM posts');
    const plan = await app.sql<{ detail: string }>(`EXPLAIN QUERY PLAN SELECT * FROM v WHERE id = 'r1'`);
    expect(plan[0]!.detail).toContain('SEARCH');
  });

  it.each([
    ['an empty query', '', 'validation_required'],
    ['no id', 'SELECT title FROM posts', 'validation_invalid_view_query'],
    ['a star', 'SELECT * FROM posts', 'validation_invalid_view_query'],
    ['an expression without a name', 'SELECT id, count(*) FROM posts', 'validation_invalid_view_query'],
    ['two columns of one name', 'SELECT id, title AS a, views AS A FROM posts', 'validation_invalid_view_query'],
    ['a reserved name', 'SELECT id, title AS expand FROM posts', 'validation_invalid_view_query'],
    ['a back-relation name', 'SELECT id, title AS a_via_b FROM posts', 'validation_invalid_view_query'],
    ['an unknown table', 'SELECT id FROM nothing', 'validation_invalid_view_query'],
    ['an unknown column', 'SELECT id, nothing FROM posts', 'validation_invalid_view_query'],
    ['itself', 'SELECT id FROM bad', 'validation_invalid_view_query'],
    ['repeated ids', 'SELECT 1 AS id FROM posts', 'validation_invalid_view_query'],
    ['empty ids', `SELECT '' AS id FROM posts LIMIT 1`, 'validation_invalid_view_query'],
    ['ids that are null', 'SELECT NULL AS id', 'validation_invalid_view_query'],
    ['two statements', 'SELECT id FROM posts; DELETE FROM posts', 'validation_invalid_view_query'],
    ['a writing statement', 'DELETE FROM posts RETURNING id', 'validation_invalid_view_query'],
    ['a hidden second statement', 'SELECT id FROM posts) ; DELETE FROM posts; --', 'validation_invalid_view_query'],
    ['a pragma', 'PRAGMA table_info(posts)', 'validation_invalid_view_query'],
  ])('COL-131 refuses %s and executes nothing of it', async (_what, viewQuery, code) => {
    const before = await app.state();
    const { data } = await app.refusal(view('bad', viewQuery));
    expect(data.viewQuery.code).toBe(code);
    expect(await app.state()).toEqual(before);
    expect(await app.sql('SELECT count(*) AS n FROM posts')).toEqual([{ n: 2 }]);
  });

  it('COL-131 cuts the reason to 500 characters', async () => {
    const { data } = await app.refusal(view('bad', `SELECT id, ${'x'.repeat(2000)} AS y FROM posts`));
    expect(data.viewQuery.message.length).toBeLessThanOrEqual(500);
  });

  describe('with texts in double quotes, as SQLite takes them', () => {
    const query = `SELECT id, "title", "new" AS state, "it's" AS other FROM posts WHERE "title" != "none" -- "two"`;
    const settled = `SELECT id, "title", 'new' AS state, 'it''s' AS other FROM posts WHERE "title" != 'none' -- "two"`;

    it('COL-131 is stored with them in single quotes', async () => {
      const { viewQuery } = await view('states', query);
      expect(viewQuery).toBe(settled);
      expect(await app.sql('SELECT title, state, other FROM states')).toEqual([
        { title: 'one', state: 'new', other: "it's" },
        { title: 'two', state: 'new', other: "it's" },
      ]);
    });

    it('COL-95 COL-102 can be tried and imported', async () => {
      const { fields } = await app.get(ViewDryRun).run(query);
      expect(fields.map(({ name }) => name)).toEqual(['id', 'title', 'state', 'other']);
      await app.collections.import([{ name: 'states', type: 'view', viewQuery: query }]);
      expect(app.collections.get('states').viewQuery).toBe(settled);
    });

    it('COL-118 still notices that a column has gone', async () => {
      await view('states', query);
      await renamed('posts', 'title', 'headline');
      expect([await hasSqlView('states'), app.collections.get('states').viewQuery]).toEqual([false, settled]);
    });

    it('COL-131 refuses names that cannot be texts', async () => {
      const { data } = await app.refusal(view('bad', 'SELECT p.id, p."titel" AS title FROM posts p'));
      expect(data.viewQuery.message).toContain('titel');
    });
  });

  it('COL-131 does not let an endless query stop anybody', async () => {
    const endless = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS id FROM c`;
    const { data } = await app.refusal(view('bad', endless));
    expect(data.viewQuery.code).toBe('validation_invalid_view_query');
  });

  describe('with an endless query', () => {
    const endless = (from: string) =>
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS id FROM c, ${from}`;
    const other = { name: 'other', type: 'base', fields: [{ name: 'a', type: 'text' }] };

    it('COL-131 COL-99 is cut off in an import, which then changes nothing', async () => {
      const before = await app.state();
      const bad = { name: 'bad', type: 'view', viewQuery: endless('posts') };
      const { data } = await app.refusal(app.collections.import([other, bad]));
      expect(data.collections.params).toMatchObject({
        collection: 'bad',
        errors: { viewQuery: { code: 'validation_invalid_view_query' } },
      });
      expect(await app.state()).toEqual(before);
    });

    it('COL-131 is cut off inside a transaction, which may go on without it', async () => {
      const refused = await app.database.transaction(async () => {
        await app.create(other);
        return app.refusal(view('bad', endless('posts')));
      });
      expect(refused.data.viewQuery.code).toBe('validation_invalid_view_query');
      expect(app.collections.find('other')).toBeDefined();
      expect(app.collections.find('bad')).toBeUndefined();
    });

    it('COL-131 SCALE-3 is stored unrun where it could not be cut off, and cut off by whoever reads it', async () => {
      const late = { name: 'late', type: 'view', viewQuery: endless('other'), listRule: '' };
      await app.collections.import([other, late]);
      await app.database.transaction(async () => {
        await app.create({ ...other, name: 'another' });
        await app.create({ ...late, name: 'later', viewQuery: endless('another') });
        await app.update('later', { listRule: null });
      });
      await app.sql(`INSERT INTO other (id) VALUES ('x')`);
      const list = await app.roost.inject({ url: '/api/collections/late/records' });
      expect([list.status, list.body.data]).toEqual([400, {}]);
      await app.collections.delete('late');
    });

    it('COL-131 does not spoil the check of a query that ends, over a table of the same import', async () => {
      const numbers = `WITH RECURSIVE c(n) AS (VALUES (1), (2)) SELECT 'same' AS id FROM c LEFT JOIN other`;
      const { data } = await app.refusal(
        app.collections.import([other, { name: 'bad', type: 'view', viewQuery: numbers }]),
      );
      expect(data.collections.params.errors.viewQuery.code).toBe('validation_invalid_view_query');
    });
  });

  it('COL-130 COL-140 refuses writing rules and indexes, and checks its other rules', async () => {
    const { data } = await app.refusal(
      app.create({
        name: 'v',
        type: 'view',
        viewQuery: 'SELECT id FROM posts',
        createRule: '',
        updateRule: 'id = 1',
        deleteRule: '',
        listRule: 'nothing = 1',
        viewRule: 'id = 1',
        indexes: ['CREATE INDEX i ON v (id)'],
      }),
    );
    expect(data).toMatchObject({
      createRule: { code: 'validation_nil' },
      updateRule: { code: 'validation_nil' },
      deleteRule: { code: 'validation_nil' },
      listRule: { code: 'validation_invalid_rule' },
      indexes: { code: 'validation_indexes_not_supported' },
    });
    expect(data.viewRule).toBeUndefined();
  });

  it('COL-3 takes either spelling of the query and refuses two that are both new', async () => {
    const both = (viewQuery: string, query: string) => ({ viewQuery, options: { query } });
    const [one, two, three] = ['SELECT id FROM posts', 'SELECT id, title FROM posts', 'SELECT id, views FROM posts'];
    const mismatch = await app.refusal(app.create({ name: 'v', type: 'view', ...both(one!, two!) }));
    expect(mismatch.data.viewQuery.code).toBe('validation_values_mismatch');
    await app.create({ name: 'v', type: 'view', options: { query: `${one} ;` } });
    expect(app.exported().at(-1)).toMatchObject({ viewQuery: `${one} ;`, options: { query: `${one} ;` } });
    expect((await app.update('v', both(`${one} ;`, two!))).viewQuery).toBe(two);
    expect((await app.update('v', both(three!, two!))).viewQuery).toBe(three);
    expect((await app.refusal(app.update('v', both(one!, two!)))).data.viewQuery.code).toBe(
      'validation_values_mismatch',
    );
  });

  it('COL-133 keeps the ids of its fields over saves', async () => {
    const created = await view('v', 'SELECT id, title, count(*) AS n FROM posts');
    const ids = new Map(created.fields.map((field) => [field.name, field.id]));
    const saved = await app.update('v', { viewQuery: 'SELECT count(*) AS n, id, views AS w, title FROM posts' });
    for (const name of ['id', 'title', 'n']) expect(saved.field(name)!.id).toBe(ids.get(name));
  });

  it('COL-118 refreshes views over views when their table changes, and nothing else', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await view('loud', 'SELECT t.id, t.title AS words FROM titles t');
    const apart = await view('people', 'SELECT id, name FROM users');
    app.clock.advance(1000);
    await changed('posts', (field) => (field.name === 'title' ? { ...field, max: 7, hidden: true } : field));
    expect(app.collections.get('titles').field('title')).toMatchObject({ max: 7, hidden: true });
    expect(app.collections.get('loud').field('words')).toMatchObject({ max: 7, hidden: true });
    expect(app.collections.get('loud').updated).toBe(app.collections.get('posts').updated);
    expect(app.collections.get('people')).toBe(apart);
    expect(await app.sql('SELECT words FROM loud')).toEqual([{ words: 'one' }, { words: 'two' }]);
  });

  it("COL-118 is left without a SQL view by a rename, stands in nobody's way, and works again once corrected", async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await view('loud', 'SELECT t.id, t.title AS words FROM titles t');
    const before = shapes('loud');
    await renamed('posts', 'title', 'headline');
    expect(await hasSqlView('titles')).toBe(false);
    expect(await hasSqlView('loud')).toBe(false);
    expect(shapes('loud')).toEqual(before);
    await renamed('posts', 'headline', 'subject');
    await without('posts', 'secret');
    await app.update('posts', { name: 'articles' });
    await app.update('titles', { viewQuery: 'SELECT id, subject AS title FROM articles' });
    expect(await app.sql('SELECT words FROM loud')).toEqual([{ words: 'one' }, { words: 'two' }]);
  });

  it('COL-118 comes back when a rename is taken back', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await app.update('posts', { name: 'articles' });
    expect(await hasSqlView('titles')).toBe(false);
    await app.update('articles', { name: 'posts' });
    expect(await app.sql('SELECT title FROM titles')).toEqual([{ title: 'one' }, { title: 'two' }]);
  });

  it('COL-118 does not let go of a field it needs', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await view('loud', 'SELECT t.id, t.title AS words FROM titles t');
    const before = await app.state();
    const { data, message } = await app.refusal(without('posts', 'title'));
    expect(data.fields.code).toBe('validation_field_view_reference');
    expect(message).toContain('titles');
    expect(await app.state()).toEqual(before);
    await without('posts', 'views');
  });

  describe('COL-118 whose columns other views read', () => {
    const narrower = { viewQuery: 'SELECT id, title AS headline FROM posts' };
    const message = 'Views need a field that was removed: loud, louder.';

    beforeEach(async () => {
      await view('titles', 'SELECT id, title, views FROM posts');
      await view('loud', 'SELECT t.id, t.title AS words FROM titles t');
      await view('louder', 'SELECT id, words FROM loud');
    });

    it('do not let go of them', async () => {
      const before = await app.state();
      const { data } = await app.refusal(app.update('titles', narrower));
      expect(data).toEqual({
        viewQuery: { code: 'validation_field_view_reference', message, params: expect.anything() },
      });
      expect(await app.state()).toEqual(before);
      const refused = await app.refusal(app.collections.import([{ name: 'titles', type: 'view', ...narrower }]));
      expect(refused.message).toContain('Views need a field that was removed');
      expect(await app.state()).toEqual(before);
    });

    it('may let go of the others, and take another name', async () => {
      await app.update('titles', { viewQuery: `SELECT id, 'x' || title AS title FROM posts` });
      expect(await app.sql('SELECT words FROM louder')).toEqual([{ words: 'xone' }, { words: 'xtwo' }]);
      await app.update('titles', { name: 'headings' });
      expect(await hasSqlView('loud')).toBe(false);
    });

    it('may let go of them together with the views that read them', async () => {
      await app.collections.import([
        { name: 'titles', type: 'view', ...narrower },
        { name: 'loud', type: 'view', viewQuery: 'SELECT id, headline AS words FROM titles' },
      ]);
      expect(await app.sql('SELECT words FROM louder')).toEqual([{ words: 'one' }, { words: 'two' }]);
    });
  });

  it('COL-118 tells a removed field from a renamed one in the same save', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await changed('posts', (field) => {
      if (field.name === 'views') return undefined;
      return field.name === 'title' ? { ...field, name: 'headline' } : field;
    });
    expect(await hasSqlView('titles')).toBe(false);
  });

  it('COL-118 is content when another field takes the name of a removed one', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    const fields = app.collections.get('posts').fields.filter(({ name }) => name !== 'title');
    await app.update('posts', { fields: [...fields, { name: 'title', type: 'number' }] });
    expect(shapes('titles')).toEqual([
      ['id', 'text'],
      ['title', 'number'],
    ]);
  });

  it('COL-119 stands in the way of no conversion', async () => {
    await view('tagged', 'SELECT id, tags FROM posts');
    await app.sql(`UPDATE posts SET tags = '["a","b"]' WHERE id = 'r1'`);
    await changed('posts', (field) => (field.name === 'tags' ? { ...field, maxSelect: 1 } : field));
    expect(await app.sql('SELECT tags FROM tagged ORDER BY id')).toEqual([{ tags: 'b' }, { tags: '' }]);
    expect(app.collections.get('tagged').field('tags')).toMatchObject({ maxSelect: 1 });
  });

  it('COL-91 COL-136 keeps what it reads from being deleted', async () => {
    await view('v', 'SELECT p.id, u.id AS someone FROM posts p, users u');
    await view('w', 'SELECT id, someone FROM v');
    const { status, data, message } = { status: 400, ...(await app.refusal(app.collections.delete('posts'))) };
    expect([status, data]).toEqual([400, {}]);
    expect(message).toContain('v');
    expect((await app.refusal(app.collections.delete('v'))).message).toContain('w');
    await app.collections.delete('w');
    await app.collections.delete('v');
    await app.collections.delete('posts');
    expect(await hasSqlView('v')).toBe(false);
  });

  it('COL-136 may read system collections', async () => {
    await view('linked', 'SELECT id, provider FROM _externalAuths');
    expect(shapes('linked')).toEqual([
      ['id', 'text'],
      ['provider', 'text'],
    ]);
  });

  it('COL-112 COL-115 lets two views and their tables change names', async () => {
    await view('titles', 'SELECT id, title FROM posts');
    await app.update('titles', { name: 'Titles' });
    expect(await app.sql('SELECT count(*) AS n FROM Titles')).toEqual([{ n: 2 }]);
    await app.update('titles', { name: 'headings', viewQuery: 'SELECT id, title FROM posts' });
    expect(await hasSqlView('Titles')).toBe(false);
    expect(await hasSqlView('headings')).toBe(true);
  });
});
