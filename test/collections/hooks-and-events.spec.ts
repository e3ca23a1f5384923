import { Injectable, Module } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectionChanged } from '../../src/collections/collection-changed.event.js';
import { CollectionDeleted } from '../../src/collections/collection-deleted.event.js';
import {
  AfterCollectionCreate,
  AfterCollectionCreateFailed,
  AfterCollectionDelete,
  AfterCollectionDeleteFailed,
  AfterCollectionUpdate,
  AfterCollectionUpdateFailed,
  BeforeCollectionCreate,
  type CollectionCreatedEvent,
  type CollectionCreateEvent,
  type CollectionDeletedEvent,
  BeforeCollectionDelete,
  type CollectionDeleteEvent,
  BeforeCollectionUpdate,
  type CollectionFailedEvent,
  type CollectionUpdatedEvent,
  type CollectionUpdateEvent,
} from '../../src/collections/collection.hooks.js';
import { FieldTypesModule } from '../../src/collections/field-types.module.js';
import { OnEvent } from '../../src/events/on-event.decorator.js';
import type { CollectionData } from '../../src/kernel/collections/collection.js';
import { TextField } from '../../src/kernel/fields/text-field.js';
import { CollectionsApp } from './support/collections-app.js';

@Injectable()
class Observer {
  readonly seen: string[] = [];
  /** What it makes of new definitions. */
  change = (definition: CollectionData): CollectionData => ({ ...definition, viewRule: '' });

  @BeforeCollectionCreate()
  beforeCreate(event: CollectionCreateEvent): void {
    this.seen.push(`before create ${event.definition.name}`);
    if (event.definition.name === 'refused') throw new Error('no');
    event.definition = this.change(event.definition);
  }

  @AfterCollectionCreate()
  afterCreate({ collection }: CollectionCreatedEvent): void {
    this.seen.push(`after create ${collection.name}`);
  }

  @AfterCollectionCreateFailed()
  @AfterCollectionUpdateFailed()
  @AfterCollectionDeleteFailed()
  afterFailure({ definition, error }: CollectionFailedEvent): void {
    this.seen.push(`failed ${definition.name} ${error instanceof Error ? error.name : String(error)}`);
  }

  @BeforeCollectionUpdate('posts')
  beforeUpdate(event: CollectionUpdateEvent): void {
    this.seen.push(`before update ${event.original.name}`);
    event.definition = { ...event.definition, listRule: '' };
  }

  @AfterCollectionUpdate('posts')
  afterUpdate({ original, collection }: CollectionUpdatedEvent): void {
    this.seen.push(`after update ${original.listRule} ${collection.listRule}`);
  }

  @BeforeCollectionDelete()
  beforeDelete({ collection }: CollectionDeleteEvent): void {
    this.seen.push(`before delete ${collection.name}`);
  }

  @AfterCollectionDelete()
  afterDelete({ collection }: CollectionDeletedEvent): void {
    this.seen.push(`after delete ${collection.name}`);
  }

  @OnEvent(CollectionChanged)
  changed({ before, after }: CollectionChanged): void {
    this.seen.push(`changed ${before?.name ?? 'nothing'} ${after.name}`);
  }

  @OnEvent(CollectionDeleted)
  deleted({ collection }: CollectionDeleted): void {
    this.seen.push(`deleted ${collection.name}`);
  }
}

class ShoutField extends TextField {
  override readonly type = 'shout' as never;
}

@Module({ imports: [FieldTypesModule.register(ShoutField)] })
class ShoutModule {}

describe('hooks and events of collections', () => {
  let app: CollectionsApp;
  let seen: string[];
  beforeEach(async () => {
    app = await CollectionsApp.start({ providers: [Observer], imports: [ShoutModule] });
    seen = app.get(Observer).seen;
  });
  afterEach(() => app.stop());

  it('EXT-31 run around every change and may change it; events follow its commit', async () => {
    const posts = await app.create({ name: 'posts', type: 'base' });
    expect(posts.viewRule).toBe('');
    await app.create({ name: 'other', type: 'base' });
    const updated = await app.update('posts', { name: 'articles' });
    expect(updated.listRule).toBe('');
    await app.collections.delete('other');
    expect(seen.sort()).toEqual(
      [
        'before create posts',
        'changed nothing posts',
        'after create posts',
        'before create other',
        'changed nothing other',
        'after create other',
        'before update posts',
        'changed posts articles',
        'before delete other',
        'deleted other',
        'after delete other',
      ].sort(),
    );
  });

  it('EXT-31 a throw refuses the change, and whoever watches failures is told', async () => {
    const before = await app.state();
    const { code } = await app.refusal(app.create({ name: 'refused', type: 'base' }));
    expect(code).toBe(400);
    await app.refusal(app.create({ name: 'a b', type: 'base' }));
    expect(seen).toEqual([
      'before create refused',
      'failed refused BadRequestError',
      'before create a b',
      'failed a b ValidationError',
    ]);
    expect(await app.state()).toEqual(before);
  });

  const field = (name: string, more: object) => (definition: CollectionData) => ({
    ...definition,
    fields: definition.fields.map((each) => (each.name === name ? { ...each, ...more } : each)),
  });
  it.each<[string, string, object, (definition: CollectionData) => CollectionData]>([
    ['base', 'no field', { code: 'validation_required' }, (made) => ({ ...made, fields: [] })],
    [
      'base',
      'no id',
      { code: 'validation_missing_primary_key' },
      (made) => ({ ...made, fields: made.fields.filter(({ name }) => name !== 'id') }),
    ],
    ['base', 'an id that is no key', { code: 'validation_missing_primary_key' }, field('id', { primaryKey: false })],
    ['base', 'an id of another type', { code: 'validation_missing_primary_key' }, field('id', { type: 'editor' })],
    ['base', 'two of an id', { code: 'validation_duplicated_field_id' }, field('title', { id: 'f_other' })],
    ['base', 'no time', { code: 'validation_missing_updated_field' }, field('updated', { name: 'changed' })],
    ['base', 'a time that may go', { code: 'validation_must_be_system' }, field('created', { system: false })],
    ['auth', 'no password', { code: 'validation_missing_password_field' }, field('password', { name: 'word' })],
    ['auth', 'no token key', { code: 'validation_missing_tokenKey_field' }, field('tokenKey', { type: 'email' })],
    ['auth', 'no email', { code: 'validation_missing_email_field' }, field('email', { name: 'mail' })],
    ['auth', 'a shown secret', { code: 'validation_must_be_system_and_hidden' }, field('tokenKey', { hidden: false })],
  ])('EXT-31 COL-52 %s: judge a definition with %s as if it were sent', async (type, _, error, change) => {
    app.get(Observer).change = change;
    const before = await app.state();
    const fields = ['title', 'other'].map((name) => ({ id: `f_${name}`, name, type: 'text' }));
    const { data } = await app.refusal(app.create({ name: 'changed', type, fields }));
    expect(data.fields).toMatchObject(error);
    expect(await app.state()).toEqual(before);
  });

  it('EXT-31 COL-122 COL-123 keep the unique indexes an auth collection needs', async () => {
    app.get(Observer).change = (definition) => ({ ...definition, indexes: definition.indexes.slice(1) });
    const { data } = await app.refusal(app.create({ name: 'people', type: 'auth' }));
    expect(data.indexes.code).toBe('validation_missing_required_unique_index');
  });

  it('EXT-31 COL-93 run for imports too, and tell of everything that failed with one', async () => {
    await app.create({ name: 'posts', type: 'base' });
    seen.length = 0;
    const refused = [{ name: 'x' }, { name: 'posts' }, { name: 'bad', listRule: 'a' }];
    await app.refusal(app.collections.import(refused, { deleteMissing: true }));
    expect(seen).toEqual([
      'before create x',
      'before update posts',
      'before create bad',
      'before delete users',
      'failed x ValidationError',
      'failed posts ValidationError',
      'failed bad ValidationError',
      'failed users ValidationError',
    ]);
    seen.length = 0;
    await app.collections.import([{ name: 'x' }, { name: 'posts', listRule: null }], { deleteMissing: true });
    expect(seen).toContain('after create x');
    expect(seen).toContain('before delete users');
    expect(seen).toContain('after delete users');
    expect(seen).toContain('deleted users');
    expect(app.collections.get('posts').listRule).toBe('');
  });

  it('EXT-31 a change that is undone with a larger transaction has failed', async () => {
    const undone = app.database.transaction(async () => {
      await app.create({ name: 'gone', type: 'base' });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(seen).toEqual(['before create gone', 'failed gone undefined']);
    expect(app.collections.find('gone')).toBeUndefined();
  });

  it('COL-118 a view that follows its table is told of as well', async () => {
    await app.create({ name: 'people', type: 'view', viewQuery: 'SELECT id, name FROM users' });
    seen.length = 0;
    const fields = app.collections.get('users').fields;
    await app.update('users', {
      fields: fields.map((field) => (field.name === 'name' ? { ...field, max: 9 } : field)),
    });
    expect(seen).toEqual(['changed users users', 'changed people people']);
  });

  it('EXT-41 a registered field type is one like the others', async () => {
    const created = await app.create({ name: 'loud', type: 'base', fields: [{ name: 'word', type: 'shout', max: 7 }] });
    expect(created.field('word')).toMatchObject({ type: 'shout', max: 7, help: '' });
  });
});
