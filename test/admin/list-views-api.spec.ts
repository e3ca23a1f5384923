import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

interface View {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
}

describe('views of record lists', () => {
  let roost: TestRoost;
  let root: string;
  let other: string;
  const URL = '/api/collections/notes/list-views';

  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, token: string | undefined, body?: object) =>
    roost.inject({ method, url, token, body });
  const keep = async (body: object, token = root, url = URL) => {
    const answer = await send('POST', url, token, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as View;
  };
  const names = async (token: string, url = URL) =>
    ((await send('GET', url, token)).body as View[]).map(({ name }) => name);

  beforeAll(async () => {
    roost = await startRoost();
    root = await roost.createSuperuser();
    other = await roost.createSuperuser('other@example.com');
    await roost.createCollections(
      { name: 'notes', type: 'base', fields: [{ name: 'title', type: 'text' }] },
      { name: 'drafts', type: 'base', fields: [{ name: 'title', type: 'text' }] },
      { name: 'people', type: 'auth', fields: [] },
    );
  });
  afterAll(() => roost.close());

  it('UI-73 keeps a filter with sort and columns for oneself or for all superusers, by name', async () => {
    const view = { name: 'Mine', filter: 'title = "a"', sort: '-title', columns: { hide: ['id'] } };
    const mine = await keep(view);
    expect(mine).toEqual({ id: expect.stringMatching(/^\w{15}$/), ...view, shared: false });
    const all = await keep({ name: 'All of us', shared: true });
    expect(all).toEqual({ id: all.id, name: 'All of us', filter: '', sort: '', columns: {}, shared: true });
    await keep({ name: 'Elsewhere', shared: true }, root, '/api/collections/drafts/list-views');
    expect((await send('GET', URL, root)).body).toEqual([all, mine]);
    expect(await names(other)).toEqual(['All of us']);
    // By whatever name the collection goes.
    const { id } = (await send('GET', '/api/collections/notes', root)).body as { id: string };
    expect(await names(root, `/api/collections/${id}/list-views`)).toEqual(['All of us', 'Mine']);
  });

  it('UI-73 replaces and forgets one’s own and what is for all, and hides what is somebody else’s', async () => {
    const mine = await keep({ name: 'Secret' });
    const shared = await keep({ name: 'Open', shared: true });
    for (const method of ['PUT', 'DELETE'] as const) {
      expect((await send(method, `${URL}/${mine.id}`, other, { name: 'Taken' })).status, method).toBe(404);
      const elsewhere = `/api/collections/drafts/list-views/${mine.id}`;
      expect((await send(method, elsewhere, root, { name: 'Moved' })).status, method).toBe(404);
    }
    const changed = await send('PUT', `${URL}/${shared.id}`, other, { name: 'Theirs', filter: 'title != ""' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { id: shared.id, name: 'Theirs', filter: 'title != ""', sort: '', columns: {}, shared: false },
    ]);
    expect(await names(other)).toContain('Theirs');
    expect(await names(root)).not.toContain('Theirs');
    expect((await send('DELETE', `${URL}/${mine.id}`, root)).status).toBe(204);
    expect((await send('DELETE', `${URL}/${mine.id}`, root)).status).toBe(404);
    expect(await names(root)).not.toContain('Secret');
  });

  it('UI-73 is for superusers alone, and refuses what it cannot keep', async () => {
    const account = { email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
    await send('POST', '/api/collections/people/records', root, account);
    const ann = await roost.signIn('people', 'ann@example.com');
    for (const [method, url] of [
      ['GET', URL],
      ['POST', URL],
      ['PUT', `${URL}/x`],
      ['DELETE', `${URL}/x`],
    ] as const) {
      expect((await send(method, url, undefined, { name: 'A' })).status, method).toBe(401);
      expect((await send(method, url, ann, { name: 'A' })).status, method).toBe(403);
    }
    expect((await send('GET', '/api/collections/gone/list-views', root)).status).toBe(404);
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'A', filter: 'x'.repeat(3501) }, 'filter'],
      [{ name: 'A', sort: 'x'.repeat(1001) }, 'sort'],
      [{ name: 'A', columns: { hide: ['x'.repeat(20_000)] } }, 'columns'],
    ];
    for (const [body, field] of wrong) {
      const answer = await send('POST', URL, root, body);
      expect([answer.status, Object.keys((answer.body as { data: object }).data)]).toEqual([400, [field]]);
    }
    await roost.createCollections({ id: 'crowded_notes_1', name: 'crowded', type: 'base', fields: [] });
    const crowded = '/api/collections/crowded/list-views';
    for (let index = 0; index < 500; index++) await keep({ name: `n${index}` }, root, crowded);
    expect((await send('POST', crowded, root, { name: 'one more' })).status).toBe(400);
    expect((await send('POST', URL, root, { name: 1 })).status).toBe(400);
    expect((await send('POST', URL, root, { name: 'A', columns: [] })).status).toBe(400);
  });

  it('UI-73 are gone with their collection, and with the superuser whose own they are', async () => {
    await roost.createCollections({ id: 'passing_notes_1', name: 'passing', type: 'base', fields: [] });
    const url = '/api/collections/passing/list-views';
    await keep({ name: 'Of a collection', shared: true }, root, url);
    await keep({ name: 'Of the other' }, other);
    await keep({ name: 'By the other, for all', shared: true }, other);
    const count = async () =>
      (
        (await send('POST', '/api/sql', root, { query: 'SELECT name FROM _views' })).body as { rows: string[][] }
      ).rows.flat();
    expect(await count()).toEqual(expect.arrayContaining(['Of a collection', 'Of the other']));
    await send('DELETE', '/api/collections/passing', root);
    const { items } = (
      await send(
        'GET',
        `/api/collections/_superusers/records?filter=${encodeURIComponent('email = "other@example.com"')}`,
        root,
      )
    ).body as { items: { id: string }[] };
    await send('DELETE', `/api/collections/_superusers/records/${items[0]!.id}`, root);
    await expect.poll(count).not.toContain('Of a collection');
    await expect.poll(count).not.toContain('Of the other');
    expect(await count()).toContain('By the other, for all');
  });
});
