import { EventSource } from 'eventsource';
import PocketBase, { ClientResponseError, type RecordModel } from 'pocketbase';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { MAGAZINE } from '../support/magazine.js';
import { startRoost } from '../support/roost.js';

/** The SDK finds EventSource on the global object, as it does in a browser. */
globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;

describe('the first day of a magazine, with the official SDK', () => {
  let roost: TestRoost;
  let origin: string;
  const client = () => {
    const pb = new PocketBase(origin);
    pb.autoCancellation(false);
    return pb;
  };
  let author: PocketBase;
  let article: RecordModel;

  beforeAll(async () => {
    roost = await startRoost();
    origin = await roost.listen();
    await roost.createSuperuser('chief@example.com', 'chief-password');
  });

  afterAll(() => roost.close());

  it('lets a superuser import the schema', async () => {
    const chief = client();
    await chief.collection('_superusers').authWithPassword('chief@example.com', 'chief-password');
    await chief.collections.import(MAGAZINE as never);
    const articles = await chief.collections.getOne('articles');
    expect(articles.fields.map((field) => field.name)).toEqual([
      'id',
      'title',
      'body',
      'published',
      'author',
      'tags',
      'cover',
      'created',
      'updated',
    ]);
  });

  it('lets an author sign up, sign in and write an article with a cover and two tags', async () => {
    author = client();
    await author
      .collection('authors')
      .create({ name: 'Ann', email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' });
    const { record } = await author.collection('authors').authWithPassword('ann@example.com', 'ann-password');
    const tags = await Promise.all(['birds', 'trees'].map((label) => author.collection('tags').create({ label })));
    const cover = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#1f6f5c' } })
      .png()
      .toBuffer();
    article = await author.collection('articles').create({
      title: 'Where birds roost',
      body: '<p>In trees.</p>',
      published: true,
      author: record.id,
      tags: tags.map((tag) => tag.id),
      cover: new File([new Uint8Array(cover)], 'My Cover.png'),
    });
    expect(article['cover']).toMatch(/^my_cover_[a-z0-9]{10}\.png$/);
    expect(article['tags']).toEqual(tags.map((tag) => tag.id));
    await author.collection('articles').create({ title: 'A draft', author: record.id, published: false });
  });

  it('shows a guest the published articles, filtered, sorted and expanded', async () => {
    const list = await client()
      .collection('articles')
      .getList(1, 10, { filter: 'tags.label ?= "birds"', sort: '-created', expand: 'author,tags' });
    expect(list.totalItems).toBe(1);
    expect(list.items[0]!.title).toBe('Where birds roost');
    expect(list.items[0]!.expand!['author'].name).toBe('Ann');
    expect(list.items[0]!.expand!['author'].email).toBeUndefined();
    expect(list.items[0]!.expand!['tags'].map((tag: RecordModel) => tag['label'])).toEqual(['birds', 'trees']);
    expect((await client().collection('articles').getFullList()).map((item) => item['title'])).toEqual([
      'Where birds roost',
    ]);
  });

  it('serves the cover as a thumbnail', async () => {
    const url = client().files.getURL(article, article['cover'] as string, { thumb: '120x80' });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const { width, height, format } = await sharp(await response.arrayBuffer()).metadata();
    expect({ width, height, format }).toEqual({ width: 120, height: 80, format: 'png' });
  });

  it('tells another client of a change over realtime', async () => {
    const reader = client();
    const heard = new Promise<{ action: string; record: RecordModel }>((resolve) => {
      void reader
        .collection('articles')
        .subscribe('*', resolve, { expand: 'author' })
        .then(() => author.collection('articles').update(article.id, { title: 'Where birds sleep' }));
    });
    const { action, record } = await heard;
    expect(action).toBe('update');
    expect(record['title']).toBe('Where birds sleep');
    expect(record.expand!['author'].name).toBe('Ann');
    await reader.realtime.unsubscribe();
  });

  it("refuses a stranger's update", async () => {
    const stranger = client();
    await stranger
      .collection('authors')
      .create({ name: 'Bob', email: 'bob@example.com', password: 'bob-password', passwordConfirm: 'bob-password' });
    await stranger.collection('authors').authWithPassword('bob@example.com', 'bob-password');
    const refusal = await stranger
      .collection('articles')
      .update(article.id, { title: 'Mine now' })
      .catch((error: ClientResponseError) => error);
    expect(refusal).toBeInstanceOf(ClientResponseError);
    expect((refusal as ClientResponseError).status).toBe(404);
    expect((await author.collection('articles').getOne(article.id)).title).toBe('Where birds sleep');
  });
});
