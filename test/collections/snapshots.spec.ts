import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectionPatch, collectionSnapshot, patchBody } from '../../src/collections/collection-snapshot.js';
import type { CollectionData } from '../../src/kernel/collections/collection.js';
import { CollectionsApp } from './support/collections-app.js';

describe('snapshots of collections', () => {
  let app: CollectionsApp;
  beforeAll(async () => {
    app = await CollectionsApp.start();
  });
  afterAll(() => app.stop());

  const definition = (name: string) => app.collections.get(name).toData();

  it('OPS-186 hold neither timestamps nor OAuth2 providers nor secrets', async () => {
    await app.update('users', {
      oauth2: { enabled: false, providers: [{ name: 'google', clientId: 'the-id', clientSecret: 'the-secret' }] },
    });
    const text = JSON.stringify(app.collections.all().map((collection) => collectionSnapshot(collection)));
    for (const word of ['"created":', '"updated":', 'providers', 'the-id', 'the-secret', '"secret"']) {
      expect(text).not.toContain(word);
    }
  });

  it('OPS-188 OPS-189 a patch leads from one definition to the other, and its reverse back', async () => {
    const states: CollectionData[] = [];
    const fields = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'select', values: ['x'], maxSelect: 1 },
      { name: 'c', type: 'number' },
    ];
    await app.create({ id: 'things_id', name: 'things', type: 'auth', fields, listRule: '' });
    const remember = () => states.push(definition('things_id'));
    remember();
    const [id, a, b, ...rest] = states[0]!.fields;
    await app.update('things_id', { name: 'objects', fields: [id, { ...a, name: 'd', max: 5 }, ...rest] });
    remember();
    await app.update('things_id', { authRule: 'verified = true', otp: { length: 9 }, viewRule: `d = 'x'` });
    remember();
    await app.update('things_id', { fields: [id, { name: 'new', type: 'json' }, ...states[1]!.fields.slice(1), b] });
    remember();
    await app.update('things_id', { indexes: ['CREATE INDEX idx_new ON x (d)'], listRule: null });
    remember();

    for (const target of states.toReversed()) {
      const patch = collectionPatch(definition('things_id'), target);
      if (patch) await app.update('things_id', patchBody(definition('things_id'), patch));
      expect(collectionSnapshot(definition('things_id'))).toEqual(collectionSnapshot(target));
    }
  });

  it('OPS-188 hold only what changed, and nothing when only the order did', async () => {
    await app.create({
      name: 'small',
      type: 'base',
      fields: [
        { name: 'a', type: 'text' },
        { name: 'b', type: 'text' },
      ],
    });
    const before = definition('small');
    await app.update('small', { fields: before.fields.toReversed() });
    expect(collectionPatch(before, definition('small'))).toBeUndefined();
    await app.update('small', {
      fields: definition('small').fields.map((field) => (field.name === 'b' ? { ...field, max: 3 } : field)),
      viewRule: '',
    });
    const patch = collectionPatch(before, definition('small'))!;
    expect(patch.properties).toEqual({ viewRule: '' });
    expect(patch.removedFields).toEqual([]);
    expect(patch.savedFields.map(({ field }) => field.name)).toEqual(['b']);
  });

  it('OPS-188 hold the query of a view, not its fields', async () => {
    await app.create({ name: 'seen', type: 'view', viewQuery: 'SELECT id FROM users' });
    const before = definition('seen');
    await app.update('seen', { viewQuery: 'SELECT id, name FROM users' });
    const patch = collectionPatch(before, definition('seen'))!;
    expect(patch.savedFields).toEqual([]);
    expect(patch.properties.viewQuery).toBe('SELECT id, name FROM users');
  });
});
