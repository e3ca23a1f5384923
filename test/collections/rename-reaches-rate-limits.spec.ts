import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
