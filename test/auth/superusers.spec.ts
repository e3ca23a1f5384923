import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetupService } from '../../src/auth/superusers/setup.service.js';
import { SuperusersService } from '../../src/auth/superusers/superusers.service.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = '1234567890';
const FORM = { email: 'root@example.com', password: PASSWORD, passwordConfirm: PASSWORD };

/** Where a request comes from. */
interface From {
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

describe('superusers', () => {
  let roost: TestRoost;
  beforeEach(async () => {
    roost = await startRoost();
    roost.clock.freeze();
  });
  afterEach(() => roost.close());

  describe('on the first visit', () => {
    it('AUTH-1207 AUTH-1208 are asked for', async () => {
      expect(await statusFor()).toEqual({ required: true, tokenRequired: true });
      const { status: code, body } = await setup({ ...FORM, token: await invite() });
      expect(code).toBe(200);
      expect(body.record).toMatchObject({ email: 'root@example.com', collectionName: '_superusers', verified: true });
      expect((await roost.inject({ url: '/api/settings', token: body.token })).status).toBe(200);
      expect(await statusFor()).toEqual({ required: false, tokenRequired: false });
      expect((await setup({ ...FORM, email: 'two@example.com' })).status).toBe(403);
    });

    it('AUTH-1207 says so without being kept in caches', async () => {
      const response = await roost.inject({ url: '/api/setup' });
      expect(response.headers['cache-control']).toBe('no-store');
    });

    it.each<[string, From]>([
      ['this machine', {}],
      ['a browser on this machine', { headers: { host: 'localhost:8090', origin: 'http://localhost:8090' } }],
      ['this machine by IPv6', { headers: { host: '[::1]:8090' }, remoteAddress: '::1' }],
      ['this machine by a mapped address', { headers: { host: '127.0.0.1' }, remoteAddress: '::ffff:127.0.0.1' }],
      ['another machine', { remoteAddress: '192.168.1.7' }],
      ['another host name', { headers: { host: 'example.com' } }],
      ['a page of another site', { headers: { origin: 'https://evil.example.com' } }],
      ['a proxy', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
    ])('AUTH-1208 asks %s for the printed token: %j', async (_, from) => {
      expect(await statusFor(from)).toEqual({ required: true, tokenRequired: true });
      expect(codesOf(await setup(FORM, from))).toEqual({ token: 'validation_required' });
      expect(codesOf(await setup({ ...FORM, token: 'rubbish' }, from))).toEqual({ token: 'validation_invalid_token' });
      const token = await invite();
      expect((await setup({ ...FORM, token: `${token}x` }, from)).status).toBe(400);
      expect((await setup({ ...FORM, token }, from)).status).toBe(200);
    });

    it('AUTH-1207 AUTH-1208 takes the printed token only, not that of an ordinary account', async () => {
      await records().create('users', { email: 'ann@x.io', password: PASSWORD });
      const token = await roost.signIn('users', 'ann@x.io');
      const answer = await setup({ ...FORM, token }, { remoteAddress: '192.168.1.7' });
      expect(codesOf(answer)).toEqual({ token: 'validation_invalid_token' });
      expect(await records().count('_superusers')).toBe(0);
    });

    it('AUTH-206 AUTH-1207 gives no token to an address from which superusers may not act', async () => {
      await roost.app.get(SuperusersService, { strict: false }).setIps(['10.0.0.1']);
      const answer = await setup({ ...FORM, token: await invite() });
      expect([answer.status, answer.body]).toEqual([403, { code: 403, message: expect.any(String), data: {} }]);
    });

    it.each([true, false])('AUTH-1208 takes the flag %s without effect', async (flag) => {
      await roost.close();
      roost = await startRoost({ config: { ROOST_SETUP_TOKEN_REQUIRED: flag } });
      expect(await statusFor()).toEqual({ required: true, tokenRequired: true });
      expect((await setup(FORM)).status).toBe(400);
      expect((await setup({ ...FORM, token: await invite() })).status).toBe(200);
    });

    it('AUTH-1207 AUTH-103 are checked like any superuser', async () => {
      expect(codesOf(await setup({}))).toEqual({
        email: 'validation_required',
        password: 'validation_required',
        passwordConfirm: 'validation_required',
        token: 'validation_required',
      });
      const token = await invite();
      expect(codesOf(await setup({ email: 'x', password: 'short', passwordConfirm: 'other', token }))).toEqual({
        email: 'validation_is_email',
        passwordConfirm: 'validation_values_mismatch',
      });
      expect(codesOf(await setup({ ...FORM, password: 'short', passwordConfirm: 'short', token }))).toEqual({
        password: 'validation_min_text_constraint',
      });
      expect(await statusFor()).toMatchObject({ required: true });
    });

    it('AUTH-1207 lets one of two parallel calls through', async () => {
      const token = await invite();
      const calls = ['a', 'b', 'c', 'd'].map((name) => setup({ ...FORM, email: `${name}@example.com`, token }));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 403, 403, 403]);
      expect(await records().count('_superusers')).toBe(1);
    });

    it('AUTH-1207 takes ten calls a minute from one address', async () => {
      for (let call = 0; call < 10; call++) expect((await setup({})).status).toBe(400);
      expect((await setup(FORM)).status).toBe(429);
      expect((await setup({}, { remoteAddress: '10.0.0.1' })).status).toBe(400);
      const neighbour = (call: number) => setup({}, { remoteAddress: `2001:db8:1:2::${call}` });
      for (let call = 1; call <= 10; call++) expect((await neighbour(call)).status).toBe(400);
      expect((await neighbour(11)).status).toBe(429);
      roost.clock.advance(60_000);
      expect((await setup({ ...FORM, token: await invite() })).status).toBe(200);
    });

    it('OPS-146 AUTH-1205 AUTH-1206 the printed token creates superusers until there is one, for half an hour', async () => {
      const first = await invite();
      const token = await invite();
      const create = (by: string) =>
        roost.inject({ url: '/api/collections/_superusers/records', body: FORM, token: by });
      expect((await create(first)).status).toBe(403);
      const claims = JSON.parse(atob(token.split('.')[1]!)) as { exp: number; refreshable: boolean };
      expect(claims).toMatchObject({ exp: Math.floor(roost.clock.now() / 1000) + 1800, refreshable: false });
      expect((await create(token)).status).toBe(200);
      expect((await records().find('_superusers')).items.map((record) => record.get('email'))).toEqual([
        'root@example.com',
      ]);
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(401);
      expect(await roost.app.get(SetupService, { strict: false }).invite()).toBeUndefined();
    });

    it('AUTH-1205 AUTH-1206 nobody takes the address of the account behind the link', async () => {
      const email = '__installer@example.com';
      const refused = { email: 'validation_not_in_invalid' };
      expect(codesOf(await setup({ ...FORM, email, token: await invite() }))).toEqual(refused);
      const superusers = roost.app.get(SuperusersService, { strict: false });
      await expect(superusers.upsert({ email, password: PASSWORD })).rejects.toMatchObject({ errors: { email: {} } });
      await expect(superusers.update({ email, password: PASSWORD })).rejects.toThrow('no superuser');
      const url = '/api/collections/_superusers/records';
      const token = await invite();
      const create = (by: string) => roost.inject({ url, body: { ...FORM, email }, token: by });
      expect(codesOf(await create(token))).toEqual(refused);
      const { body } = await setup({ ...FORM, token });
      expect(codesOf(await create(body.token))).toEqual(refused);
      const own = `${url}/${(body.record as { id: string }).id}`;
      const change = await roost.inject({ method: 'PATCH', url: own, body: { email }, token: body.token });
      expect(codesOf(change)).toEqual(refused);
      expect(await statusFor()).toEqual({ required: false, tokenRequired: false });
      expect((await roost.inject({ method: 'DELETE', url: own, token: body.token })).status).toBe(400);
    });

    it('AUTH-1205 a failed creation leaves the link as it is, and no mail goes to its account', async () => {
      const token = await invite();
      const body = { ...FORM, passwordConfirm: 'other' };
      const failed = await roost.inject({ url: '/api/collections/_superusers/records', body, token });
      expect(failed.status).toBe(400);
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(200);
      const email = '__installer@example.com';
      const reset = await roost.inject({ url: '/api/collections/_superusers/request-password-reset', body: { email } });
      expect(reset.status).toBe(204);
      const otp = { enabled: true, duration: 120, length: 6 };
      await roost.app.get(CollectionsService, { strict: false }).update('_superusers', { otp });
      const asked = await roost.inject({ url: '/api/collections/_superusers/request-otp', body: { email } });
      expect([asked.status, Object.keys(asked.body as object)]).toEqual([200, ['otpId']]);
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(roost.mails).toHaveLength(0);
      expect(await records().count('_otps')).toBe(0);
    });
  });

  describe('as records', () => {
    it('AUTH-1202 COL-155 COL-156 are verified, and the last one stays, also in a batch and for truncate', async () => {
      const token = await roost.createSuperuser();
      const root = (await records().findFirst('_superusers', "email = 'root@example.com'"))!;
      const url = `/api/collections/_superusers/records/${root.id}`;
      const unverify = await roost.inject({ method: 'PATCH', url, token, body: { verified: false } });
      expect(unverify.body.verified).toBe(true);
      const remove = await roost.inject({ method: 'DELETE', url, token });
      expect([remove.status, remove.body.data]).toEqual([400, {}]);
      const truncate = await roost.inject({ method: 'DELETE', url: '/api/collections/_superusers/truncate', token });
      expect([truncate.status, truncate.body.data]).toEqual([400, {}]);
      await records().create('_superusers', { email: 'two@example.com', password: PASSWORD });
      expect((await roost.inject({ method: 'DELETE', url, token })).status).toBe(204);
      expect(await records().count('_superusers')).toBe(1);
    });

    it('AUTH-1202 COL-156 REL-6 the last one stays when what it refers to is deleted, which stays too', async () => {
      const token = await roost.createSuperuser();
      await roost.createCollections({ id: 'pbc_teams_00001', name: 'teams', type: 'base' });
      const team = await records().create('teams', {});
      const definition = '/api/collections/_superusers';
      const { fields } = (await roost.inject({ url: definition, token })).body;
      const field = { type: 'relation', name: 'team', collectionId: 'pbc_teams_00001', cascadeDelete: true };
      await roost.inject({ method: 'PATCH', url: definition, token, body: { fields: [...fields, field] } });
      const root = (await records().findFirst('_superusers', "email = 'root@example.com'"))!;
      const url = `${definition}/records/${root.id}`;
      expect((await roost.inject({ method: 'PATCH', url, token, body: { team: team.id } })).body.team).toBe(team.id);
      for (const path of [`records/${team.id}`, 'truncate']) {
        const { status } = await roost.inject({ method: 'DELETE', url: `/api/collections/teams/${path}`, token });
        expect([status, await records().count('teams'), await records().count('_superusers')]).toEqual([400, 1, 1]);
      }
    });

    it('COL-156 two deletes at the same moment leave one', async () => {
      const token = await roost.createSuperuser();
      const two = await records().create('_superusers', { email: 'two@example.com', password: PASSWORD });
      const root = (await records().findFirst('_superusers', "email = 'root@example.com'"))!;
      const remove = (id: string) =>
        roost.inject({ method: 'DELETE', url: `/api/collections/_superusers/records/${id}`, token });
      const statuses = (await Promise.all([remove(root.id), remove(two.id)])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect(await records().count('_superusers')).toBe(1);
    });

    it('AUTH-1202 AUTH-1204 are for superusers only', async () => {
      const token = await roost.createSuperuser();
      await records().create('users', { email: 'ann@x.io', password: PASSWORD });
      const ann = await roost.signIn('users', 'ann@x.io');
      const url = '/api/collections/_superusers/records';
      expect((await roost.inject({ url, token: ann })).status).toBe(403);
      expect((await roost.inject({ url })).status).toBe(403);
      expect((await roost.inject({ url, body: { ...FORM, email: 'two@example.com' }, token: ann })).status).toBe(403);
      const created = await roost.inject({ url, body: { ...FORM, email: 'two@example.com' }, token });
      expect([created.status, created.body.verified]).toEqual([200, true]);
    });

    it('AUTH-1203 AUTH-307 change any account, their own too, which ends their session', async () => {
      const token = await roost.createSuperuser();
      const ann = await records().create('users', { email: 'ann@x.io', password: PASSWORD });
      const anns = await roost.signIn('users', 'ann@x.io');
      const patch = (url: string, body: object) => roost.inject({ method: 'PATCH', url, token, body });
      const change = { email: 'ann2@x.io', verified: true, password: 'another one', passwordConfirm: 'another one' };
      const response = await patch(`/api/collections/users/records/${ann.id}`, change);
      expect(response.body).toMatchObject({ email: 'ann2@x.io', verified: true });
      expect(
        (await roost.inject({ method: 'POST', url: '/api/collections/users/auth-refresh', token: anns })).status,
      ).toBe(401);
      const root = (await records().findFirst('_superusers', "email = 'root@example.com'"))!;
      const own = await patch(`/api/collections/_superusers/records/${root.id}`, {
        password: 'another one',
        passwordConfirm: 'another one',
      });
      expect(own.status).toBe(200);
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(401);
    });

    it('AUTH-1201 AUTH-801 AUTH-909 sign in with a password, publicly, and never with OAuth2', async () => {
      await roost.createSuperuser();
      const methods = await roost.inject({ url: '/api/collections/_superusers/auth-methods' });
      expect(methods.body).toMatchObject({ password: { enabled: true }, oauth2: { enabled: false, providers: [] } });
      const url = '/api/collections/_superusers/auth-with-oauth2';
      expect((await roost.inject({ url, body: { provider: 'oidc', code: 'x' } })).status).toBe(403);
      const login = await roost.inject({
        url: '/api/collections/_superusers/auth-with-password',
        body: { identity: 'root@example.com', password: PASSWORD },
      });
      const { exp } = JSON.parse(atob(login.body.token.split('.')[1])) as { exp: number };
      expect(exp).toBe(Math.floor(roost.clock.now() / 1000) + 86_400);
    });
  });

  describe('from the command line', () => {
    it('AUTH-1209 AUTH-307 are created, changed and put in order', async () => {
      await service().create({ email: 'root@example.com', password: PASSWORD });
      await expect(service().create({ email: 'root@example.com', password: PASSWORD })).rejects.toMatchObject({
        errors: { email: { code: 'validation_not_unique' } },
      });
      await expect(service().create({ email: 'x', password: 'short' })).rejects.toMatchObject({
        errors: { email: { code: 'validation_is_email' }, password: { code: 'validation_min_text_constraint' } },
      });
      const token = await roost.signIn('_superusers', 'root@example.com');
      await service().update({ email: 'root@example.com', password: 'another one' });
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(401);
      await expect(service().update({ email: 'two@example.com', password: PASSWORD })).rejects.toMatchObject({
        status: 404,
      });
      await expect(service().update({ email: 'root@example.com', password: '' })).rejects.toMatchObject({
        status: 400,
      });
      await service().upsert({ email: 'two@example.com', password: PASSWORD });
      await service().upsert({ email: 'two@example.com', password: 'another one' });
      expect(await records().count('_superusers')).toBe(2);
    });

    it('AUTH-1209 are deleted, but never the last one', async () => {
      await service().create({ email: 'root@example.com', password: PASSWORD });
      await service().create({ email: 'two@example.com', password: PASSWORD });
      expect(await service().delete('nobody@example.com')).toBe(false);
      await expect(service().delete('nobody')).rejects.toMatchObject({ status: 400 });
      expect(await service().delete('two@example.com')).toBe(true);
      await expect(service().delete('root@example.com')).rejects.toMatchObject({ status: 400 });
      expect(await records().count('_superusers')).toBe(1);
    });

    it('AUTH-1209 get a one-time password that is not mailed', async () => {
      const token = await roost.createSuperuser();
      await expect(service().createOtp('root@example.com')).rejects.toMatchObject({ status: 400 });
      const body = { otp: { enabled: true, duration: 120, length: 6 } };
      const patch = await roost.inject({ method: 'PATCH', url: '/api/collections/_superusers', token, body });
      expect(patch.body.mfa.enabled).toBe(true);
      const { otpId, code, duration } = await service().createOtp('root@example.com');
      expect(code).toMatch(/^\d{6}$/);
      expect(duration).toBe(120);
      const row = await records().findOne('_otps', otpId);
      expect(row.get('sentTo')).toBe('');
      expect(roost.mails).toHaveLength(0);
      const url = '/api/collections/_superusers/auth-with-otp';
      expect((await roost.inject({ url, body: { otpId, password: code } })).status).toBe(401);
      await expect(service().createOtp('nobody@example.com')).rejects.toMatchObject({ status: 404 });
    });

    it('AUTH-1209 AUTH-206 are told from where they may act', async () => {
      const token = await roost.createSuperuser();
      await service().setIps(['10.0.0.0/8']);
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(403);
      expect((await roost.inject({ url: '/api/settings', token, remoteAddress: '10.1.1.1' })).status).toBe(200);
      await expect(service().setIps(['10.0.0.0/8', 'x'])).rejects.toMatchObject({
        errors: { superuserIPs: { 1: { code: 'validation_invlaid_ip_or_subnet' } } },
      });
      await service().setIps([]);
      expect((await roost.inject({ url: '/api/settings', token })).status).toBe(200);
    });
  });

  async function statusFor(from: From = {}): Promise<unknown> {
    return (await roost.inject({ url: '/api/setup', ...from })).body;
  }

  function setup(body: object, from: From = {}): Promise<TestResponse> {
    return roost.inject({ method: 'POST', url: '/api/setup', body, ...from });
  }

  async function invite(): Promise<string> {
    return (await roost.app.get(SetupService, { strict: false }).invite())!;
  }

  function records(): RecordsService {
    return roost.app.get(RecordsService, { strict: false });
  }

  function service(): SuperusersService {
    return roost.app.get(SuperusersService, { strict: false });
  }
});

function codesOf({ status, body }: TestResponse): Record<string, string> {
  expect(status).toBe(400);
  const { data } = body as { data: Record<string, { code: string }> };
  return Object.fromEntries(Object.entries(data).map(([key, { code }]) => [key, code]));
}
