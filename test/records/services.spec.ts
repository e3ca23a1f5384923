import { ForbiddenException, Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Caller } from '../../src/kernel/records/caller.js';
import {
  AfterRecordCreate,
  AfterRecordCreateFailed,
  AfterRecordDelete,
  AfterRecordUpdate,
  BeforeRecordCreate,
  BeforeRecordDelete,
  BeforeRecordUpdate,
  EnrichRecord,
  type EnrichRecordEvent,
  type RecordCreateEvent,
  type RecordFailedEvent,
} from '../../src/records/record.hooks.js';
import { RecordsModule } from '../../src/records/records.module.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

@Injectable()
class Spy {
  readonly seen: string[] = [];

  constructor(private readonly records: RecordsService) {}

  @BeforeRecordCreate('tags')
  before({ record }: RecordCreateEvent): void {
    this.seen.push(`before ${record.get('label')}`);
    if (record.get('label') === 'refused') throw new ForbiddenException('Not this one.');
    if (record.get('label') === 'broken') throw new Error('secret reason');
    record.set('weight', 7);
  }

  @BeforeRecordCreate('tags', { order: -1 })
  first(): void {
    this.seen.push('first');
  }

  @AfterRecordCreate('blog_tags_00001')
  async after({ record }: RecordCreateEvent): Promise<void> {
    const stored = await this.records.findFirst('tags', 'id = {:id}', { id: record.id });
    this.seen.push(`after ${stored?.get('label')}`);
    throw new Error('an observer changes nothing');
  }

  @AfterRecordCreateFailed('tags')
  failed({ record }: RecordFailedEvent): void {
    this.seen.push(`failed ${record.get('label')}`);
  }

  @BeforeRecordUpdate('comments')
  @BeforeRecordDelete('comments')
  @AfterRecordUpdate('comments')
  @AfterRecordDelete('comments')
  comment({ record }: RecordCreateEvent): void {
    this.seen.push(`comment ${record.get('text')}`);
  }

  @EnrichRecord('posts')
  enrich({ output, caller }: EnrichRecordEvent): void {
    output['greeting'] = caller.isGuest ? 'hello guest' : 'hello you';
    delete output['views'];
  }
}

@Module({ imports: [RecordsModule], providers: [Spy] })
class SpyModule {}

describe('records for code', () => {
  let roost: TestRoost;
  let records: RecordsService;
  let api: RecordApi;
  let spy: Spy;

  beforeAll(async () => {
    roost = await startRoost({ imports: [SpyModule] });
    await roost.createCollections(...BLOG);
    records = roost.app.get(RecordsService, { strict: false });
    spy = roost.app.get(Spy, { strict: false });
    api = new RecordApi(roost);
  });

  beforeEach(() => spy.seen.splice(0));

  afterAll(() => roost.close());

  it('EXT-20 mirrors the endpoints, with full rights or as a caller', async () => {
    const ann = await records.create('users2', { email: 'ann@example.com', password: '12345678' });
    const post = await records.create('posts', { title: 'x', author: ann.id });
    await expect(records.findOne('posts', post.id, { as: new Caller(null) })).rejects.toThrow(/not found/);
    expect((await records.findOne('posts', post.id, { as: new Caller(ann), expand: 'author' })).expand).toHaveProperty(
      'author',
    );
    expect((await records.find('posts', { as: new Caller(null) })).totalItems).toBe(0);
    expect(await records.count('posts', { filter: 'title = "x"' })).toBe(1);
    expect((await records.update('posts', post.id, { 'views+': 2 })).get('views')).toBe(2);
    await expect(records.update('posts', post.id, {}, { as: new Caller(null) })).rejects.toMatchObject({ status: 404 });
    expect((await records.upsert('posts', { id: post.id, title: 'y' })).get('title')).toBe('y');
    await records.delete('posts', post.id);
    await expect(records.findOne('posts', post.id)).rejects.toMatchObject({ status: 404 });
  });

  it('EXT-21 binds filter parameters and never splices them', async () => {
    const evil = '" || 1 = 1 || "';
    await records.create('posts', { title: evil });
    await records.create('posts', { title: 'good' });
    const found = await records.find('posts', { filter: 'title = {:title}', params: { title: evil } });
    expect(found.items.map((record) => record.get('title'))).toEqual([evil]);
    expect(await records.findFirst('posts', 'title = {:title}', { title: 'nothing' })).toBeUndefined();
  });

  it('EXT-22 TX-1 rolls everything back when a transaction throws', async () => {
    const origin = await roost.listen();
    const failed = records.transaction(async () => {
      const { id } = await records.create('tags', { label: 'inside' });
      expect((await records.findOne('tags', id)).get('label')).toBe('inside');
      const others = await fetch(`${origin}/api/collections/tags/records?filter=label="inside"`);
      expect(await others.json()).toMatchObject({ items: [] });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await records.count('tags', { filter: 'label = "inside"' })).toBe(0);
    expect(spy.seen).toEqual(['first', 'before inside', 'failed inside']);
  });

  it('EXT-30 EXT-31 EXT-32 runs hooks in order, Before inside and After behind the commit', async () => {
    const { status, body } = await api.create('tags', { label: 'hooked' });
    expect([status, body.weight]).toEqual([200, 7]);
    expect(spy.seen).toEqual(['first', 'before hooked', 'after hooked']);
  });

  it('EXT-32 answers a throwing hook with its exception, or 400 without its reason', async () => {
    const refused = await api.create('tags', { label: 'refused' });
    expect([refused.status, refused.body.message]).toEqual([403, 'Not this one.']);
    const broken = await api.create('tags', { label: 'broken' });
    expect([broken.status, broken.body.data]).toEqual([400, {}]);
    expect(broken.text).not.toContain('secret reason');
    expect(spy.seen).toContain('failed refused');
    expect(await records.count('tags', { filter: 'label = "refused"' })).toBe(0);
  });

  it('EXT-33 runs hooks for cascade deletes', async () => {
    const post = await records.create('posts', { title: 'x' });
    await records.create('comments', { text: 'gone', post: post.id });
    spy.seen.splice(0);
    await records.delete('posts', post.id);
    expect(spy.seen).toEqual(['comment gone', 'comment gone']);
  });

  it('EXT-31 lets EnrichRecord hide and add fields for a caller', async () => {
    await records.create('posts', { title: 'shown', published: true });
    const [item] = (await api.list('posts', { filter: 'title = "shown"' })).body.items;
    expect(item.greeting).toBe('hello guest');
    expect('views' in item).toBe(false);
  });

  it('JSON-1 EXT-31 what is expanded keeps its order where EnrichRecord runs', async () => {
    const author = await records.create('users2', { email: 'order@example.com', password: '12345678' });
    const tag = await records.create('tags', { label: 'order' });
    const values = { title: 'ordered', published: true, author: author.id, tags: [tag.id] };
    const { id } = await records.create('posts', values);
    const { expand } = (await api.view('posts', id, { expand: 'tags,author' })).body;
    expect(Object.entries(expand)).toMatchObject([
      ['author', { id: author.id }],
      ['tags', [{ id: tag.id }]],
    ]);
  });
});
