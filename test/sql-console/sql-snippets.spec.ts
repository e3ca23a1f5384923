import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
});
afterAll(() => roost.close());

const call = (method: 'GET' | 'PUT' | 'DELETE', path = '', body?: object, as: string | undefined = token) =>
  roost.inject({ method, url: `/api/sql/snippets${path}`, token: as, body });
const kept = async () => (await call('GET')).body;

describe('statements under names', () => {
  it('UI-81 are kept, written over and forgotten, by name', async () => {
    expect(await kept()).toEqual([]);
    expect((await call('PUT', '', { name: 'zoo', query: 'SELECT 1' })).body).toEqual({
      name: 'zoo',
      query: 'SELECT 1',
    });
    await call('PUT', '', { name: 'a/b ?', query: "SELECT 'it''s'" });
    expect((await call('PUT', '', { name: 'zoo', query: 'SELECT 2' })).status).toBe(200);
    expect(await kept()).toEqual([
      { name: 'a/b ?', query: "SELECT 'it''s'" },
      { name: 'zoo', query: 'SELECT 2' },
    ]);
    expect((await call('DELETE', `/${encodeURIComponent('a/b ?')}`)).status).toBe(204);
    expect((await call('DELETE', '/nothing')).status).toBe(404);
    expect(await kept()).toEqual([{ name: 'zoo', query: 'SELECT 2' }]);
  });

  it('UI-81 are refused without a name or a statement, and where there are too many', async () => {
    const refused = await call('PUT', '', { name: '', query: 'x'.repeat(5001) });
    expect([refused.status, refused.body.data]).toEqual([
      400,
      {
        name: { code: 'validation_required', message: expect.any(String) },
        query: { code: 'validation_length_too_long', message: expect.any(String), params: { max: 5000 } },
      },
    ]);
    for (let index = (await kept()).length; index < 500; index++) {
      expect((await call('PUT', '', { name: `n${index}`, query: 'SELECT 1' })).status).toBe(200);
    }
    expect((await call('PUT', '', { name: 'one more', query: 'SELECT 1' })).status).toBe(400);
    expect((await call('PUT', '', { name: 'zoo', query: 'SELECT 3' })).status).toBe(200);
    expect(await kept()).toHaveLength(500);
  });

  it('UI-81 are for superusers', async () => {
    expect((await call('GET', '', undefined, '')).status).toBe(401);
    expect((await call('PUT', '', { name: 'x', query: 'x' }, '')).status).toBe(401);
    expect((await call('DELETE', '/zoo', undefined, '')).status).toBe(401);
  });
});
