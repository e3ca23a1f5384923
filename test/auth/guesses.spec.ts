import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = 'correct horse';

describe('guesses', () => {
  let roost: TestRoost;
  beforeEach(async () => {
    roost = await startRoost();
    roost.clock.freeze();
    await records().create('users', { email: 'ann@x.io', password: PASSWORD });
    await records().create('users', { email: 'bob@x.io', password: PASSWORD });
  });
  afterEach(() => roost.close());

  it('OPS-39 of the password of one account are stopped for the client that makes them, and for nobody else', async () => {
    for (let guess = 0; guess < 10; guess++) expect((await signIn('ann@x.io', 'wrong', '10.0.0.1')).status).toBe(400);
    const refused = await signIn('ann@x.io', PASSWORD, '10.0.0.1');
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 180]);
    expect((await signIn('bob@x.io', PASSWORD, '10.0.0.1')).status).toBe(200);
    expect((await signIn('ann@x.io', PASSWORD, '10.0.0.2')).status).toBe(200);
    roost.clock.advance(180_000);
    expect((await signIn('ann@x.io', PASSWORD, '10.0.0.1')).status).toBe(200);
  });

  it('OPS-39 AUTH-1503 are stopped alike for an account that does not exist', async () => {
    for (let guess = 0; guess < 10; guess++) expect((await signIn('no@x.io', 'wrong', '10.0.0.1')).status).toBe(400);
    expect((await signIn('no@x.io', 'wrong', '10.0.0.1')).status).toBe(429);
  });

  it('OPS-39 of an account by many clients leave few to new ones and take none from its own', async () => {
    expect((await signIn('ann@x.io', PASSWORD, '10.0.0.1')).status).toBe(200);
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => signIn('ann@x.io', 'wrong', `10.1.0.${Math.floor(index / 5)}`)),
    );
    for (let guess = 0; guess < 3; guess++) expect((await signIn('ann@x.io', 'wrong', '10.2.0.1')).status).toBe(400);
    expect((await signIn('ann@x.io', 'wrong', '10.2.0.1')).status).toBe(429);
    expect((await signIn('ann@x.io', PASSWORD, '10.2.0.2')).status).toBe(200);
    for (let guess = 0; guess < 9; guess++) expect((await signIn('ann@x.io', 'wrong', '10.0.0.1')).status).toBe(400);
    expect((await signIn('ann@x.io', PASSWORD, '10.0.0.1')).status).toBe(200);
  });

  it('OPS-39 of the old password count as well', async () => {
    const token = await roost.signIn('users', 'ann@x.io');
    const ann = (await records().findFirst('users', "email = 'ann@x.io'"))!;
    await roost.app.get(CollectionsService, { strict: false }).update('users', { updateRule: 'id = @request.auth.id' });
    const change = (oldPassword: string) =>
      roost.inject({
        method: 'PATCH',
        url: `/api/collections/users/records/${ann.id}`,
        token,
        body: { oldPassword, password: 'another horse', passwordConfirm: 'another horse' },
      });
    for (let guess = 0; guess < 10; guess++) expect((await change('wrong')).status).toBe(400);
    expect((await change(PASSWORD)).status).toBe(429);
  });

  it('OPS-39 a batch hashes before its transaction and signs up whom it hashed for', async () => {
    const requests = ['cat', 'dan'].map((name) => ({
      method: 'POST',
      url: '/api/collections/users/records',
      body: { email: `${name}@x.io`, password: PASSWORD, passwordConfirm: PASSWORD },
    }));
    await roost.app.get(CollectionsService, { strict: false }).update('users', { createRule: '' });
    await roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
    const answer = await roost.inject({ method: 'POST', url: '/api/batch', body: { requests } });
    expect(answer.status).toBe(200);
    expect((await signIn('cat@x.io', PASSWORD, '10.0.0.9')).status).toBe(200);
  });

  it('OPS-39 GRD-8 a batch refuses a reference as a password, and tells nothing of what is closed or not there', async () => {
    const collections = roost.app.get(CollectionsService, { strict: false });
    await collections.update('users', { createRule: '', updateRule: 'id = @request.auth.id' });
    await roost.createCollections({ name: 'safes', type: 'base', fields: [{ name: 'code', type: 'password' }] });
    await roost.createCollections({ name: 'notes', type: 'base', createRule: '', fields: [] });
    await roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
    const password = '@request.data.requests.0.body.id';
    const create = (collection: string, body: object) => ({
      method: 'POST',
      url: `/api/collections/${collection}/records`,
      body,
    });
    const second = async (request: object) => {
      const requests = [create('notes', {}), request];
      const { status, body } = await roost.inject({ method: 'POST', url: '/api/batch', body: { requests } });
      expect(status).toBe(400);
      return body.data.requests[1].response as { code: number; data: object };
    };
    const signUp = { email: 'cat@x.io', password, passwordConfirm: password };
    const code = 'validation_invalid_batch_reference';
    expect((await second(create('users', signUp))).data).toEqual({ password: { code, message: expect.any(String) } });
    const missing = { method: 'PATCH', url: '/api/collections/users/records/nobody000000000' };
    expect((await second({ ...missing, body: { oldPassword: password } })).data).toMatchObject({
      oldPassword: { code },
    });
    const closed = await second(create('safes', { code: password }));
    expect(closed).toEqual(await second(create('safes', { other: password })));
    expect([closed.code, closed.data]).toEqual([403, {}]);
    expect((await second({ method: 'DELETE', url: missing.url, body: { password } })).code).toBe(404);
    expect(await records().count('users')).toBe(2);
    expect(await records().count('notes')).toBe(0);
  });

  function signIn(identity: string, password: string, remoteAddress: string): Promise<TestResponse> {
    const body = { identity, password };
    return roost.inject({ method: 'POST', url: '/api/collections/users/auth-with-password', body, remoteAddress });
  }

  function records(): RecordsService {
    return roost.app.get(RecordsService, { strict: false });
  }
});
