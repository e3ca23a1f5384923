import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/;

describe('what a record looks like', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let ann: RecordApi;
  let boss: RecordApi;
  let annId: string;
  let bobId: string;

  beforeAll(async () => {
    roost = await startRoost();
    root = new RecordApi(roost, await roost.createSuperuser());
    guest = root.as(undefined);
    await roost.createCollections(...BLOG);
    const password = { password: '12345678', passwordConfirm: '12345678' };
    annId = (await root.make('users2', { email: 'ann@example.com', secret: 's', ...password })).id;
    bobId = (await root.make('users2', { email: 'bob@example.com', emailVisibility: true, ...password })).id;
    await root.make('users2', { email: 'boss@example.com', role: 'manager', ...password });
    ann = root.as(await roost.signIn('users2', 'ann@example.com'));
    boss = root.as(await roost.signIn('users2', 'boss@example.com'));
  });

  afterAll(() => roost.close());

  it('JSON-1 JSON-2 JSON-3 shows every visible field with its zero value, keys in byte order', async () => {
    const { text, body } = await root.create('posts', { title: 'x', slug: 'given' });
    expect(Object.keys(body)).toEqual(Object.keys(body).sort());
    expect(text.startsWith('{"author":"","collectionId":"blog_posts_0001","collectionName":"posts","created":')).toBe(
      true,
    );
    expect(body).toEqual({
      author: '',
      collectionId: 'blog_posts_0001',
      collectionName: 'posts',
      created: expect.stringMatching(DATE),
      id: expect.stringMatching(/^[a-z0-9]{15}$/),
      internal: '',
      locked: false,
      meta: null,
      options: [],
      place: { lon: 0, lat: 0 },
      published: false,
      slug: 'given',
      tags: [],
      title: 'x',
      updated: body.created,
      views: 0,
    });
  });

  it('JSON-1 keys of what is expanded are in byte order too, at every level', async () => {
    const tag = await root.make('tags', { label: 'ordered' });
    const post = await root.make('posts', { title: 'x', author: annId, tags: [tag.id], published: true });
    await root.make('comments', { text: 'x', post: post.id, visible: true, mentions: [annId] });
    const { expand } = (await guest.view('posts', post.id, { expand: 'tags,comments_via_post.mentions,author' })).body;
    expect(Object.keys(expand)).toEqual(['author', 'comments_via_post', 'tags']);
    const [comment] = expand.comments_via_post;
    for (const record of [expand.author, expand.tags[0], comment, comment.expand.mentions[0]]) {
      expect(Object.keys(record)).toEqual(Object.keys(record).sort());
    }
  });

  it('JSON-4 CONV-3 stamps created and updated alike on create, and updated on update', async () => {
    const post = await root.make('posts', { title: 'x' });
    expect(post['created']).toBe(post['updated']);
    roost.clock.advance(5);
    const { body } = await root.update('posts', post.id, { title: 'y' });
    expect(body.created).toBe(post['created']);
    expect(body.updated > post['updated']!).toBe(true);
  });

  it('JSON-5 AUTH-607 hides hidden fields from all but superusers, and secrets from everybody', async () => {
    const forRoot = (await root.view('users2', annId)).body;
    const forAnn = (await ann.view('users2', annId)).body;
    expect(forRoot.secret).toBe('s');
    expect('secret' in forAnn).toBe(false);
    for (const shown of [forRoot, forAnn, (await root.view('users2', annId, { fields: '*,password,tokenKey' })).body]) {
      expect('password' in shown || 'tokenKey' in shown).toBe(false);
    }
  });

  it('JSON-6 AUTH-608 AUTH-609 shows an email to those who may see it', async () => {
    const emails = async (api: RecordApi) => api.column('users2', 'email', { sort: 'created' });
    expect(await emails(guest)).toEqual([undefined, 'bob@example.com', undefined]);
    expect(await emails(ann)).toEqual(['ann@example.com', 'bob@example.com', undefined]);
    expect(await emails(boss)).toEqual(['ann@example.com', 'bob@example.com', 'boss@example.com']);
    expect(await emails(root)).toEqual(['ann@example.com', 'bob@example.com', 'boss@example.com']);
    const hidden = (await guest.view('users2', annId)).body;
    expect('email' in hidden).toBe(false);
    expect(hidden).toMatchObject({ emailVisibility: false, verified: false });
    expect((await guest.view('users2', bobId)).body.email).toBe('bob@example.com');
  });

  it('JSON-6 AUTH-608 hides an email in the answer to a write too, also in a batch', async () => {
    await roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
    const body = (name: string) => ({
      email: `${name}@example.com`,
      password: '12345678',
      passwordConfirm: '12345678',
    });
    const created = await guest.create('users2', body('written'));
    expect([created.status, 'email' in created.body]).toEqual([200, false]);
    expect((await boss.create('users2', body('managed'))).body.email).toBe('managed@example.com');
    const request = { method: 'POST', url: '/api/collections/users2/records', body: body('batched') };
    const batch = await roost.inject({ url: '/api/batch', body: { requests: [request] } });
    expect([batch.status, 'email' in batch.body[0].body]).toEqual([200, false]);
    expect((await ann.update('users2', annId, {})).body.email).toBe('ann@example.com');
  });

  it('JSON-7 COL-71 emits json as the value itself', async () => {
    for (const [sent, shown] of [
      [
        { b: 1, a: [true, null] },
        { b: 1, a: [true, null] },
      ],
      ['{"a":1}', { a: 1 }],
      ['12', 12],
      ['', ''],
      ['text', 'text'],
      ['null', null],
      [null, null],
      [0, 0],
    ]) {
      const { id } = await root.make('posts', { title: 'x', meta: sent });
      expect((await root.view('posts', id)).body.meta).toEqual(shown);
    }
  });

  it('JSON-8 FLD-1 FLD-3 answers a write with the stored state, expand and fields applied', async () => {
    const { body } = await root.create(
      'posts',
      { title: 'x', author: annId },
      { expand: 'author', fields: 'title,expand.author.name,expand.author.id' },
    );
    expect(body).toEqual({ title: 'x', expand: { author: { id: annId, name: '' } } });
  });

  it('FLD-1 FLD-2 picks from the items of a list and keeps the envelope', async () => {
    const { body } = await root.list('posts', { fields: 'id', perPage: '2', filter: 'title = "x"' });
    expect(Object.keys(body).sort()).toEqual(['items', 'page', 'perPage', 'totalItems', 'totalPages']);
    expect(body.items.map((item: object) => Object.keys(item))).toEqual([['id'], ['id']]);
    expect((await guest.view('posts', 'missing', { fields: 'nothing' })).body).toHaveProperty('code', 404);
  });

  it('FLD-5 cuts texts to excerpts', async () => {
    const { id } = await root.make('posts', { title: '<b>Hello</b> big' });
    const { body } = await root.view('posts', id, { fields: 'title:excerpt(7,true)' });
    expect(body).toEqual({ title: 'Hello b...' });
  });

  it('CONV-1 CONV-5 has one error shape that says nothing about SQL or files', async () => {
    const { text, body } = await root.list('posts', { filter: "title = ') OR 1=1 --" });
    expect(Object.keys(body)).toEqual(['code', 'message', 'data']);
    expect([body.code, body.data]).toEqual([400, {}]);
    expect(text).not.toMatch(/SELECT|sqlite|\/src\//i);
  });
});
