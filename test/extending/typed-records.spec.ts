import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { VisibleFields } from '../../src/collections/visible-fields.js';
import { declareCollections } from '../../src/kernel/collections/declare-collections.js';
import type { TestRoost } from '../../src/testing/index.js';
import { BLOG } from '../support/blog.js';
import { compile, inProject } from '../support/compile.js';
import { startRoost } from '../support/roost.js';

const HEAD = `
  import type { Collections } from './typed-records-collections.js';
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  const same = <A, B>(_: Same<A, B>): void => undefined;
`;

const SERVICE = `
  import { RecordModel, RecordsService, type TypedRecord } from 'roost';
  ${HEAD}
  export async function typed(records: RecordsService<Collections>): Promise<void> {
    const { items } = await records.find('posts', { filter: 'views > 1' });
    same<(typeof items)[0], TypedRecord<Collections['posts']>>(true);
    const post = await records.findOne('posts', 'x', { expand: 'author' });
    const title = post.get('title');
    const options = post.get('options');
    const internal = post.get('internal');
    const before = post.original('views');
    same<typeof title, string>(true);
    same<typeof options, ('a' | 'b' | 'c')[]>(true);
    same<typeof internal, string>(true);
    same<typeof before, number>(true);
    const first = await records.findFirst('tags', 'label = {:label}', { label: 'x' });
    same<typeof first, TypedRecord<Collections['tags']> | undefined>(true);
    const { items: expanded } = await records.find('posts', { expand: 'author, tags.posts_via_tags' });
    const author = expanded[0]!.expand?.author;
    same<typeof author, TypedRecord<Collections['users2']> | undefined>(true);
    const labels = expanded[0]!.expand?.tags?.map((tag) => tag.get('label'));
    same<typeof labels, string[] | undefined>(true);
    const titles = expanded[0]!.expand?.tags?.[0]?.expand?.posts_via_tags?.map((each) => each.get('title'));
    same<typeof titles, string[] | undefined>(true);
    const editor = (await records.findOne('posts', 'x', { expand: 'author' })).expand?.author?.get('name');
    same<typeof editor, string | undefined>(true);
    // @ts-expect-error It was not asked for.
    void expanded[0]!.expand?.comments_via_post;
    const anywhere = (await records.findOne('posts', 'x', { expand: String(title) })).expand?.['author'];
    same<typeof anywhere, RecordModel | readonly RecordModel[] | undefined>(true);
    for await (const each of records.each('posts', { filter: 'views > 1', expand: 'tags' })) {
      same<typeof each, Awaited<ReturnType<typeof withTags>>>(true);
    }
    // @ts-expect-error A new record has a title.
    await records.create('posts', { views: 1 });
    // @ts-expect-error And an account has a password.
    await records.create('users2', { email: 'a@b.c' });
    await records.create('events', { at: new Date(), poster: new Blob(), papers: ['kept.txt', Buffer.from('new')] });
    await records.update('events', 'x', { at: '2026-01-01', poster: null });
    // @ts-expect-error No number is a date.
    await records.update('events', 'x', { at: 5 });
    await records.create('posts', { title: 'a', views: 1, options: ['a'], meta: { any: 'thing' }, author: null });
    await records.create('users2', { email: 'a@b.c', password: '12345678', passwordConfirm: '12345678' });
    await records.update('posts', 'x', { 'views+': 1, 'options-': 'a', '+tags': ['y'], 'slug:autogenerate': 'a-' });
    await records.upsert('tags', { id: 'x', label: 'y' }, { expand: 'a' });
    await records.create('tags', { label: 'x' }, { also: async (tag) => same<typeof tag, typeof made>(true) });
    await records.delete('tags', 'x');
    same<typeof count, number>(true);
    post.set('title', 5);
    const plain: RecordModel = post;
    void plain;
    // @ts-expect-error There is no such collection.
    await records.find('nothing');
    // @ts-expect-error Neither here.
    await records.count('nothing');
    // @ts-expect-error Nor here.
    await records.delete('nothing', 'x');
    const secret = post.get('titel');
    same<typeof secret, unknown>(true);
    // @ts-expect-error Nor is there to write.
    await records.create('posts', { titel: 'a' });
    // @ts-expect-error No number is a title.
    await records.update('posts', 'x', { title: 5 });
    // @ts-expect-error A choice that is not among the values.
    await records.create('posts', { options: ['z'] });
  }
  const withTags = (records: RecordsService<Collections>) => records.findOne('posts', 'x', { expand: 'tags' });
  declare const made: TypedRecord<Collections['tags']>;
  declare const count: Awaited<ReturnType<RecordsService<Collections>['count']>>;

  export async function once(records: RecordsService): Promise<void> {
    const { items } = await records.find<Collections>('posts', { sort: '-created' });
    const title = items[0]!.get('title');
    same<typeof title, string>(true);
    const post = await records.findOne<Collections, 'posts'>('posts', 'x');
    same<typeof post, TypedRecord<Collections['posts']>>(true);
    // @ts-expect-error There is no such collection.
    await records.find<Collections>('nothing');
  }

  export async function untyped(records: RecordsService, name: string): Promise<void> {
    const record = await records.findOne(name, 'x');
    const value = record.get('anything');
    same<typeof record, RecordModel>(true);
    same<typeof value, unknown>(true);
    await records.create(name, { anything: 1 });
    record.set(name, 1);
  }

  /** What injects an undescribed service may be given a described one. */
  export const passedOn = (records: RecordsService<Collections>): Promise<void> => untyped(records, 'posts');
`;

const HOOKS = `
  import { AfterRecordUpdate, BeforeRecordCreate, type RecordCreateEvent, type RecordUpdatedEvent } from 'roost';
  ${HEAD}
  export class PostHooks {
    @BeforeRecordCreate('posts')
    prepare({ record }: RecordCreateEvent<Collections, 'posts'>): void {
      const views = record.get('views');
      same<typeof views, number>(true);
      record.set('views', views + 1);
    }

    @AfterRecordUpdate('posts')
    compare({ record, before }: RecordUpdatedEvent<Collections, 'posts'>): boolean {
      return record.get('title') === before.get('title');
    }

    @BeforeRecordCreate()
    any({ record }: RecordCreateEvent): unknown {
      return record.get('anything');
    }
  }
`;

const FRONT_END = `
  import PocketBase, { type RecordService } from 'pocketbase';
  ${HEAD}
  interface TypedPocketBase extends PocketBase {
    collection<Name extends keyof Collections>(name: Name): RecordService<Collections[Name]>;
    collection(name: string): RecordService;
  }
  const pb = new PocketBase('http://127.0.0.1:8090') as TypedPocketBase;
  const { items } = await pb.collection('posts').getList(1, 20);
  same<typeof items, Collections['posts'][]>(true);
  const tag = await pb.collection('tags').create({ label: 'x' });
  same<typeof tag.label, string>(true);
  // @ts-expect-error There is no such field.
  void tag.lable;
  const one = await new PocketBase().collection<Collections['posts']>('posts').getOne('x');
  same<typeof one.views, number>(true);
`;

describe('records as TypeScript knows them', () => {
  let roost: TestRoost;
  let collections: string;

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createCollections(...BLOG, {
      name: 'events',
      type: 'base',
      fields: [
        { name: 'at', type: 'date', required: true },
        { name: 'poster', type: 'file' },
        { name: 'papers', type: 'file', maxSelect: 5 },
      ],
    });
    const shownFields = roost.app.get(VisibleFields, { strict: false });
    collections = declareCollections(roost.app.get(CollectionStore, { strict: false }).catalog, (collection) =>
      shownFields.of(collection),
    );
  });

  afterAll(() => roost.close());

  it.each([
    ['RecordsService is generic over the generated collections', SERVICE],
    ['EXT-27 events of hooks know their collection', HOOKS],
    ['the official SDK takes the same declarations', FRONT_END],
  ])('EXT-24 %s', { timeout: 240_000 }, (_, program) => {
    const files = new Map([
      [inProject('test/extending/typed-records-collections.ts'), collections],
      [inProject('test/extending/typed-records-program.ts'), program],
    ]);
    expect(compile(files)).toEqual([]);
  });
});
