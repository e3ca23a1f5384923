import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { Database } from '../../src/database/database.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('renaming a collection', () => {
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections({ name: 'posts', type: 'base' }, { name: 'posts_old', type: 'base' });
  });
  afterAll(() => roost.close());

  const patch = (url: string, body: unknown) => roost.inject({ method: 'PATCH', url, token, body });
  const rule = (label: string, audience = '') => ({ label, audience, duration: 5, maxRequests: 7 });
  const labels = async () => {
    const { body } = await roost.inject({ url: '/api/settings', token });
    return body.rateLimits.rules.map(({ label }: { label: string }) => label).sort();
  };

  it('OPS-7 rewrites the labels of its rate limits, and only if it succeeds', async () => {
    const rules = [
      rule('posts:list'),
      rule('posts_old:list'),
      rule('posts:create', '@guest'),
      rule('articles:list'),
      rule('/api/'),
    ];
    expect((await patch('/api/settings', { rateLimits: { rules } })).status).toBe(200);

    expect((await patch('/api/collections/posts', { name: 'posts_old' })).status).toBe(400);
    expect(await labels()).toEqual(['/api/', 'articles:list', 'posts:create', 'posts:list', 'posts_old:list']);

    expect((await patch('/api/collections/posts', { name: 'articles' })).status).toBe(200);
    expect(await labels()).toEqual(['/api/', 'articles:create', 'articles:list', 'posts_old:list']);
    const { body } = await roost.inject({ url: '/api/settings', token });
    expect(body.rateLimits.rules).toContainEqual(rule('articles:create', '@guest'));
  });

  it('OPS-7 rewrites labels of all collections an import renames at the same time, also when names change places', async () => {
    await roost.createCollections(
      { id: 'left_id', name: 'left', type: 'base' },
      { id: 'right_id', name: 'right', type: 'base' },
      { id: 'third_id', name: 'third', type: 'base' },
    );
    const rules = [
      { ...rule('left:create'), maxRequests: 1 },
      { ...rule('right:create'), maxRequests: 2 },
      { ...rule('right:list', '@auth'), maxRequests: 3 },
      { ...rule('third:view'), maxRequests: 4 },
      { ...rule('/api/collections/left/'), maxRequests: 5 },
      { ...rule('GET /api/collections/right/records'), maxRequests: 6 },
      { ...rule('/api/collections/left_id/'), maxRequests: 7 },
      { ...rule('left'), maxRequests: 8 },
    ];
    expect((await patch('/api/settings', { rateLimits: { rules } })).status).toBe(200);
    const stored = async () => {
      const { body } = await roost.inject({ url: '/api/settings', token });
      return body.rateLimits.rules.map(({ label, maxRequests }: (typeof rules)[number]) => [label, maxRequests]);
    };
    const imported = (...collections: object[]) =>
      roost.inject({ method: 'PUT', url: '/api/collections/import', token, body: { collections } });

    const swap = [
      { id: 'left_id', name: 'right' },
      { id: 'right_id', name: 'left' },
      { id: 'third_id', name: 'fourth' },
    ];
    const before = await stored();
    expect((await imported(...swap, { name: 'bad', listRule: 'nothing = 1' })).status).toBe(400);
    expect(await stored()).toEqual(before);

    expect((await imported(...swap)).status).toBe(204);
    expect(await stored()).toEqual([
      ['right:create', 1],
      ['left:create', 2],
      ['left:list', 3],
      ['fourth:view', 4],
      ['/api/collections/right/', 5],
      ['GET /api/collections/left/records', 6],
      ['/api/collections/left_id/', 7],
      ['left', 8],
    ]);

    // One takes the name the other gives up, and a rule that waited for a name gives way.
    await patch('/api/settings', {
      rateLimits: { rules: [rule('left:create'), rule('right:list'), rule('last:list')] },
    });
    expect((await imported({ id: 'left_id', name: 'last' }, { id: 'right_id', name: 'right' })).status).toBe(204);
    expect(await labels()).toEqual(['last:list', 'right:create']);
  });

  it('OPS-7 keeps renames of one transaction apart from what else it does to the settings', async () => {
    const collections = roost.app.get(CollectionsService, { strict: false });
    const settings = roost.app.get(SettingsService, { strict: false });
    await roost.createCollections({ name: 'one', type: 'base' }, { name: 'two', type: 'base' });
    await settings.patch({ rateLimits: { rules: [rule('one:list'), rule('two:list')] } });
    await roost.app.get(Database, { strict: false }).transaction(async () => {
      await collections.update('one', { name: 'uno' });
      await settings.patch({ meta: { appName: 'Renamed' } });
      await collections.update('two', { name: 'dos' });
      await collections.update('dos', { name: 'due' });
    });
    expect(await labels()).toEqual(['due:list', 'uno:list']);
    expect(settings.get().meta.appName).toBe('Renamed');
  });

  it('COL-115 shows in its records at once, and keeps them', async () => {
    await roost.createCollections({ name: 'before', type: 'base', fields: [{ name: 'a', type: 'text' }] });
    const { body: record } = await roost.inject({ url: '/api/collections/before/records', body: { a: 'x' }, token });
    await patch('/api/collections/before', { name: 'after' });
    const found = await roost.inject({ url: `/api/collections/after/records/${record.id}`, token });
    expect(found.body).toMatchObject({ a: 'x', collectionName: 'after', collectionId: record.collectionId });
    expect((await roost.inject({ url: '/api/collections/before/records', token })).status).toBe(404);
  });

  it('COL-118 a view whose query lost its table answers 400, never wrong values, until it is corrected', async () => {
    await roost.createCollections(
      { name: 'sources', type: 'base', fields: [{ name: 'a', type: 'text' }], listRule: '', viewRule: '' },
      { name: 'seen', type: 'view', viewQuery: 'SELECT id, a FROM sources', listRule: '', viewRule: '' },
    );
    await roost.inject({ url: '/api/collections/sources/records', body: { id: '0123456789abcde', a: 'x' }, token });
    const list = (as?: string) => roost.inject({ url: '/api/collections/seen/records', token: as });
    const view = (as?: string) => roost.inject({ url: '/api/collections/seen/records/0123456789abcde', token: as });
    expect((await list()).body.items).toHaveLength(1);
    const renamed = await patch('/api/collections/sources', { name: 'origins' });
    expect(renamed.status).toBe(200);
    for (const as of [undefined, token]) {
      expect((await list(as)).status).toBe(400);
      expect((await view(as)).status).toBe(400);
    }
    await patch('/api/collections/seen', { viewQuery: 'SELECT id, a FROM origins' });
    expect((await view()).body).toMatchObject({ a: 'x' });
  });
});
