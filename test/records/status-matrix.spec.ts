import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

describe('who gets which answer from the record endpoints', () => {
  let roost: TestRoost;
  let guest: RecordApi;
  let ann: RecordApi;
  let root: RecordApi;
  let annId: string;
  let post: string;
  let draft: string;

  beforeAll(async () => {
    roost = await startRoost();
    root = new RecordApi(roost, await roost.createSuperuser());
    guest = new RecordApi(roost);
    await roost.createCollections(...BLOG);
    const password = { password: '12345678', passwordConfirm: '12345678' };
    annId = (await guest.make('users2', { email: 'ann@example.com', ...password })).id;
    ann = guest.as(await roost.signIn('users2', 'ann@example.com'));
    post = (await ann.make('posts', { title: 'open', published: true, author: annId })).id;
    draft = (await ann.make('posts', { title: 'draft', author: annId })).id;
  });

  afterAll(() => roost.close());

  const MISSING = 'missing00000000';

  it('REC-14 answers 404 for an unknown collection on every action', async () => {
    for (const api of [guest, ann, root]) {
      expect((await api.list('nothing')).status).toBe(404);
      expect((await api.view('nothing', post)).status).toBe(404);
      expect((await api.create('nothing', {})).status).toBe(404);
      expect((await api.update('nothing', post, {})).status).toBe(404);
      expect((await api.upsert('nothing', {})).status).toBe(404);
      expect((await api.delete('nothing', post)).status).toBe(404);
    }
  });

  it('REC-14 COL-135 serves the records of a view and refuses to change them', async () => {
    expect((await guest.list('stats')).body.items).toEqual([
      { collectionId: 'blog_stats_0001', collectionName: 'stats', id: annId, total: 2 },
    ]);
    expect((await guest.view('stats', annId)).status).toBe(200);
    for (const api of [guest, root]) {
      const refusals = [
        await api.create('stats', {}),
        await api.update('stats', annId, {}),
        await api.upsert('stats', { id: annId }),
        await api.delete('stats', annId),
      ];
      expect(refusals.map(({ status, body }) => [status, body.data])).toEqual(refusals.map(() => [400, {}]));
    }
  });

  it('REC-6 REC-14 answers 403 for a closed rule to guests and signed-in callers, and serves superusers', async () => {
    for (const api of [guest, ann]) {
      const refusals = [
        await api.list('closed'),
        await api.view('closed', MISSING),
        await api.create('closed', {}),
        await api.update('closed', MISSING, {}),
        await api.delete('closed', MISSING),
        await api.upsert('closed', {}),
      ];
      expect(refusals.map(({ status, body }) => [status, body.data])).toEqual(refusals.map(() => [403, {}]));
    }
    const { id } = await root.make('closed', { text: 'x' });
    expect((await root.list('closed')).body.totalItems).toBe(1);
    expect((await root.view('closed', id)).status).toBe(200);
    expect((await root.update('closed', id, { text: 'y' })).body.text).toBe('y');
    expect((await root.delete('closed', id)).status).toBe(204);
  });

  it('REC-14 LIST-4 filters a list silently and hides single records with 404', async () => {
    expect(await guest.column('posts', 'title')).toEqual(['open']);
    expect(await ann.column('posts', 'title')).toEqual(['open', 'draft']);
    expect((await guest.view('posts', draft)).status).toBe(404);
    expect((await ann.view('posts', draft)).status).toBe(200);
    expect((await guest.update('posts', post, { title: 'x' })).status).toBe(404);
    expect((await guest.delete('posts', post)).status).toBe(404);
    const refused = await guest.create('posts', { title: 'x', author: annId });
    expect([refused.status, refused.body.data]).toEqual([400, {}]);
  });

  it('REC-7 a failed rule looks like a missing record', async () => {
    for (const [failed, missing] of [
      [await guest.view('posts', draft), await guest.view('posts', MISSING)],
      [await guest.update('posts', draft, { title: 'x' }), await guest.update('posts', MISSING, { title: 'x' })],
      [await guest.delete('posts', draft), await guest.delete('posts', MISSING)],
    ] as const) {
      expect(failed.status).toBe(404);
      expect(failed.text).toBe(missing.text);
    }
  });

  it('REC-5 lets superusers pass rules but not validation', async () => {
    expect((await root.view('posts', draft)).status).toBe(200);
    const invalid = await root.create('posts', { title: '' });
    expect([invalid.status, invalid.body.data.title.code]).toEqual([400, 'validation_required']);
    expect((await root.update('posts', draft, { title: 'renamed' })).body.title).toBe('renamed');
    await root.update('posts', draft, { title: 'draft' });
  });

  it('REC-8 COL-141 a rule that cannot be compiled denies everybody but superusers', async () => {
    await roost.createCollections(
      { name: 'other', type: 'base', fields: [{ name: 'flag', type: 'bool' }] },
      {
        id: 'broken_00000001',
        name: 'broken',
        type: 'base',
        listRule: '@collection.other.flag ?= true',
        viewRule: '@collection.other.flag ?= true',
        createRule: '@collection.other.flag ?= true',
        updateRule: '@collection.other.flag ?= true',
        deleteRule: '@collection.other.flag ?= true',
        fields: [{ name: 'text', type: 'text' }],
      },
      {
        name: 'pointing',
        type: 'base',
        viewRule: '',
        fields: [{ name: 'to', type: 'relation', collectionId: 'broken_00000001', maxSelect: 1 }],
      },
    );
    await root.make('other', { flag: true });
    const { id } = await root.make('broken', { text: 'x' });
    const pointing = await root.make('pointing', { to: id });
    const expanded = async (api: RecordApi) => (await api.view('pointing', pointing.id, { expand: 'to' })).body.expand;
    expect((await guest.view('broken', id)).status).toBe(200);
    expect(await expanded(guest)).toMatchObject({ to: { id } });
    const token = await roost.signIn('_superusers', 'root@example.com');
    const other = await roost.inject({ url: '/api/collections/other', token });
    const fields = other.body.fields.filter((field: { name: string }) => field.name !== 'flag');
    const changed = await roost.inject({ method: 'PATCH', url: '/api/collections/other', token, body: { fields } });
    expect(changed.status).toBe(200);
    expect((await guest.list('broken')).status).toBe(400);
    expect((await guest.view('broken', id)).status).toBe(404);
    expect((await guest.create('broken', {})).status).toBe(400);
    expect((await guest.update('broken', id, {})).status).toBe(404);
    expect((await guest.delete('broken', id)).status).toBe(404);
    expect(await expanded(guest)).toEqual({});
    expect((await root.list('broken')).status).toBe(200);
    expect((await root.view('broken', id)).status).toBe(200);
    expect(await expanded(root)).toMatchObject({ to: { id } });
  });

  it('REC-8 a rule that cannot be executed denies in the same way', async () => {
    const fields = [{ name: 'text', type: 'text' }];
    const rule = "@collection.dropped.text ?= 'x'";
    const rules = { listRule: rule, viewRule: rule, createRule: rule, updateRule: rule, deleteRule: rule };
    await roost.createCollections(
      { name: 'dropped', type: 'base', fields },
      { name: 'failing', type: 'base', ...rules, fields },
    );
    await root.make('dropped', { text: 'x' });
    const { id } = await root.make('failing', { text: 'x' });
    expect((await guest.view('failing', id)).status).toBe(200);
    const database = roost.app.get(Database, { strict: false });
    const sql = 'ALTER TABLE "dropped" DROP COLUMN "text"';
    await database.transaction(() => database.run({ sql, params: [], writes: ['dropped'] }));
    expect((await guest.view('failing', id)).status).toBe(404);
    expect((await guest.create('failing', {})).body).toMatchObject({ code: 400, data: {} });
    expect((await guest.update('failing', id, {})).status).toBe(404);
    expect((await guest.delete('failing', id)).status).toBe(404);
    expect((await root.view('failing', id)).status).toBe(200);
  });

  it('REC-9 decides one thing after the other, whatever else is wrong', async () => {
    const broken = { headers: { 'content-type': 'application/json' }, body: '{' };
    const at = async (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string) =>
      (await roost.inject({ method, url: `/api/collections/${path}`, ...(method === 'GET' ? {} : broken) })).status;
    // 404 for the collection and 403 for a closed rule before the body; the body before the record.
    expect([await at('POST', 'nothing/records'), await at('PATCH', `nothing/records/${post}`)]).toEqual([404, 404]);
    expect([await at('POST', 'closed/records'), await at('PATCH', `closed/records/${MISSING}`)]).toEqual([403, 403]);
    expect([await at('PATCH', `posts/records/${MISSING}`), await at('PUT', 'closed/records')]).toEqual([400, 400]);
    // The rule before validation.
    expect((await guest.create('posts', { title: '' })).body.data).toEqual({});
    expect((await guest.update('posts', post, { title: '' })).status).toBe(404);
    // 404 for the collection before 429, that before 403.
    const rules = [{ label: '/api/collections/', audience: '', duration: 60, maxRequests: 1 }];
    const settings = roost.app.get(SettingsService, { strict: false });
    await settings.patch({ rateLimits: { enabled: true, rules } });
    const actions = [
      ['GET', ''],
      ['GET', `/${MISSING}`],
      ['POST', ''],
      ['PATCH', `/${MISSING}`],
      ['DELETE', `/${MISSING}`],
    ] as const;
    for (const [method, path] of actions) {
      const statuses = [await at(method, `closed/records${path}`), await at(method, `closed/records${path}`)];
      expect([method, path, ...statuses]).toEqual([method, path, 403, 429]);
      expect([await at(method, `nothing/records${path}`), await at(method, `nothing/records${path}`)]).toEqual([
        404, 404,
      ]);
    }
    await settings.patch({ rateLimits: { enabled: false } });
  });

  it('REC-1 ignores unknown query parameters', async () => {
    expect((await guest.view('posts', post, { nonsense: '1', page: 'x' })).status).toBe(200);
  });

  it('REC-1 picks and expands in every answer, and leaves paging, order and filter to lists', async () => {
    const picks = { expand: 'author', fields: 'title,expand.author.id' };
    const author = { author: { id: annId } };
    const wide = { filter: "title = 'nothing'", sort: '+nothing', perPage: '1', skipTotal: '1' };
    const body = { title: 'picked', author: annId, views: 1 };
    const { body: listed } = await ann.list('posts', { ...picks, filter: "title = 'open'" });
    expect(listed.items).toEqual([{ title: 'open', expand: author }]);
    const created = await ann.create('posts', { ...body, id: 'picked000000001' }, { ...picks, ...wide });
    expect(created.body).toEqual({ title: 'picked', expand: author });
    const viewed = await ann.view('posts', 'picked000000001', { ...picks, ...wide });
    expect(viewed.body).toEqual({ title: 'picked', expand: author });
    const updated = await ann.update('posts', 'picked000000001', { title: 'again' }, { ...picks, ...wide });
    expect(updated.body).toEqual({ title: 'again', expand: author });
    const query = new URLSearchParams({ ...picks, ...wide }).toString();
    const url = `/api/collections/posts/records?${query}`;
    const token = await roost.signIn('users2', 'ann@example.com');
    for (const title of ['third', 'fourth']) {
      const sent = { id: 'picked000000002', title, author: annId };
      const upserted = await roost.inject({ method: 'PUT', url, token, body: sent });
      expect(upserted).toMatchObject({ status: 200, body: { title, expand: author } });
      expect(Object.keys(upserted.body)).toEqual(['title', 'expand']);
    }
    for (const id of ['picked000000001', 'picked000000002']) await ann.delete('posts', id);
  });

  it('REC-10 OPS-21 each action is limited under its own tag, an upsert as what it becomes', async () => {
    const settings = roost.app.get(SettingsService, { strict: false });
    const id = 'tagged000000001';
    const actions = {
      list: () => guest.list('tags'),
      view: () => guest.view('tags', id),
      update: () => guest.update('tags', id, {}),
      delete: () => guest.delete('tags', 'tagged000000002'),
      create: () => guest.create('tags', { label: '' }),
    };
    await guest.make('tags', { id, label: 'tagged' });
    const limited = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(actions).map(async ([tag, act]) => [tag, (await act()).status === 429])),
      ) as Record<string, boolean>;
    try {
      for (const tag of Object.keys(actions) as (keyof typeof actions)[]) {
        const rules = [{ label: `tags:${tag}`, audience: '', duration: 60, maxRequests: 1 }];
        await settings.patch({ rateLimits: { enabled: true, rules } });
        await actions[tag]();
        const expected = Object.fromEntries(Object.keys(actions).map((other) => [other, other === tag]));
        expect(await limited()).toEqual(expected);
        expect((await guest.upsert('tags', { id })).status === 429).toBe(tag === 'update');
        expect((await guest.upsert('tags', { label: '' })).status === 429).toBe(tag === 'create');
      }
      const rules = [{ label: 'PUT /api/collections/tags/records', audience: '', duration: 60, maxRequests: 1 }];
      await settings.patch({ rateLimits: { enabled: true, rules } });
      expect((await guest.upsert('tags', { id })).status).toBe(200);
      expect((await guest.upsert('tags', { id })).status).toBe(429);
    } finally {
      await settings.patch({ rateLimits: { enabled: false, rules: [] } });
      await root.delete('tags', id);
    }
  });

  it('REC-2 decodes path segments once', async () => {
    expect((await guest.list('%70osts')).status).toBe(200);
    expect((await guest.list('%2570osts')).status).toBe(404);
  });

  it('COL-22 finds collections by id, and by name ignoring case', async () => {
    for (const name of ['posts', 'POSTS', 'blog_posts_0001']) expect((await guest.list(name)).status).toBe(200);
    expect((await guest.list('BLOG_POSTS_0001')).status).toBe(404);
  });

  it('REC-3 upserts outside a batch: as an update when the id exists, else as a create that keeps the id', async () => {
    const first = await guest.upsert('tags', { id: 'tag000000000001', label: 'one' });
    expect([first.status, first.body.id, first.body.label]).toEqual([200, 'tag000000000001', 'one']);
    const second = await guest.upsert('tags', { id: 'tag000000000001', weight: 3 });
    expect([second.status, second.body.label, second.body.weight]).toEqual([200, 'one', 3]);
    const third = await guest.upsert('tags', { label: 'two' });
    expect(third.body.id).toMatch(/^[a-z0-9]{15}$/);
    const digits = await guest.upsert('tags', { id: 123456789012345, label: 'three' });
    expect([digits.status, digits.body.id]).toEqual([200, '123456789012345']);
    const again = await guest.upsert('tags', { id: 123456789012345, weight: 4 });
    expect([again.status, again.body.label, again.body.weight]).toEqual([200, 'three', 4]);
    expect((await guest.upsert('tags', { id: '', label: 'four' })).body.id).toMatch(/^[a-z0-9]{15}$/);
  });

  it('REC-12 FLD-6 refuses a malformed fields parameter before anything is written', async () => {
    const refused = await guest.create('tags', { label: 'never' }, { fields: 'label:nonsense(1)' });
    expect(refused.status).toBe(400);
    expect(await guest.column('tags', 'label', { filter: 'label = "never"' })).toEqual([]);
  });

  it('REC-11 COL-156 keeps the last superuser', async () => {
    const [id] = await root.column('_superusers', 'id', { filter: 'email = "root@example.com"' });
    const response = await root.delete('_superusers', id as string);
    expect([response.status, response.body.data]).toEqual([400, {}]);
    expect((await root.list('_superusers')).status).toBe(200);
  });
});
