import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { ShownFields } from '../../src/collections/shown-fields.js';
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
    await roost.createCollections(...BLOG);
    const shownFields = roost.app.get(ShownFields, { strict: false });
    collections = declareCollections(roost.app.get(CollectionStore, { strict: false }).catalog.all(), (collection) =>
      shownFields.of(collection),
    );
  });

  afterAll(() => roost.close());

  it.each([
    ['RecordsService is generic over the generated collections', SERVICE],
    ['the official SDK takes the same declarations', FRONT_END],
  ])('EXT-24 %s', { timeout: 240_000 }, (_, program) => {
    const files = new Map([
      [inProject('test/extending/typed-records-collections.ts'), collections],
      [inProject('test/extending/typed-records-program.ts'), program],
    ]);
    expect(compile(files)).toEqual([]);
  });
});
