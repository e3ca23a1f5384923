import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { AnswerLimits } from '../../src/records/read/answer-limits.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

describe('expand', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let annId: string;
  let tags: string[];
  let post: string;

  beforeAll(async () => {
    roost = await startRoost();
    root = new RecordApi(roost, await roost.createSuperuser());
    guest = root.as(undefined);
    await roost.createCollections(...BLOG, {
      id: 'blog_profiles_1',
      name: 'profiles',
      type: 'base',
      listRule: '',
      viewRule: '',
      fields: [
        { name: 'bio', type: 'text' },
        { name: 'user', type: 'relation', collectionId: 'blog_users_0001', maxSelect: 1 },
        { name: 'shadow', type: 'relation', collectionId: 'blog_tags_00001', maxSelect: 1, hidden: true },
        { name: 'locked', type: 'relation', collectionId: 'blog_closed_001', maxSelect: 1 },
      ],
      indexes: ['CREATE UNIQUE INDEX idx_profiles_user ON profiles (user)'],
    });
    const password = { password: '12345678', passwordConfirm: '12345678' };
    annId = (await root.make('users2', { email: 'ann@example.com', name: 'Ann', ...password })).id;
    tags = [];
    for (const label of ['x', 'y']) tags.push((await root.make('tags', { label })).id);
    post = (await root.make('posts', { title: 'p', published: true, author: annId, tags: [tags[1], tags[0]] })).id;
    await root.make('posts', { title: 'plain', published: true });
    for (const [text, visible] of [
      ['first', true],
      ['hidden', false],
      ['second', true],
    ]) {
      await root.make('comments', { text, visible, post, mentions: [annId] });
    }
    const locked = (await root.make('closed', { text: 'closed' })).id;
    await root.make('profiles', { bio: 'of Ann', user: annId, shadow: tags[0], locked });
  });

  afterAll(() => roost.close());

  const expandOf = async (api: RecordApi, collection: string, id: string, expand: string): Promise<Json> => {
    const { status, body } = await api.view(collection, id, { expand });
    expect(status).toBe(200);
    return body.expand;
  };

  it('EXP-2 EXP-4 EXP-9 JSON-6 AUTH-608 shows single relations as a record and multiple ones as a list in relation order', async () => {
    const expand = await expandOf(guest, 'posts', post, 'author,tags');
    expect(expand.author).toMatchObject({ id: annId, name: 'Ann', collectionName: 'users2' });
    expect('email' in expand.author || 'secret' in expand.author).toBe(false);
    expect(expand.tags.map((tag: Json) => tag.label)).toEqual(['y', 'x']);
  });

  it('EXP-2 EXP-4 EXP-5 follows back-relations under the view rule of their records', async () => {
    const seen = await expandOf(guest, 'posts', post, 'comments_via_post');
    expect(seen.comments_via_post.map((comment: Json) => comment.text)).toEqual(['first', 'second']);
    const all = await expandOf(root, 'posts', post, 'comments_via_post');
    expect(all.comments_via_post.map((comment: Json) => comment.text)).toEqual(['first', 'hidden', 'second']);
    const mentions = await expandOf(root, 'users2', annId, 'comments_via_mentions,profiles_via_user');
    expect(mentions.comments_via_mentions).toHaveLength(3);
    expect(mentions.profiles_via_user.bio).toBe('of Ann');
  });

  it('EXP-2 follows the older form of back-relations, under the key it was asked by', async () => {
    const seen = await expandOf(guest, 'posts', post, 'comments(post).mentions, author');
    expect(Object.keys(seen)).toEqual(['author', 'comments(post)']);
    expect(seen['comments(post)'].map((comment: Json) => comment.text)).toEqual(['first', 'second']);
    expect(seen['comments(post)'][0].expand.mentions[0].name).toBe('Ann');
    const picked = await guest.view('posts', post, { expand: 'comments(post)', fields: 'expand.comments(post).text' });
    expect(picked.body.expand['comments(post)']).toEqual([{ text: 'first' }, { text: 'second' }]);
    for (const expand of ['comments(title)', 'comments(nothing)', 'nothing(post)', 'closed(post)', '(post)', 'post)']) {
      expect((await guest.view('posts', post, { expand })).body.expand).toBeUndefined();
    }
    const filter = 'comments(post).text = "first"';
    expect((await guest.list('posts', { filter })).status).toBe(400);
  });

  it('EXP-1 EXP-4 nests expanded records and merges paths', async () => {
    const expand = await expandOf(
      guest,
      'posts',
      post,
      ' author , comments_via_post.post.tags,comments_via_post.mentions.',
    );
    const [comment] = expand.comments_via_post;
    expect(comment.expand.mentions[0].name).toBe('Ann');
    expect(comment.expand.post.expand.tags).toHaveLength(2);
    expect(expand.author.name).toBe('Ann');
  });

  it('EXP-4 a record that several lead to has what is below it once', async () => {
    const { body } = await guest.list('tags', { expand: 'posts_via_tags.comments_via_post,posts_via_tags.author' });
    const below = body.items.map((tag: Json) => tag.expand.posts_via_tags.map(({ expand }: Json) => expand));
    const comments = [expect.objectContaining({ text: 'first' }), expect.objectContaining({ text: 'second' })];
    const once = { author: expect.objectContaining({ id: annId }), comments_via_post: comments };
    expect(below).toEqual([[once], [once]]);
  });

  it('EXP-3 ignores steps past the sixth level', async () => {
    const path = 'comments_via_post.post.comments_via_post.post.comments_via_post.post.tags';
    let level = (await guest.view('posts', post, { expand: path })).body;
    for (const step of ['comments_via_post', 'post', 'comments_via_post', 'post', 'comments_via_post', 'post']) {
      level = [level.expand[step]].flat()[0];
    }
    expect(level.title).toBe('p');
    expect(level.expand).toBeUndefined();
  });

  it('EXP-6 EXP-7 ignores paths that cannot be followed, without an error', async () => {
    for (const expand of ['nothing', 'title', 'title.author', 'posts_via_nothing', 'tags_via_tags']) {
      const { status, body } = await guest.view('posts', post, { expand });
      expect([expand, status, 'expand' in body]).toEqual([expand, 200, false]);
    }
    const mixed = await expandOf(guest, 'posts', post, 'nothing,author');
    expect(Object.keys(mixed)).toEqual(['author']);
  });

  it('EXP-13 a step that cannot be followed ends its own path only', async () => {
    for (const expand of [
      'author.nothing',
      'author.nothing,author',
      'author,author.title.name',
      'nothing.author,author',
    ]) {
      const shown = await expandOf(guest, 'posts', post, expand);
      expect([expand, Object.keys(shown), shown.author.id]).toEqual([expand, ['author'], annId]);
    }
    const shown = await expandOf(guest, 'posts', post, 'comments_via_post.nothing,comments_via_post.post');
    expect(shown.comments_via_post[0].expand.post.id).toBe(post);
  });

  it('EXP-5 EXP-6 EXP-10 follows neither closed collections nor hidden relations for others than superusers', async () => {
    const [profile] = (await root.column('profiles', 'id')) as string[];
    expect(await expandOf(guest, 'profiles', profile!, 'locked')).toBeUndefined();
    expect(await expandOf(guest, 'profiles', profile!, 'shadow')).toBeUndefined();
    expect(await expandOf(guest, 'tags', tags[0]!, 'profiles_via_shadow')).toBeUndefined();
    expect((await expandOf(root, 'profiles', profile!, 'locked,shadow')).locked.text).toBe('closed');
    expect((await expandOf(root, 'tags', tags[0]!, 'profiles_via_shadow')).profiles_via_shadow[0].bio).toBe('of Ann');
  });

  it('EXP-7 gives every record an expand when a path could be followed', async () => {
    const { body } = await guest.list('posts', { expand: 'author', sort: '@rowid' });
    expect(body.items.map((item: Json) => item.expand)).toEqual([{ author: expect.anything() }, {}]);
  });

  it('EXP-8 takes at most 1000 back-related records', async () => {
    const busy = (await root.make('posts', { title: 'busy', published: true })).id;
    for (let start = 0; start < 1010; start += 101) {
      await Promise.all(
        Array.from({ length: 101 }, (_, index) =>
          root.make('comments', { text: `${start + index}`, visible: true, post: busy }),
        ),
      );
    }
    expect((await expandOf(root, 'posts', busy, 'comments_via_post')).comments_via_post).toHaveLength(1000);
  });

  it('EXP-5 RULE-3 evaluates view rules in the context of expand with the own request', async () => {
    await roost.createCollections({
      id: 'blog_context_01',
      name: 'contexts',
      type: 'base',
      listRule: '',
      viewRule: '@request.context = "expand" && @request.method = "GET" && @request.query.key = "open"',
      fields: [{ name: 'post', type: 'relation', collectionId: 'blog_posts_0001', maxSelect: 1 }],
    });
    await root.make('contexts', { post });
    const open = await guest.view('posts', post, { expand: 'contexts_via_post', key: 'open' });
    expect(open.body.expand.contexts_via_post).toHaveLength(1);
    expect((await guest.view('posts', post, { expand: 'contexts_via_post' })).body.expand).toEqual({});
  });

  describe('of which there would be too many', () => {
    const limits = () => roost.app.get(AnswerLimits, { strict: false });
    const { expandedRecords, expandedBytes } = new AnswerLimits();
    let circle: string[];

    beforeAll(async () => {
      await roost.createCollections({
        id: 'blog_circles_01',
        name: 'circles',
        type: 'base',
        listRule: '',
        viewRule: 'open = true',
        fields: [
          { name: 'open', type: 'bool' },
          { name: 'text', type: 'text' },
          { name: 'all', type: 'relation', collectionId: 'blog_circles_01', maxSelect: 99 },
          { name: 'first', type: 'relation', collectionId: 'blog_circles_01', maxSelect: 1 },
        ],
      });
      circle = [];
      for (let index = 0; index < 9; index++) circle.push((await root.make('circles', { open: index < 6 })).id);
      for (const id of circle) {
        expect((await root.update('circles', id, { all: circle, first: circle[0] })).status).toBe(200);
      }
    });

    afterEach(() => Object.assign(limits(), { expandedRecords, expandedBytes }));

    /** Statements that read whole rows. */
    const rowReads = (statements: readonly { sql: string }[]) =>
      statements.filter(({ sql }) => sql.includes('"circles"."text"'));

    it('EXP-12 counts every record as often as it is written, before it is read', async () => {
      const view = (expand: string) => root.view('circles', circle[0]!, { expand });
      expect((await view('all.all.all')).status).toBe(200);
      for (const expand of [
        'all.all.all.all.all.all',
        'all.circles_via_all.all.circles_via_all.all',
        'all.all.all.all.all',
      ]) {
        const refused = await view(expand);
        expect([expand, refused.status, refused.body.data.expand?.code]).toEqual([expand, 400, 'expand_too_large']);
        expect(refused.body.data.expand.message).toContain(expand.split('.').slice(0, 5).join('.'));
      }
      // 9 + 9 + 81
      limits().expandedRecords = 99;
      expect((await view('all.first.all')).status).toBe(200);
      limits().expandedRecords = 98;
      // What was asked for before is not remembered.
      await root.update('circles', circle[0]!, {});
      const seen = watchReads(roost.app.get(Database));
      expect((await view('all.first.all')).status).toBe(400);
      vi.restoreAllMocks();
      // The record itself and two of the three levels, each of which asks something else.
      expect(rowReads(seen)).toHaveLength(3);
    });

    it('EXP-12 counts back-relations, and a whole page as one answer', async () => {
      limits().expandedRecords = 81;
      const all = await root.list('circles', { expand: 'circles_via_all' });
      expect(all.body.items.map((item: Json) => item.expand.circles_via_all.length)).toEqual(Array(9).fill(9));
      limits().expandedRecords = 80;
      const seen = watchReads(roost.app.get(Database));
      const refused = await root.list('circles', { expand: 'circles_via_all' });
      vi.restoreAllMocks();
      expect([refused.status, refused.body.data.expand?.code]).toEqual([400, 'expand_too_large']);
      expect(rowReads(seen)).toHaveLength(1);
      expect((await root.list('circles', { expand: 'circles_via_all', perPage: '8' })).status).toBe(200);
    });

    it('EXP-12 counts only what the caller may see', async () => {
      limits().expandedRecords = 6;
      expect((await guest.view('circles', circle[0]!, { expand: 'all' })).body.expand.all).toHaveLength(6);
      expect((await guest.view('circles', circle[0]!, { expand: 'circles_via_all' })).status).toBe(200);
      expect((await root.view('circles', circle[0]!, { expand: 'all' })).status).toBe(400);
      limits().expandedRecords = 5;
      expect((await guest.view('circles', circle[0]!, { expand: 'all' })).status).toBe(400);
    });

    it('EXP-12 counts bytes, and refuses answers to writes and sign-ins alike', async () => {
      await root.update('circles', circle[0]!, { text: 'x'.repeat(1000) });
      limits().expandedBytes = 8000;
      expect((await root.view('circles', circle[0]!, { expand: 'first' })).status).toBe(200);
      const refused = await root.view('circles', circle[1]!, { expand: 'all.first' });
      expect([refused.status, refused.body.data.expand?.code]).toEqual([400, 'expand_too_large']);
      expect((await root.update('circles', circle[1]!, { open: true }, { expand: 'all.first' })).status).toBe(400);
    });
  });
});
