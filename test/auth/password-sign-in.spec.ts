import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { EventLoopTurn } from '../../src/http/event-loop/event-loop-turn.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestResponse } from '../../src/testing/index.js';
import { MemberRoost, PASSWORD, type PostOptions } from './support/member-roost.js';

describe('signing in with a password', () => {
  let roost: MemberRoost;
  beforeAll(async () => {
    roost = await MemberRoost.start({ passwordAuth: { enabled: true, identityFields: ['username', 'email'] } });
    await roost.addMember('ann@x.io', { name: 'Ann', username: 'ann' });
    await roost.addMember('bob@x.io', { username: 'ann@x.io' });
  });
  afterAll(() => roost.close());

  it('AUTH-701 AUTH-811 answers with a token and the record, its email always shown', async () => {
    const { status, body } = await login('ann@x.io');
    expect(status).toBe(200);
    expect(Object.keys(body as object).sort()).toEqual(['record', 'token']);
    expect(body.record).toMatchObject({
      collectionName: 'members',
      email: 'ann@x.io',
      emailVisibility: false,
      name: 'Ann',
    });
    expect(body.record).not.toHaveProperty('password');
    expect(body.record).not.toHaveProperty('tokenKey');
    const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString()) as object;
    expect(claims).toMatchObject({ id: body.record.id, type: 'auth', refreshable: true });
    expect(await roost.isGood(body.token)).toBe(true);
  });

  it('OPS-39 looks for the account in its turn', async () => {
    const begun = vi.spyOn(EventLoopTurn.prototype, 'begin');
    onTestFinished(() => begun.mockRestore());
    expect((await login('nobody@x.io')).status).toBe(400);
    expect(begun).toHaveBeenCalledTimes(1);
  });

  it('AUTH-105 obeys fields and expand, expand as the one who signed in', async () => {
    const { body } = await login('ann@x.io', PASSWORD, '?fields=token,record.id');
    expect(Object.keys(body.record)).toEqual(['id']);
    expect(Object.keys(body).sort()).toEqual(['record', 'token']);
    const ann = await roost.records.findFirst('members', "username = 'ann'");
    await roost.records.update('members', ann!.id, { friend: ann!.id });
    await roost.configure({ viewRule: 'id = @request.auth.id' });
    const expanded = await login('ann@x.io', PASSWORD, '?expand=friend,nothing.at.all');
    await roost.configure({ viewRule: '' });
    expect(expanded.body.record.expand).toMatchObject({ friend: { id: ann!.id } });
  });

  it('AUTH-608 AUTH-701 shows the email of who signs in, not those of the records expanded under it', async () => {
    const bob = await roost.records.findFirst('members', "username = 'ann@x.io'");
    const cid = await roost.addMember('cidney@x.io', { friend: bob!.id });
    const { body } = await login('cidney@x.io', PASSWORD, '?expand=friend');
    expect(body.record).toMatchObject({ id: cid.id, email: 'cidney@x.io', expand: { friend: { id: bob!.id } } });
    expect(body.record.expand.friend).not.toHaveProperty('email');
  });

  it('AUTH-812 looks among emails first, and there only for what is an address', async () => {
    expect((await login('ann@x.io')).body.record.username).toBe('ann');
    expect((await login('ann')).body.record.email).toBe('ann@x.io');
  });

  it('AUTH-812 looks in the one field that is asked for', async () => {
    const named = { identity: 'ann@x.io', password: PASSWORD, identityField: 'username' };
    expect((await roost.post('auth-with-password', named)).body.record.email).toBe('bob@x.io');
    const wrong = { identity: 'ann', password: PASSWORD, identityField: 'email' };
    expect((await roost.post('auth-with-password', wrong)).status).toBe(400);
    expect(await codes({ ...named, identityField: 'name' })).toEqual({ identityField: 'validation_in_invalid' });
  });

  it('AUTH-812 finds nobody by a value that stands for none', async () => {
    const { fields, indexes } = (await roost.get('/api/collections/members', await roost.superuser())).body;
    await roost.configure({
      fields: [...fields, { name: 'phone', type: 'number' }],
      indexes: [...indexes, 'CREATE UNIQUE INDEX idx_members_phone ON members (phone) WHERE phone != 0'],
      passwordAuth: { enabled: true, identityFields: ['email', 'phone'] },
    });
    const ann = await roost.records.findFirst('members', "username = 'ann'");
    await roost.records.update('members', ann!.id, { phone: 555 });
    const [found, nobody] = [await login('555'), await login('0')];
    await roost.configure({ fields, indexes, passwordAuth: { enabled: true, identityFields: ['username', 'email'] } });
    expect([found.status, found.body.record.email, nobody.status]).toEqual([200, 'ann@x.io', 400]);
  });

  it('AUTH-813 AUTH-1503 says the same about a wrong password and an unknown account', async () => {
    const wrong = await login('ann@x.io', 'wrong password');
    const unknown = await login('nobody@x.io');
    const unnamed = await login('nobody');
    expect(wrong.status).toBe(400);
    expect(wrong.body).toEqual({ code: 400, message: expect.any(String) as string, data: {} });
    expect(unknown.text).toBe(wrong.text);
    expect(unnamed.text).toBe(wrong.text);
  });

  it('AUTH-502 AUTH-813 never matches a password bcrypt would cut off', async () => {
    await roost.addMember('long@x.io', { password: 'x'.repeat(71) });
    expect((await login('long@x.io', 'x'.repeat(71))).status).toBe(200);
    expect((await login('long@x.io', 'x'.repeat(71) + 'yz')).status).toBe(400);
    expect((await login('ann@x.io', `${PASSWORD}\0`)).status).toBe(400);
  });

  it('AUTH-103 AUTH-811 names what is missing or too long', async () => {
    expect(await codes({})).toEqual({ identity: 'validation_required', password: 'validation_required' });
    expect(await codes({ identity: '', password: null })).toEqual({
      identity: 'validation_required',
      password: 'validation_required',
    });
    expect(await codes({ identity: 'é'.repeat(128), password: 'x'.repeat(256) })).toEqual({
      identity: 'validation_length_out_of_range',
      password: 'validation_length_out_of_range',
    });
  });

  it.each([
    ['a number', { identity: 7, password: PASSWORD }],
    ['an object', { identity: 'ann', password: {} }],
    ['a list', { identity: ['ann'], password: PASSWORD }],
    ['broken JSON', '{"identity":'],
    ['a JSON text', '"ann"'],
  ])('AUTH-102 refuses %s without data', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await roost.post('auth-with-password', body, { headers });
    expect(response.status).toBe(400);
    expect(response.body.data).toEqual({});
  });

  it('AUTH-102 reads forms, also a password that looks like a number', async () => {
    await roost.addMember('number@x.io', { password: '1234567890' });
    const form = new FormData();
    form.set('identity', 'number@x.io');
    form.set('password', '1234567890');
    expect((await roost.post('auth-with-password', form)).status).toBe(200);
    const payload = new FormData();
    payload.set('@jsonPayload', JSON.stringify({ identity: 'number@x.io', password: '1234567890' }));
    expect((await roost.post('auth-with-password', payload)).status).toBe(200);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const text = 'identity=number%40x.io&password=1234567890';
    expect((await roost.post('auth-with-password', text, { headers })).status).toBe(200);
    const unsupported = await roost.post('auth-with-password', text, { headers: { 'content-type': 'text/csv' } });
    expect(unsupported.status).toBe(400);
    expect(unsupported.body.data).toEqual({});
  });

  it('AUTH-104 checks collection, type, method and body in this order', async () => {
    const broken = { headers: { 'content-type': 'application/json' } };
    const at = (collection: string) =>
      roost.post(`/api/collections/${collection}/auth-with-password`, '{', broken).then(({ status }) => status);
    expect(await at('missing')).toBe(404);
    expect(await at('_mfas')).toBe(404);
    await roost.configure({ passwordAuth: { enabled: false } });
    expect(await at('members')).toBe(403);
    await roost.configure({ passwordAuth: { enabled: true } });
    expect(await at('members')).toBe(400);
    expect(await at('pbc_members_001')).toBe(400);
  });

  it('AUTH-403 compares addresses by case unless the index says otherwise, and keeps their spelling', async () => {
    await roost.addMember('Cid@x.io');
    expect((await login('cid@x.io')).status).toBe(400);
    await ignoreCase('username');
    expect((await login('cid@x.io')).status).toBe(400);
    expect((await login('ANN')).body.record.email).toBe('ann@x.io');
    await ignoreCase('email');
    expect((await login('cid@x.io')).body.record.email).toBe('Cid@x.io');
  });

  async function ignoreCase(field: string): Promise<void> {
    const { body } = await roost.get('/api/collections/members', await roost.superuser());
    const indexes = (body as { indexes: string[] }).indexes;
    const column = new RegExp(`\\(\`?${field}\`?\\)`);
    await roost.configure({ indexes: indexes.map((index) => index.replace(column, `(${field} COLLATE NOCASE)`)) });
  }

  it('AUTH-814 is neither helped nor hindered by a token that is sent along', async () => {
    const token = (await login('ann@x.io')).body.token as string;
    expect((await login('ann@x.io', 'wrong password', '', { token })).status).toBe(400);
    expect((await login('bob@x.io', PASSWORD, '', { token })).body.record.email).toBe('bob@x.io');
    expect((await login('bob@x.io', PASSWORD, '', { token: 'rubbish' })).status).toBe(200);
  });

  it('AUTH-702 obeys the auth rule, which sees the request and its context; superusers let anybody in', async () => {
    await roost.addMember('eve@x.io', { banned: true });
    await roost.configure({
      authRule: 'banned = false && @request.context = "password" && @request.query.door = "side"',
    });
    expect((await login('ann@x.io', PASSWORD, '?door=side')).status).toBe(200);
    const refused = await login('eve@x.io', PASSWORD, '?door=side');
    expect(refused.status).toBe(403);
    expect(refused.body.data).toEqual({});
    expect((await login('ann@x.io')).status).toBe(403);
    expect((await login('eve@x.io', 'wrong password', '?door=side')).status).toBe(400);
    expect((await login('eve@x.io', PASSWORD, '', { token: await roost.superuser() })).status).toBe(200);
    await roost.configure({ authRule: '@request.body.identity = "ann@x.io" && @request.body.mfaId:isset = false' });
    expect((await login('ann@x.io')).status).toBe(200);
    expect((await login('ann')).status).toBe(403);
    await roost.configure({ authRule: null });
    expect((await login('ann@x.io')).status).toBe(403);
    await roost.configure({ authRule: '' });
  });

  it('AUTH-206 AUTH-702 lets superusers in from their addresses only', async () => {
    const token = await roost.superuser();
    const setIps = (superuserIPs: string[]) =>
      roost.roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { superuserIPs } });
    const loginFrom = (remoteAddress: string) =>
      roost
        .post(
          '/api/collections/_superusers/auth-with-password',
          { identity: 'root@example.com', password: '1234567890' },
          { remoteAddress },
        )
        .then(({ status }) => status);
    expect((await setIps(['127.0.0.1', '10.1.0.0/16'])).status).toBe(200);
    expect(await loginFrom('10.1.2.3')).toBe(200);
    expect(await loginFrom('10.2.2.3')).toBe(403);
    expect((await roost.roost.inject({ url: '/api/settings', token, remoteAddress: '10.2.2.3' })).status).toBe(403);
    expect((await setIps([])).status).toBe(200);
    expect(await loginFrom('10.2.2.3')).toBe(200);
  });

  it('AUTH-207 AUTH-202 a deleted account is a guest at once', async () => {
    const gone = await roost.addMember('gone@x.io');
    const token = await roost.signIn('gone@x.io');
    expect(await roost.isGood(token)).toBe(true);
    await roost.records.delete('members', gone.id);
    expect(await roost.isGood(token)).toBe(false);
    expect((await roost.get('/api/collections/members/records', token)).status).toBe(200);
  });

  it('AUTH-207 one that plain SQL has deleted is a guest at once too', async () => {
    const gone = await roost.addMember('gone@x.io');
    const token = await roost.signIn('gone@x.io');
    expect(await roost.isGood(token)).toBe(true);
    const database = roost.roost.app.get(Database, { strict: false });
    const sql = 'DELETE FROM "members" WHERE "id" = ?';
    await database.transaction(() => database.run({ sql, params: [gone.id], writes: ['members'] }));
    expect(await roost.isGood(token)).toBe(false);
  });

  it('AUTH-1501 counts under its tags', async () => {
    const token = await roost.superuser();
    const rules = [{ label: 'members:authWithPassword', audience: '', duration: 60, maxRequests: 1 }];
    const patch = (rateLimits: object) =>
      roost.roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { rateLimits } });
    expect((await patch({ enabled: true, rules })).status).toBe(200);
    expect((await login('ann@x.io')).status).toBe(200);
    expect((await login('ann@x.io')).status).toBe(429);
    rules[0]!.label = '*:auth';
    expect((await patch({ enabled: true, rules })).status).toBe(200);
    expect((await login('ann@x.io')).status).toBe(200);
    expect((await login('ann@x.io')).status).toBe(429);
    await patch({ enabled: false });
  });

  it.each([
    ['GET', 'auth-methods', ['listAuthMethods']],
    ['POST', 'auth-refresh', ['authRefresh']],
    ['POST', 'auth-with-password', ['authWithPassword', 'auth']],
    ['POST', 'auth-with-oauth2', ['authWithOAuth2', 'auth']],
    ['POST', 'request-otp', ['requestOTP']],
    ['POST', 'auth-with-otp', ['authWithOTP', 'auth']],
    ['POST', 'request-password-reset', ['requestPasswordReset']],
    ['POST', 'confirm-password-reset', ['confirmPasswordReset']],
    ['POST', 'request-verification', ['requestVerification']],
    ['POST', 'confirm-verification', ['confirmVerification']],
    ['POST', 'request-email-change', ['requestEmailChange']],
    ['POST', 'confirm-email-change', ['confirmEmailChange']],
    ['POST', 'revoke-tokens', ['revokeTokens']],
  ] as const)('AUTH-1501 AUTH-104 %s %s is limited before all else, as %j', async (method, action, tags) => {
    const settings = roost.roost.app.get(SettingsService, { strict: false });
    const url = `/api/collections/members/${action}`;
    for (const tag of tags) {
      const rules = [{ label: `members:${tag}`, audience: '', duration: 60, maxRequests: 1 }];
      await settings.patch({ rateLimits: { enabled: true, rules } });
      const statuses = [await roost.roost.inject({ method, url }), await roost.roost.inject({ method, url })];
      expect(statuses.map(({ status }) => status === 429)).toEqual([false, true]);
    }
    await settings.patch({ rateLimits: { enabled: false } });
  });

  function login(identity: string, password = PASSWORD, query = '', options: PostOptions = {}): Promise<TestResponse> {
    return roost.post(`auth-with-password${query}`, { identity, password }, options);
  }

  async function codes(body: unknown): Promise<Record<string, string>> {
    const response = await roost.post('auth-with-password', body);
    expect(response.status).toBe(400);
    const data = response.body.data as Record<string, { code: string }>;
    return Object.fromEntries(Object.entries(data).map(([key, { code }]) => [key, code]));
  }
});
