import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { MemberRoost } from './support/member-roost.js';

describe('refreshing, revoking and impersonating', () => {
  let roost: MemberRoost;
  beforeAll(async () => {
    roost = await MemberRoost.start();
    await roost.addMember('ann@x.io');
    await roost.roost.createCollections({ id: 'pbc_others_0001', name: 'others', type: 'auth', updateRule: '' });
    await roost.records.create('others', { email: 'oda@x.io', password: 'correct horse' });
  });
  afterAll(() => roost.close());

  it('AUTH-201 takes tokens bare or after Bearer in any letter case, and from nowhere else', async () => {
    const token = await roost.signIn('ann@x.io');
    for (const header of [token, `Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`]) {
      expect(await roost.isGood(header)).toBe(true);
    }
    for (const header of [`Basic ${token}`, `Bearer  ${token}`, `Token ${token}`, `${token}x`]) {
      expect(await roost.isGood(header)).toBe(false);
    }
    const url = `/api/collections/members/auth-refresh?token=${token}`;
    const response = await roost.roost.inject({ method: 'POST', url, headers: { cookie: `token=${token}` } });
    expect(response.status).toBe(401);
  });

  it('AUTH-203 AUTH-204 tells guests, other collections and superusers apart', async () => {
    const root = await roost.superuser();
    const oda = await roost.roost.signIn('others', 'oda@x.io');
    for (const [token, status] of [
      [undefined, 401],
      ['rubbish', 401],
      [oda, 403],
      [root, 403],
    ] as const) {
      for (const action of ['auth-refresh', 'revoke-tokens', 'request-email-change']) {
        const response = await roost.post(action, { newEmail: 'new@x.io' }, { token });
        expect([action, response.status]).toEqual([action, status]);
        expect(response.body.data).toEqual({});
      }
    }
    expect(await roost.isGood(root, '_superusers')).toBe(true);
  });

  it('AUTH-821 AUTH-305 exchanges a refreshable token and leaves the old one good until it expires', async () => {
    const first = await roost.signIn('ann@x.io');
    roost.roost.clock.advance(1000_000);
    const { status, body } = await roost.post('auth-refresh', undefined, { token: first });
    expect(status).toBe(200);
    expect(body.token).not.toBe(first);
    expect(body.record.email).toBe('ann@x.io');
    expect(await roost.isGood(first)).toBe(true);
    roost.roost.clock.advance((432_000 - 1000) * 1000);
    expect(await roost.isGood(first)).toBe(false);
    expect(await roost.isGood(body.token)).toBe(true);
  });

  it('AUTH-105 REC-12 obeys fields, which it reads before it exchanges a token', async () => {
    const token = await roost.signIn('ann@x.io');
    const { body } = await roost.post('auth-refresh?fields=token,record.email', undefined, { token });
    expect(body).toEqual({ token: expect.any(String), record: { email: 'ann@x.io' } });
    await roost.configure({ authRule: null });
    const malformed = await roost.post('auth-refresh?fields=token:nope()', undefined, { token });
    await roost.configure({ authRule: '' });
    expect(malformed.status).toBe(400);
  });

  it('AUTH-821 asks the auth rule again', async () => {
    const token = await roost.signIn('ann@x.io');
    await roost.configure({ authRule: 'banned = true' });
    const again = await roost.roost.signIn('members', 'ann@x.io');
    const response = await roost.post('auth-refresh', undefined, { token: again });
    expect(response.status).toBe(403);
    expect(await roost.isGood(token)).toBe(false);
    await roost.configure({ authRule: '' });
  });

  it('AUTH-851 AUTH-307 signs out everywhere', async () => {
    const [one, other] = [await roost.signIn('ann@x.io'), await roost.signIn('ann@x.io')];
    const response = await roost.post('revoke-tokens', undefined, { token: one });
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect([await roost.isGood(one), await roost.isGood(other)]).toEqual([false, false]);
    expect(await roost.isGood(await roost.signIn('ann@x.io'))).toBe(true);
  });

  it('AUTH-841 AUTH-305 impersonates with a token that cannot be refreshed', async () => {
    const token = await roost.superuser();
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    await roost.configure({ authRule: null });
    const { status, body } = await roost.post(`impersonate/${ann.id}`, { duration: 60 }, { token });
    expect(status).toBe(200);
    expect(body.record).toMatchObject({ id: ann.id, email: 'ann@x.io' });
    await roost.configure({ authRule: '' });
    const again = await roost.post(`impersonate/${ann.id}`, { duration: 60 }, { token });
    const refreshed = await roost.post('auth-refresh', undefined, { token: again.body.token as string });
    expect(refreshed.body.token).toBe(again.body.token);
    roost.roost.clock.advance(61_000);
    expect(await roost.isGood(again.body.token as string)).toBe(false);
  });

  it('AUTH-841 takes the duration of the collection for 0 or none', async () => {
    const token = await roost.superuser();
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    const now = Math.floor(roost.roost.clock.now() / 1000);
    for (const body of [undefined, {}, { duration: 0 }]) {
      const response = await roost.post(`impersonate/${ann.id}`, body, { token });
      const claims = JSON.parse(atob(response.body.token.split('.')[1])) as { exp: number; refreshable: boolean };
      expect(claims).toMatchObject({ exp: now + 432_000, refreshable: false });
    }
  });

  it('AUTH-104 asks who is calling before it tells the type of the collection, and both before the body', async () => {
    const ann = await roost.signIn('ann@x.io');
    const root = await roost.superuser();
    const headers = { 'content-type': 'application/json' };
    const at = async (path: string, token?: string) =>
      (await roost.post(`/api/collections/${path}`, '{', { token, headers })).status;
    for (const action of ['auth-refresh', 'revoke-tokens', 'request-email-change']) {
      expect([action, await at(`missing/${action}`), await at(`missing/${action}`, ann)]).toEqual([action, 404, 404]);
      expect([action, await at(`_mfas/${action}`), await at(`_mfas/${action}`, ann)]).toEqual([action, 401, 403]);
    }
    expect(await at('_superusers/request-email-change')).toBe(401);
    expect(await at('_superusers/request-email-change', ann)).toBe(403);
    expect(await at('_superusers/request-email-change', root)).toBe(400);
    expect(await at('members/request-email-change', ann)).toBe(400);
    for (const action of ['auth-with-otp', 'request-otp', 'auth-with-oauth2', 'request-password-reset'])
      expect([action, await at(`_mfas/${action}`)]).toEqual([action, 404]);
  });

  it('AUTH-104 AUTH-841 is for superusers, whether or not there is such a collection or record', async () => {
    const root = await roost.superuser();
    const ann = await roost.signIn('ann@x.io');
    const at = async (path: string, token?: string, body: unknown = {}) =>
      (await roost.post(`/api/collections/${path}`, body, { token })).status;
    expect(await at('missing/impersonate/x')).toBe(401);
    expect(await at('missing/impersonate/x', ann)).toBe(403);
    expect(await at('missing/impersonate/x', root)).toBe(404);
    expect(await at('members/impersonate/x', root)).toBe(404);
    expect(await at('_otps/impersonate/x', root, { duration: -1 })).toBe(404);
    const negative = await roost.post('impersonate/x', { duration: -1 }, { token: root });
    expect(negative.body.data.duration.code).toBe('validation_min_greater_equal_than_required');
    expect((await roost.post('impersonate/x', { duration: '1' }, { token: root })).body.data).toEqual({});
  });

  it('AUTH-841 a token of another superuser dies with its password', async () => {
    const root = await roost.superuser();
    const other = await roost.records.create('_superusers', { email: 'two@example.com', password: '1234567890' });
    const path = `/api/collections/_superusers/impersonate/${other.id}`;
    const { token } = (await roost.post(path, { duration: 1000 }, { token: root })).body as { token: string };
    expect((await roost.get('/api/settings', token)).status).toBe(200);
    await roost.records.update('_superusers', other.id, { password: '0987654321' });
    expect((await roost.get('/api/settings', token)).status).toBe(401);
  });

  it('AUTH-202 AUTH-304 a token of another type, expired or altered makes a guest and no error', async () => {
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    const tokens = roost.roost.app.get(TokensService, { strict: false });
    for (const type of ['file', 'verification', 'passwordReset', 'emailChange'] as const) {
      expect(await roost.isGood(await tokens.issue(ann, type))).toBe(false);
    }
    const good = await tokens.issue(ann, 'auth');
    const [header, payload, signature] = good.split('.') as [string, string, string];
    for (const bad of [
      `${header}.${payload}.`,
      `${header}.${payload}.AAAA`,
      `${payload}.${signature}`,
      '..',
      good + good,
    ]) {
      expect((await roost.get('/api/collections/members/records', bad)).status).toBe(200);
      expect(await roost.isGood(bad)).toBe(false);
    }
  });

  it('AUTH-308 AUTH-309 die with the secret, which another auth rule replaces', async () => {
    const token = await roost.signIn('ann@x.io');
    await roost.configure({ authToken: { duration: 100 } });
    expect(await roost.isGood(token)).toBe(true);
    await roost.configure({ authToken: { secret: 'z'.repeat(50) } });
    expect(await roost.isGood(token)).toBe(false);
    const second = await roost.signIn('ann@x.io');
    await roost.configure({ authRule: 'banned = false' });
    expect(await roost.isGood(second)).toBe(false);
    await roost.configure({ authRule: '' });
  });
});
