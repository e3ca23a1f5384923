import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestRoost } from '../../src/testing/index.js';
import { breakTransactionsByFailures } from '../support/broken-by-failure.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = 'correct horse';

describe('SCALE-17 a statement that fails inside a transaction', () => {
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections(
      { name: 'notes', type: 'base', fields: [{ name: 'text', type: 'text' }] },
      { name: 'shown', type: 'view', viewQuery: 'SELECT id FROM notes' },
    );
    await roost.createCollections({
      name: 'members',
      type: 'auth',
      listRule: '',
      viewRule: '',
      createRule: '',
      updateRule: 'id = @request.auth.id',
      manageRule: "@collection.shown.id != ''",
      fields: [
        { name: 'password', type: 'password', min: 8, cost: 4 },
        { name: 'name', type: 'text' },
      ],
    });
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
    const values = { email: 'ann@x.io', password: PASSWORD, passwordConfirm: PASSWORD };
    await roost.inject({ url: '/api/collections/members/records', body: values });
  });
  afterAll(() => roost.close());
  afterEach(() => vi.restoreAllMocks());

  it('of a rule that cannot be asked any more leaves the rest of a batch as it is', async () => {
    const signedIn = await roost.inject({
      url: '/api/collections/members/auth-with-password',
      body: { identity: 'ann@x.io', password: PASSWORD },
    });
    const { token: own, record } = signedIn.body as { token: string; record: { id: string } };
    // Who may manage accounts is asked of a view that is gone: nobody may.
    await roost.app.get(Database, { strict: false }).run({ sql: 'DROP VIEW "shown"', params: [] });
    breakTransactionsByFailures();
    const url = `/api/collections/members/records/${record.id}`;
    const requests = ['Ann', 'Anna'].map((name) => ({ method: 'PATCH', url, body: { name } }));
    const batch = await roost.inject({ url: '/api/batch', token: own, body: { requests } });
    expect([batch.status, batch.body.map?.((item: { status: number }) => item.status)]).toEqual([200, [200, 200]]);
    expect((await roost.inject({ url, token: own })).body.name).toBe('Anna');
  });

  it('of the query of a view is tried again with a text for what is no column', async () => {
    breakTransactionsByFailures();
    const body = { name: 'stated', type: 'view', viewQuery: 'SELECT id, "open" AS state FROM notes' };
    const created = await roost.inject({ url: '/api/collections', token, body });
    expect([created.status, created.body.viewQuery]).toEqual([200, "SELECT id, 'open' AS state FROM notes"]);
  });
});
