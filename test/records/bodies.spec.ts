import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

describe('what a record body may hold', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let rootToken: string;
  let ann: RecordApi;
  let annId: string;
  let id: string;
  let tags: string[];

  beforeAll(async () => {
    roost = await startRoost();
    rootToken = await roost.createSuperuser();
    root = new RecordApi(roost, rootToken);
    await roost.createCollections(...BLOG);
    const password = { password: '12345678', passwordConfirm: '12345678' };
    annId = (await root.make('users2', { email: 'ann@example.com', ...password })).id;
    ann = root.as(await roost.signIn('users2', 'ann@example.com'));
    tags = [];
    for (const label of ['a', 'b', 'c']) tags.push((await root.make('tags', { label })).id);
  });

  beforeEach(async () => {
    id = (await root.make('posts', { title: 'post', views: 2, author: annId, internal: 'hidden', options: ['a'] })).id;
  });

  afterAll(() => roost.close());

  const send = (method: 'POST' | 'PATCH', path: string, body: unknown, type?: string) =>
    roost.inject({
      method,
      url: `/api/collections/posts/records${path}`,
      body,
      token: rootToken,
      headers: type ? { 'content-type': type } : {},
    });

  it.each(['{', '[]', '"x"', '{"title":"x"} y', 'title=x'])('BODY-2 ERR-3 refuses %s as JSON', async (body) => {
    const response = await send('POST', '', body, 'application/json');
    expect([response.status, response.body.data]).toEqual([400, {}]);
  });

  it('BODY-2 COL-71 refuses nesting that neither a rule nor a view over the records could read', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    await roost.createCollections(
      {
        name: 'trees',
        type: 'base',
        createRule: '@request.body.extra != "x"',
        fields: [{ name: 'tree', type: 'json' }],
      },
      { name: 'roots', type: 'view', viewQuery: `SELECT id, json_extract(tree, '$.a') AS a FROM trees` },
    );
    const headers = { 'content-type': 'application/json' };
    const create = (body: string) =>
      roost.inject({ method: 'POST', url: '/api/collections/trees/records', body, headers });
    expect((await create(`{"tree":${nested(1000)}}`)).status).toBe(200);
    expect((await create(`{"tree":${nested(1001)}}`)).body.data).toMatchObject({
      tree: { code: 'validation_invalid_json' },
    });
    expect((await create(JSON.stringify({ tree: nested(1001) }))).body.data).toMatchObject({
      tree: { code: 'validation_invalid_json' },
    });
    const tooDeep = await create(`{"extra":${nested(20_000)}}`);
    expect([tooDeep.status, tooDeep.body.data]).toEqual([400, {}]);
    const roots = await roost.inject({ url: '/api/collections/roots/records', token: rootToken });
    expect([roots.status, roots.body.totalItems]).toEqual([200, 1]);
  });

  it('BODY-1 takes parameters of a content type and refuses unknown types', async () => {
    expect((await send('PATCH', `/${id}`, '{"title":"x"}', 'application/json; charset=utf-8')).body.title).toBe('x');
    expect((await send('PATCH', `/${id}`, 'title=y', 'application/x-www-form-urlencoded')).body.title).toBe('y');
    expect((await send('PATCH', `/${id}`, 'title', 'text/plain')).status).toBe(400);
    expect((await send('PATCH', `/${id}`, 'null', 'application/json')).status).toBe(200);
  });

  it('JSON-8 answers with what is stored when half a character was sent', async () => {
    for (const [sent, stored] of [
      ['a\\ud83d', 'a\ufffd'],
      ['\\uDE00b', '\ufffdb'],
      ['\\ude00\\ud83d', '\ufffd\ufffd'],
      ['\\ud83d\\ud83d\\ude00', '\ufffd😀'],
      ['\\ud83d\\ude00', '😀'],
    ]) {
      const { body } = await send('PATCH', `/${id}`, `{"title":"${sent}","meta":["${sent}"]}`, 'application/json');
      expect([body.title, body.meta]).toEqual([stored, [stored]]);
      expect((await root.view('posts', id)).body).toEqual(body);
    }
  });

  it('BODY-2 lets the last of duplicate keys win', async () => {
    expect((await send('PATCH', `/${id}`, '{"title":"x","title":"y"}', 'application/json')).body.title).toBe('y');
  });

  it('BODY-3 COL-56 COL-69 ignores unknown and reserved keys, and autodates for everybody', async () => {
    const response = await root.update('posts', id, {
      nonsense: 1,
      collectionId: 'x',
      collectionName: 'x',
      expand: {},
      created: '2000-01-01 00:00:00.000Z',
      updated: '2000-01-01 00:00:00.000Z',
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ collectionName: 'posts', collectionId: 'blog_posts_0001' });
    expect(response.body.nonsense).toBeUndefined();
    expect(response.body.created > '2020').toBe(true);
    expect(response.body.updated > '2020').toBe(true);
  });

  it('BODY-3 COL-62 lets an update name the id only if it is the same', async () => {
    expect((await root.update('posts', id, { id })).status).toBe(200);
    const other = await root.update('posts', id, { id: 'other0000000000' });
    expect(other.body.data.id.code).toBe('validation_pk_change');
  });

  it('BODY-4 BODY-5 infers the values of forms', async () => {
    const form = 'title=007&views=-3.5&published=true&meta=1e5&options=a&options=b';
    const { body } = await send('POST', '', form, 'application/x-www-form-urlencoded');
    expect(body).toMatchObject({ title: '007', views: -3.5, published: true, options: ['a', 'b'] });
    expect(body.meta).toBe(100000);
  });

  it('BODY-6 merges @jsonPayload over the other values of a form', async () => {
    const form = new FormData();
    form.set('title', 'form');
    form.set('views', '1');
    form.append('@jsonPayload', JSON.stringify({ title: 'json', meta: { a: [1] } }));
    form.append('@jsonPayload', JSON.stringify({ views: 9 }));
    const { body } = await send('POST', '', form);
    expect(body).toMatchObject({ title: 'json', views: 9, meta: { a: [1] } });
    const broken = new FormData();
    broken.set('@jsonPayload', '{');
    expect((await send('POST', '', broken)).status).toBe(400);
  });

  it('BODY-9 BODY-14 keeps the last of several values for a single field, and unique ones for a multiple', async () => {
    const other = (
      await root.make('users2', { email: 'z@example.com', password: '12345678', passwordConfirm: '12345678' })
    ).id;
    expect((await root.update('posts', id, { author: [annId, other] })).body.author).toBe(other);
    expect((await root.update('posts', id, { 'author+': annId })).body.author).toBe(annId);
    expect((await root.update('posts', id, { '+author': other })).body.author).toBe(annId);
    const many = await root.update('posts', id, { tags: [tags[1], '', tags[0], tags[1]] });
    expect(many.body.tags).toEqual([tags[1], tags[0]]);
    expect((await root.update('posts', id, { options: '["c","a"]' })).body.options).toEqual(['c', 'a']);
  });

  it('BODY-10 drops hidden fields of callers who are no superusers, silently', async () => {
    const { status, body } = await ann.update('posts', id, { internal: 'mine', title: 'new' });
    expect([status, body.title, body.internal]).toEqual([200, 'new', undefined]);
    expect((await root.view('posts', id)).body.internal).toBe('hidden');
    expect((await root.update('posts', id, { internal: 'theirs' })).body.internal).toBe('theirs');
  });

  it('BODY-10 drops them before rules, under every key', async () => {
    await roost.createCollections({
      name: 'veiled',
      type: 'base',
      createRule: '@request.body.note:isset = false && @request.body.count:isset = false',
      fields: [
        { name: 'note', type: 'text', hidden: true, autogeneratePattern: '[a-z]{5}' },
        { name: 'count', type: 'number', hidden: true },
      ],
    });
    const made = await ann.create('veiled', { note: 'mine', 'note:autogenerate': 'mine-', count: 7, 'count+': 7 });
    expect(made.status).toBe(200);
    const stored = (await root.view('veiled', made.body.id)).body;
    expect(stored).toMatchObject({ note: expect.stringMatching(/^[a-z]{5}$/), count: 0 });
  });

  it('BODY-12 changes only what is sent, and an empty update touches updated', async () => {
    const before = (await root.view('posts', id)).body;
    roost.clock.advance(1000);
    const { body } = await root.update('posts', id, {});
    expect(body).toMatchObject({ title: before.title, views: before.views, created: before.created });
    expect(body.updated > before.updated).toBe(true);
  });

  it('BODY-13 COL-57 applies modifiers after the plain key, from the stored value', async () => {
    expect((await root.update('posts', id, { 'views+': 5 })).body.views).toBe(7);
    expect((await root.update('posts', id, { 'views-': 3 })).body.views).toBe(4);
    expect((await root.update('posts', id, { 'views-': 1, 'views+': 5, views: 10 })).body.views).toBe(14);
    expect((await root.create('posts', { title: 'x', 'views+': 4 })).body.views).toBe(4);
    expect((await root.update('posts', id, { 'options+': ['b', 'c'] })).body.options).toEqual(['a', 'b', 'c']);
    expect((await root.update('posts', id, { 'options-': 'a' })).body.options).toEqual(['b', 'c']);
    expect((await root.update('posts', id, { '+options': 'a' })).body.options).toEqual(['a', 'b', 'c']);
    expect((await root.update('posts', id, { 'options-': ['nothing', 'b', 'c'] })).body.options).toEqual(['a']);
  });

  it('COL-62 generates texts where they are empty or asked for', async () => {
    const post = await root.make('posts', { title: 'x' });
    expect(post['slug']).toMatch(/^[a-z]{8}$/);
    const { body } = await root.update('posts', post.id, { 'slug:autogenerate': 'pre-' });
    expect(body.slug).toMatch(/^pre-[a-z]{8}$/);
    expect((await root.update('posts', post.id, { 'title:autogenerate': 'plain' })).body.title).toBe('plain');
  });

  it('BODY-15 REF-7 RULE-5 shows rules the resulting value under the plain name', async () => {
    await roost.createCollections({
      name: 'counters',
      type: 'base',
      listRule: '',
      viewRule: '',
      createRule: '@request.body.total = 4 && @request.body.total:isset = true && @request.body.other:isset = false',
      updateRule: 'total = 4 && @request.body.total = 6 && @request.body.total:changed = true',
      fields: [
        { name: 'total', type: 'number' },
        { name: 'other', type: 'number' },
      ],
    });
    expect((await ann.create('counters', { total: 4, other: 1 })).status).toBe(400);
    expect((await ann.create('counters', { 'total+': 3 })).status).toBe(400);
    const { id: counter } = (await ann.create('counters', { 'total+': 4 })).body;
    expect((await ann.update('counters', counter, { total: 7 })).status).toBe(404);
    expect((await ann.update('counters', counter, { 'total+': 2 })).body.total).toBe(6);
    expect((await ann.update('counters', counter, { total: 6 })).status).toBe(404);
  });

  it('BODY-16 TX-1 loses no concurrent change', async () => {
    await Promise.all(Array.from({ length: 100 }, () => root.update('posts', id, { 'views+': 1 })));
    expect((await root.view('posts', id)).body.views).toBe(102);
    await Promise.all([
      root.update('posts', id, { title: 'mine' }),
      root.update('posts', id, { meta: { a: 1 } }),
      root.update('posts', id, { published: true }),
    ]);
    expect((await root.view('posts', id)).body).toMatchObject({ title: 'mine', meta: { a: 1 }, published: true });
  });

  it('COL-28 BODY-12 takes field names that objects have of their own', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    await roost.createCollections({
      name: 'odd_names',
      type: 'base',
      createRule: '@request.body.constructor = "kept" && constructor = "kept"',
      fields: [...names, 'plain'].map((name) => ({ name, type: 'text' })),
    });
    const values = Object.fromEntries([...names, 'plain'].map((name) => [name, 'kept']));
    const guest = root.as(undefined);
    expect((await guest.create('odd_names', { plain: 'kept' })).status).toBe(400);
    const made = await guest.create('odd_names', values);
    expect([made.status, Object.entries(made.body)]).toEqual([200, expect.arrayContaining(Object.entries(values))]);
    await root.update('odd_names', made.body.id, { plain: 'new' });
    await root.update('odd_names', made.body.id, Object.fromEntries([['constructor', 'newer']]));
    const { body } = await root.list('odd_names', {
      filter: 'constructor = "newer" && plain = "new"',
      sort: '-constructor',
    });
    expect(Object.entries(body.items[0])).toContainEqual(['constructor', 'newer']);
    expect(body.items[0]).toMatchObject({ plain: 'new', constructor: 'newer', hasOwnProperty: 'kept' });
  });

  it('ERR-1 reports all failing fields at once, with their parameters', async () => {
    const { status, body } = await root.create('posts', {
      title: 'x'.repeat(21),
      options: ['nothing'],
      author: 'nobody000000000',
      place: { lon: 0, lat: 91 },
    });
    expect(status).toBe(400);
    expect(body.data).toMatchObject({
      title: { code: 'validation_max_text_constraint', params: { max: 20 } },
      options: { code: 'validation_invalid_value' },
      author: { code: 'validation_missing_rel_records' },
      place: { code: 'validation_invalid_latitude' },
    });
    for (const error of Object.values(body.data) as { message: string }[]) expect(error.message).not.toBe('');
  });

  it('ERR-2 COL-126 CONV-2 names every field of a violated unique index', async () => {
    await root.make('tags', { label: 'unique' });
    const twice = await root.create('tags', { label: 'unique' });
    expect(twice.body.data).toEqual({ label: { code: 'validation_not_unique', message: expect.any(String) } });
    const taken = await root.create('tags', { id: tags[0], label: 'new' });
    expect(taken.body.data.id.code).toBe('validation_not_unique');
    const updated = await root.update('tags', tags[0]!, { label: 'unique' });
    expect(updated.body.data.label.code).toBe('validation_not_unique');
  });

  it('REC-13 limits a body by 32 MiB and what its fields take', async () => {
    const origin = await roost.listen();
    const post = (size: number, collection: string) =>
      fetch(`${origin}/api/collections/${collection}/records`, {
        method: 'POST',
        headers: { authorization: rootToken, 'content-type': 'application/json' },
        body: `{"title":"x","label":"${size}","nonsense":"${'x'.repeat(size)}"}`,
      });
    const limit = 33_554_432;
    expect((await post(limit, 'tags')).status).toBe(413);
    expect((await post(limit - 100, 'tags')).status).toBe(200);
    expect((await post(limit, 'posts')).status).toBe(200);
    expect((await post(limit + 1_048_576, 'posts')).status).toBe(413);
  });
});
