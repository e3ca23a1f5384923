import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { Database } from '../../src/database/database.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;
let superuser: string;
let count = 0;

beforeAll(async () => {
  roost = await startRoost();
  records = roost.app.get(RecordsService, { strict: false });
  superuser = await roost.createSuperuser();
  const title = { name: 'title', type: 'text' };
  const number = (name: string) => ({ name, type: 'number' });
  const relation = (name: string, collectionId: string, more: object = {}) => ({
    name,
    type: 'relation',
    collectionId,
    ...more,
  });
  await roost.createCollections(
    { id: 'members_id_0001', name: 'members', type: 'auth', listRule: '', viewRule: '', fields: [number('level')] },
    {
      id: 'posts_id_000001',
      name: 'posts',
      type: 'base',
      listRule: '',
      viewRule: "title != 'private'",
      fields: [
        title,
        number('views'),
        { name: 'secret', type: 'text', hidden: true },
        { name: 'body', type: 'editor' },
        relation('author', 'members_id_0001'),
        relation('parent', 'posts_id_000001', { cascadeDelete: true }),
        relation('also', 'posts_id_000001'),
      ],
    },
    { name: 'closed', type: 'base', listRule: null, viewRule: null, fields: [title] },
    {
      name: 'owned',
      type: 'base',
      listRule: 'owner = @request.auth.id',
      viewRule: 'owner = @request.auth.id',
      fields: [title, relation('owner', 'members_id_0001')],
    },
    {
      name: 'asked',
      type: 'base',
      listRule: "@request.query.key = 'open' || @request.headers.x_key = 'open'",
      viewRule: '',
      fields: [title],
    },
    {
      name: 'context',
      type: 'base',
      listRule: "@request.context = 'realtime' && @request.method = 'GET' && @request.body.title:isset = false",
      viewRule: '',
      fields: [title],
    },
    { name: 'accounts', type: 'auth', listRule: '', viewRule: '', manageRule: '@request.auth.level > 8', fields: [] },
  );
});
afterAll(() => roost.close());

const listen = (topics: readonly string[], token?: string) => Listener.to(roost, topics, token);

async function member(values: object = {}, collection = 'members'): Promise<{ id: string; token: string }> {
  const email = `d${++count}@example.com`;
  const { id } = await records.create(collection, { email, password: '1234567890', ...values });
  return { id, token: await roost.signIn(collection, email) };
}

const shape = (messages: Awaited<ReturnType<Listener['settle']>>) =>
  messages.map(({ topic, action, record }) => `${topic} ${action} ${record.title}`);
const sdk = (path: string, options: object) => `${path}?options=${encodeURIComponent(JSON.stringify(options))}`;

describe('topics', () => {
  it('RT-40 RT-42 RT-43 a record reaches every topic it belongs to, each under its own name', async () => {
    const { id } = await records.create('posts', { title: 'one' });
    const topics = ['posts/*', 'posts', `posts/${id}`, 'posts_id_000001/*', 'posts/*?filter=views=0'];
    const listener = await listen([...topics, 'Posts/*', 'posts/other', '*', 'posts/*/x', 'closed/*']);
    await records.update('posts', id, { title: 'two' });
    expect(shape(await listener.settle()).sort()).toEqual(topics.map((topic) => `${topic} update two`).sort());
    await records.delete('posts', id);
    expect(await listener.settle()).toHaveLength(2 * topics.length);
  });

  it('RT-42 RT-70 the event name is the topic as it was sent, the data one line with two keys', async () => {
    const topic = sdk('posts/*', { query: { filter: 'views = 1 && title != "&"' } });
    const listener = await listen([topic]);
    const { id } = await records.create('posts', { title: 'ü\n2', views: 1 });
    await listener.receive(1);
    const text = listener.reader.body.slice(listener.reader.body.indexOf('event:posts'));
    const [event, data, ...rest] = text.split('\n');
    expect(event).toBe(`event:${topic}`);
    expect(rest).toEqual(['', '']);
    const message = JSON.parse(data!.slice('data:'.length)) as object;
    expect(Object.keys(message)).toEqual(['action', 'record']);
    expect(message).toMatchObject({
      action: 'create',
      record: { id, title: 'ü\n2', collectionId: 'posts_id_000001', collectionName: 'posts' },
    });
  });

  it('RT-41 a renamed collection is silent under its old name and heard under its id', async () => {
    await roost.createCollections({ id: 'moving_id_00001', name: 'moving', type: 'base', listRule: '', fields: [] });
    const listener = await listen(['moving/*', 'moving_id_00001/*', 'moved/*']);
    await roost.app.get(CollectionsService, { strict: false }).update('moving', { name: 'moved' });
    await records.create('moved', {});
    expect((await listener.settle()).map(({ topic }) => topic).sort()).toEqual(['moved/*', 'moving_id_00001/*']);
  });

  it('RT-29 a topic may name a collection that is created later', async () => {
    const listener = await listen(['later/*']);
    await roost.createCollections({ name: 'later', type: 'base', listRule: '', fields: [] });
    await records.create('later', {});
    expect(await listener.settle()).toHaveLength(1);
  });

  it.each([
    ['plain', (filter: string) => `posts/*?filter=${filter}`],
    ['encoded', (filter: string) => `posts/*?filter=${encodeURIComponent(filter)}`],
    ['of the SDK', (filter: string) => sdk('posts/*', { query: { filter } })],
  ])('RT-44 RT-45 RT-64 a filter lets through what fits (%s)', async (_form, topicOf) => {
    const listener = await listen([topicOf("title ~ 'pub' && views > 10"), topicOf('author.level ?= 5')]);
    const author = await member({ level: 5 });
    await records.create('posts', { title: 'published', views: 11 });
    await records.create('posts', { title: 'published', views: 10 });
    await records.create('posts', { title: 'other', views: 12, author: author.id });
    const messages = await listener.settle();
    expect(messages.map(({ record }) => [record.title, record.views])).toEqual([
      ['published', 11],
      ['other', 12],
    ]);
  });
});

describe('which changes make events', () => {
  it('RT-50 RT-51 RT-52 create, update and delete, one message each, also when nothing changed', async () => {
    const listener = await listen(['posts/*']);
    const created = await roost.inject({
      url: '/api/collections/posts/records',
      body: { title: 'a' },
      token: superuser,
    });
    const url = `/api/collections/posts/records/${created.body.id}`;
    await roost.inject({ method: 'PATCH', url, body: { title: 'b' }, token: superuser });
    await roost.inject({ method: 'PATCH', url, body: {}, token: superuser });
    await roost.inject({ method: 'DELETE', url, token: superuser });
    expect(shape(await listener.settle())).toEqual([
      'posts/* create a',
      'posts/* update b',
      'posts/* update b',
      'posts/* delete b',
    ]);
  });

  it('RT-50 nothing of what was rolled back', async () => {
    const listener = await listen(['posts/*']);
    const { id } = await records.create('posts', { title: 'kept' });
    const failed = records.transaction(async () => {
      await records.create('posts', { title: 'lost' });
      await records.update('posts', id, { title: 'lost' });
      await records.delete('posts', id);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await records.update('posts', id, { title: 'after' });
    await records.delete('posts', id);
    expect(shape(await listener.settle())).toEqual([
      'posts/* create kept',
      'posts/* update after',
      'posts/* delete after',
    ]);
  });

  it('RT-54 files of the record are stored by then', async () => {
    await roost.createCollections({
      name: 'covers',
      type: 'base',
      listRule: '',
      createRule: '',
      fields: [{ name: 'file', type: 'file', maxSelect: 1 }],
    });
    const listener = await listen(['covers/*']);
    const body = new FormData();
    body.append('file', new Blob(['content']), 'cover.txt');
    const found = listener.receive(1).then(([message]) => {
      const { collectionId, id, file } = message!.record;
      return readFileSync(join(roost.dir, 'storage', collectionId, id, file), 'utf8');
    });
    expect((await roost.inject({ url: '/api/collections/covers/records', body })).status).toBe(200);
    expect(await found).toBe('content');
  });

  it('RT-55 COL-159 settings and definitions of collections have none', async () => {
    const topics = ['settings', 'settings/*', 'collections/*', '_collections/*', '_params/*', '*', '/*'];
    const listener = await listen(topics, superuser);
    await roost.createCollections({ name: 'defined', type: 'base', fields: [] });
    await roost.inject({ method: 'PATCH', url: '/api/settings', body: { meta: { appName: 'X' } }, token: superuser });
    expect(await listener.settle()).toEqual([]);
  });

  it('RT-81 nothing is kept for those who come later', async () => {
    const early = await listen(['posts/*']);
    await records.create('posts', { title: 'missed' });
    const late = await listen(['posts/*']);
    await records.create('posts', { title: 'heard' });
    expect(shape(await early.settle())).toEqual(['posts/* create missed', 'posts/* create heard']);
    expect(shape(await late.settle())).toEqual(['posts/* create heard']);
  });

  it('RT-51 cascades and cleared references', async () => {
    const parent = await records.create('posts', { title: 'parent' });
    await records.create('posts', { title: 'child', parent: parent.id });
    await records.create('posts', { title: 'friend', also: parent.id });
    const listener = await listen(['posts/*']);
    await records.delete('posts', parent.id);
    expect(shape(await listener.settle()).sort()).toEqual([
      'posts/* delete child',
      'posts/* delete parent',
      'posts/* update friend',
    ]);
  });

  it('RT-51 RT-53 a truncate is one delete per record, dropping the collection is none', async () => {
    await roost.createCollections({
      name: 'short',
      type: 'base',
      listRule: '',
      fields: [{ name: 'title', type: 'text' }],
    });
    for (const title of ['a', 'b', 'c']) await records.create('short', { title });
    const listener = await listen(['short/*']);
    await roost.inject({ method: 'DELETE', url: '/api/collections/short/truncate', token: superuser });
    expect(shape(await listener.settle()).sort()).toEqual(['a', 'b', 'c'].map((title) => `short/* delete ${title}`));
    await records.create('short', { title: 'd' });
    expect(await listener.settle()).toHaveLength(4);
    await roost.inject({ method: 'DELETE', url: '/api/collections/short', token: superuser });
    expect(shape(await listener.settle())).toHaveLength(4);
  });
});

describe('who gets an event', () => {
  it('RT-60 a closed rule lets superusers through, an empty one everybody, the others whom they fit', async () => {
    const [ann, bob] = [await member(), await member()];
    const topics = ['closed/*', 'posts/*', 'owned/*'];
    const all = await Promise.all([
      listen(topics),
      listen(topics, ann.token),
      listen(topics, bob.token),
      listen(topics, superuser),
    ]);
    await records.create('closed', { title: 'closed' });
    await records.create('posts', { title: 'open' });
    await records.create('owned', { title: 'of ann', owner: ann.id });
    await records.create('owned', { title: 'of nobody' });
    const seen = await Promise.all(
      all.map(async (listener) => shape(await listener.settle()).map((text) => text.split(' ').slice(2).join(' '))),
    );
    expect(seen).toEqual([
      // A guest's id is empty, and so is the owner of the last one (CMP-6).
      ['open', 'of nobody'],
      ['open', 'of ann'],
      ['open'],
      ['closed', 'open', 'of ann', 'of nobody'],
    ]);
  });

  it('RT-40 one record is judged by the view rule, all of them by the list rule', async () => {
    const { id } = await records.create('posts', { title: 'private' });
    const listener = await listen([`posts/${id}`, 'posts/*']);
    await records.update('posts', id, { views: 1 });
    await records.update('posts', id, { title: 'public' });
    expect(shape(await listener.settle())).toEqual([
      'posts/* update private',
      'posts/* update public',
      `posts/${id} update public`,
    ]);
  });

  it('RT-60 a filter holds for superusers too, who alone may use everything in it', async () => {
    const topics = ['posts/*?filter=views=1', "posts/*?filter=secret='s'", "posts/*?filter=@request.auth.id!=''"];
    const [guest, boss] = [await listen(topics), await listen(topics, superuser)];
    await records.create('posts', { views: 1, secret: 's' });
    await records.create('posts', { views: 2, secret: 't' });
    expect((await guest.settle()).map(({ topic }) => topic)).toEqual([topics[0]]);
    expect((await boss.settle()).map(({ topic }) => topics.indexOf(topic)).sort()).toEqual([0, 1, 2, 2]);
  });

  it('RT-64 a filter that means nothing delivers nothing, and spoils nothing else', async () => {
    const topics = [
      'filter=views',
      'filter=(',
      'filter=nothing=1',
      'filter=@collection.closed.id!=""',
      `filter=title != '${'€'.repeat(1200)}'`,
    ];
    const long = `posts/*?filter=title != '${'x'.repeat(2400)}'`;
    const listener = await listen([...topics.map((options) => `posts/*?${options}`), 'posts/*', long]);
    await records.create('posts', { title: 'x' });
    expect(shape(await listener.settle()).toSorted()).toEqual(['posts/* create x', `${long} create x`]);
  });

  it('RT-61 RT-44 rules see the options of the topic, a GET and the realtime context', async () => {
    const topics = [
      sdk('asked/*', { query: { key: 'open' } }),
      sdk('asked/*', { headers: { 'X-Key': 'open' } }),
      sdk('asked/*', { query: { key: 'no' } }),
      'asked/*',
      'context/*',
    ];
    const listener = await listen(topics);
    await records.create('asked', { title: 'x' });
    await records.create('context', { title: 'y' });
    expect((await listener.settle()).map(({ topic }) => topics.indexOf(topic)).sort()).toEqual([0, 1, 4]);
  });

  it('RT-61 RT-44 each topic is judged by its own options, and each listener by its own account', async () => {
    const fields = [{ name: 'title', type: 'text' }];
    const rules = {
      byquery: "@request.query.key = 'open'",
      byheader: "@request.headers.x_key = 'open'",
      byfilter: '',
      byaccount: "title = 'all' || @request.auth.level = 3",
    };
    const names = Object.keys(rules) as (keyof typeof rules)[];
    await roost.createCollections(
      ...names.map((name) => ({ name, type: 'base', listRule: rules[name], viewRule: null, fields })),
    );
    const keyed = (name: string, key: string, filter?: string) =>
      sdk(`${name}/*`, { query: { key, ...(filter && { filter }) }, headers: { 'X-Key': key } });
    const filter = "@request.query.key = 'open' && title != ''";
    const topics = [
      ...['byquery', 'byheader'].flatMap((name) =>
        ['no', 'open'].flatMap((key) => [keyed(name, key), keyed(name, key, "title != ''")]),
      ),
      ...['no', 'open'].map((key) => keyed('byfilter', key, filter)),
      'byaccount/*',
    ];
    const [low, high] = [await member({ level: 1 }), await member({ level: 3 })];
    const all = await Promise.all([undefined, low.token, high.token, superuser].map((token) => listen(topics, token)));
    for (const name of names) await records.create(name, { title: 'x' });
    const seen = await Promise.all(
      all.map(async (listener) => (await listener.settle()).map(({ topic }) => topics.indexOf(topic)).sort()),
    );
    expect(seen).toEqual([
      [2, 3, 6, 7],
      [2, 3, 6, 7],
      [10, 2, 3, 6, 7],
      // Only superusers may ask about the request in a filter (GRD-1).
      [0, 1, 10, 2, 3, 4, 5, 6, 7, 9],
    ]);
  });

  it('RT-64 GRD-4 a filter leads only through what each listener may list', async () => {
    const listRule = "id = @request.auth.id || @request.query.key = 'open'";
    await roost.createCollections({ id: 'private_id_0001', name: 'privates', type: 'auth', listRule, fields: [] });
    await roost.createCollections({
      name: 'paths',
      type: 'base',
      listRule: '',
      fields: [{ name: 'who', type: 'relation', collectionId: 'private_id_0001' }],
    });
    const [ann, bob] = [await member({}, 'privates'), await member({}, 'privates')];
    const filter = `who.id != '' && who.created > '2000'`;
    const plain = `paths/*?filter=${filter}`;
    const keyed = sdk('paths/*', { query: { filter, key: 'open' } });
    const all = await Promise.all([ann.token, bob.token, undefined].map((token) => listen([plain, keyed], token)));
    await records.create('paths', { who: ann.id });
    const seen = await Promise.all(
      all.map(async (listener) => (await listener.settle()).map(({ topic }) => topic).sort()),
    );
    expect(seen).toEqual([[plain, keyed].sort(), [keyed], [keyed]]);
  });

  it('RT-62 the rule in force is that of the moment', async () => {
    await roost.createCollections({ name: 'ruled', type: 'base', listRule: null, fields: [] });
    const collections = roost.app.get(CollectionsService, { strict: false });
    const listener = await listen(['ruled/*']);
    await records.create('ruled', {});
    expect(await listener.settle()).toHaveLength(0);
    await collections.update('ruled', { listRule: '' });
    await records.create('ruled', {});
    expect(await listener.settle()).toHaveLength(1);
    await collections.update('ruled', { listRule: '@request.auth.id != ""' });
    await records.create('ruled', {});
    expect(await listener.settle()).toHaveLength(1);
  });

  it('RT-62 the rules for one record and for all of them are told apart, and end with their collection', async () => {
    const collection = { name: 'ruling', type: 'base', listRule: '', viewRule: null, fields: [] };
    await roost.createCollections(collection);
    const collections = roost.app.get(CollectionsService, { strict: false });
    const { id } = await records.create('ruling', {});
    const topics = ['ruling/*', `ruling/${id}`];
    const listener = await listen(topics);
    const heard = async () => {
      await records.update('ruling', id, {});
      return (await listener.settle()).splice(before).map(({ topic }) => topics.indexOf(topic));
    };
    let before = 0;
    expect(await heard()).toEqual([0]);
    before = 1;
    await collections.update('ruling', { listRule: null, viewRule: "@request.auth.id = ''" });
    expect(await heard()).toEqual([1]);
    before = 2;
    await collections.update('ruling', { listRule: "id != ''", viewRule: "@request.auth.id != ''" });
    expect(await heard()).toEqual([0]);
    before = 3;
    await collections.delete('ruling');
    await roost.createCollections({ ...collection, listRule: null, viewRule: '' });
    await records.create('ruling', { id });
    expect(await heard()).toEqual([1, 1]);
  });

  it('REC-8 RT-64 a rule that means nothing any more keeps an event from all but superusers, and spoils no other', async () => {
    const fields = [{ name: 'text', type: 'text' }];
    const viewRule = "@collection.lost.text ?= 'x'";
    await roost.createCollections(
      { name: 'lost', type: 'base', fields },
      { name: 'half', type: 'base', listRule: "text != 'hidden'", viewRule, fields },
    );
    await records.create('lost', { text: 'x' });
    const { id } = await records.create('half', { text: 'a' });
    const topics = ['half/*', `half/${id}`, `half/${id}?filter=text='b'`];
    const [guest, boss] = [await listen(topics), await listen(topics, superuser)];
    const heard = async (listener: Listener) =>
      (await listener.settle()).map(({ topic, record }) => `${topics.indexOf(topic)}${record.text}`).sort();
    await records.update('half', id, { text: 'b' });
    expect([await heard(guest), await heard(boss)]).toEqual([
      ['0b', '1b', '2b'],
      ['0b', '1b', '2b'],
    ]);
    await roost.app.get(CollectionsService, { strict: false }).update('lost', { fields: [] });
    await records.update('half', id, { text: 'c' });
    expect(await heard(guest)).toEqual(['0b', '0c', '1b', '2b']);
    expect(await heard(boss)).toEqual(['0b', '0c', '1b', '1c', '2b']);
  });

  it('REC-8 RT-64 a rule that cannot be executed keeps an event from all but superusers, and spoils no other', async () => {
    const fields = [{ name: 'text', type: 'text' }];
    const listRule = "text != 'hidden'";
    await roost.createCollections(
      { name: 'torn', type: 'base', fields },
      { name: 'rest', type: 'base', listRule, viewRule: "@collection.torn.text ?= 'x'", fields },
    );
    await records.create('torn', { text: 'x' });
    const { id } = await records.create('rest', { text: 'a' });
    const database = roost.app.get(Database, { strict: false });
    const sql = 'ALTER TABLE "torn" DROP COLUMN "text"';
    await database.transaction(() => database.run({ sql, params: [], writes: ['torn'] }));
    const topics = [`rest/${id}`, 'rest/*'];
    const [guest, boss] = [await listen(topics), await listen(topics, superuser)];
    await records.update('rest', id, { text: 'b' });
    const heard = async (listener: Listener) => (await listener.settle()).map(({ topic }) => topics.indexOf(topic));
    expect([await heard(guest), (await heard(boss)).sort()]).toEqual([[1], [0, 1]]);
  });

  it('RT-63 each of two quick updates is judged by its own values', async () => {
    const { id } = await records.create('posts', { title: 'start' });
    const listener = await listen(["posts/*?filter=title='A'", "posts/*?filter=title='B'"]);
    await records.transaction(async () => {
      await records.update('posts', id, { title: 'A' });
      await records.update('posts', id, { title: 'B' });
      await records.update('posts', id, { title: 'C' });
    });
    expect((await listener.settle()).map(({ record }) => record.title)).toEqual(['A', 'B']);
  });

  it('RT-65 a record that leaves the filter gives no event', async () => {
    const { id } = await records.create('posts', { title: 'in' });
    const listener = await listen(["posts/*?filter=title='in'"]);
    await records.update('posts', id, { title: 'out' });
    await records.update('posts', id, { title: 'in' });
    expect((await listener.settle()).map(({ record }) => record.title)).toEqual(['in']);
  });
});

describe('the content of an event', () => {
  it('RT-71 hides what the listener may not see', async () => {
    const [guest, boss] = [await listen(['posts/*']), await listen(['posts/*'], superuser)];
    await records.create('posts', { title: 'x', secret: 's' });
    expect((await guest.settle())[0]!.record).not.toHaveProperty('secret');
    expect((await boss.settle())[0]!.record).toMatchObject({ secret: 's', collectionName: 'posts' });
  });

  it('RT-71 shows the email of an account to itself, its managers and superusers, passwords and keys to nobody', async () => {
    const [self, other] = [await member({}, 'accounts'), await member({}, 'accounts')];
    const [manager, worker] = [await member({ level: 9 }), await member({ level: 1 })];
    const all = await Promise.all(
      [undefined, self.token, other.token, manager.token, worker.token, superuser].map((token) =>
        listen(['accounts/*'], token),
      ),
    );
    await records.update('accounts', self.id, { verified: false });
    const seen = await Promise.all(all.map(async (listener) => (await listener.settle())[0]!.record));
    expect(seen.map((record) => 'email' in record)).toEqual([false, true, false, true, false, true]);
    for (const record of seen) {
      expect(record).not.toHaveProperty('password');
      expect(record).not.toHaveProperty('tokenKey');
    }
    await records.update('accounts', self.id, { emailVisibility: true });
    for (const listener of all) expect((await listener.settle())[1]!.record).toHaveProperty('email');
  });

  it('RT-71 RT-73 RT-74 expands and picks', async () => {
    const author = await member({ level: 7 });
    const topics = [
      'posts/*?expand=author',
      'posts/*?expand=author&fields=id,expand.author.level',
      'posts/*?fields=body:excerpt(5)',
      'posts/*?fields=title:nonsense(',
      'posts/*?expand=nothing',
    ];
    const [listener, self] = [await listen(topics), await listen(['posts/*?expand=author'], author.token)];
    const { id } = await records.create('posts', { title: 't', body: '<b>Hello</b> you', author: author.id });
    const seen = new Map((await listener.settle()).map(({ topic, record }) => [topics.indexOf(topic), record]));
    expect(seen.get(0)).toMatchObject({ id, expand: { author: { id: author.id, level: 7 } } });
    expect(seen.get(0).expand.author).not.toHaveProperty('email');
    const own = await self.settle();
    expect(own[0]!.record.expand.author).toMatchObject({ id: author.id, email: expect.stringContaining('@') });
    expect(seen.get(1)).toEqual({ id, expand: { author: { level: 7 } } });
    expect(seen.get(2)).toEqual({ body: 'Hello' });
    expect(seen.get(3)).toMatchObject({ id, title: 't', views: 0 });
    expect(seen.get(4)).not.toHaveProperty('expand');
  });

  it('RT-73 expands under the rules of the related collection, for each listener', async () => {
    const ann = await member();
    const owned = await records.create('owned', { title: 'mine', owner: ann.id });
    await roost.createCollections({
      name: 'links',
      type: 'base',
      listRule: '',
      fields: [{ name: 'to', type: 'relation', collectionId: owned.collection.id }],
    });
    const link = await records.create('links', {});
    await roost.createCollections({
      name: 'chains',
      type: 'base',
      listRule: '',
      fields: [{ name: 'link', type: 'relation', collectionId: link.collection.id }],
    });
    await roost.app.get(CollectionsService, { strict: false }).update('links', { viewRule: '' });
    const topics = ['links/*?expand=to', 'chains/*?expand=link.to'];
    const [guest, reader, boss] = [
      await listen(topics),
      await listen(topics, ann.token),
      await listen(topics, superuser),
    ];
    await records.update('links', link.id, { to: owned.id });
    await records.create('chains', { link: link.id });
    const expands = async (listener: Listener) => (await listener.settle()).map(({ record }) => record.expand);
    const [direct, nested] = await expands(guest);
    expect([direct, nested.link.expand]).toEqual([{}, {}]);
    for (const listener of [reader, boss]) {
      const [one, two] = await expands(listener);
      expect([one.to.title, two.link.expand.to.title]).toEqual(['mine', 'mine']);
    }
  });

  it('RT-72 has the values of that write', async () => {
    const { id } = await records.create('posts', { title: 'a', views: 1 });
    const listener = await listen(['posts/*']);
    await records.transaction(async () => {
      for (const views of [2, 3, 4]) await records.update('posts', id, { views });
      await records.delete('posts', id);
    });
    expect((await listener.settle()).map(({ action, record }) => [action, record.views])).toEqual([
      ['update', 2],
      ['update', 3],
      ['update', 4],
      ['delete', 4],
    ]);
  });
});
