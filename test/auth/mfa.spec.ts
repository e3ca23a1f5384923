import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PasswordValue } from '../../src/kernel/fields/password-value.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestResponse } from '../../src/testing/index.js';
import { codeIn, MemberRoost, PASSWORD } from './support/member-roost.js';

describe('a second way of signing in', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  beforeAll(async () => {
    roost = await MemberRoost.start({
      otp: { enabled: true, duration: 86_400, length: 6 },
      mfa: { enabled: true, duration: 600, rule: '' },
    });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    ann = await roost.addMember('ann@x.io');
  });

  it('AUTH-703 is asked for with a body of the challenge alone, and completes the sign-in', async () => {
    const first = await byPassword();
    expect(first.status).toBe(401);
    expect(Object.keys(first.body as object)).toEqual(['mfaId']);
    const [row] = await roost.rowsOf('_mfas', ann);
    expect(row!.id).toBe(first.body.mfaId);
    expect(row!.get('method')).toBe('password');
    const second = await byOtp({ mfaId: first.body.mfaId });
    expect(second.status).toBe(200);
    expect(await roost.isGood(second.body.token)).toBe(true);
    expect(await roost.rowsOf('_mfas', ann)).toHaveLength(0);
  });

  it('AUTH-703 reads the challenge from the query string before the body', async () => {
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    expect((await byOtp({ mfaId: 'rubbish' }, `?mfaId=${mfaId}`)).status).toBe(200);
  });

  it('AUTH-703 is another method, and the challenge outlives the attempt with the same one', async () => {
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    const same = await byPassword({ mfaId });
    expect(same.status).toBe(400);
    expect(same.body.data).toEqual({});
    expect(await roost.rowsOf('_mfas', ann)).toHaveLength(1);
    expect((await byOtp({ mfaId })).status).toBe(200);
  });

  it('AUTH-703 takes no unknown challenge, none of another record and none that is over', async () => {
    expect((await byOtp({ mfaId: 'unknown00000000' })).status).toBe(400);
    await roost.addMember('bob@x.io');
    const bobs = (await roost.post('auth-with-password', { identity: 'bob@x.io', password: PASSWORD })).body
      .mfaId as string;
    expect((await byOtp({ mfaId: bobs })).status).toBe(400);
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    roost.roost.clock.advance(600_001);
    expect((await byOtp({ mfaId })).status).toBe(400);
    expect(await roost.rowsOf('_mfas', ann)).toHaveLength(0);
  });

  it('OPS-39 AUTH-703 is guessed ten times by a client, and by nobody for another', async () => {
    for (let guess = 0; guess < 10; guess++) expect((await byPassword({ mfaId: `no${guess}` })).status).toBe(400);
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    const refused = await byOtp({ mfaId });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '180']);
    expect((await byOtp({ mfaId }, '', '10.0.0.2')).status).toBe(200);
    await roost.addMember('bob@x.io');
    const asBob = { identity: 'bob@x.io', password: PASSWORD };
    const bobs = (await roost.post('auth-with-password', asBob)).body.mfaId as string;
    expect((await roost.post('auth-with-password', { ...asBob, mfaId: bobs })).status).toBe(400);
    roost.roost.clock.advance(180_000);
    expect((await byOtp({ mfaId: (await byPassword()).body.mfaId })).status).toBe(200);
  });

  it('OPS-39 AUTH-703 is not taken from who has completed it by guesses of many others', async () => {
    const complete = async (ip: string) =>
      (await byOtp({ mfaId: (await byPassword({}, ip)).body.mfaId }, '', ip)).status;
    expect(await complete('10.9.0.1')).toBe(200);
    for (let guess = 0; guess < 100; guess++) await byPassword({ mfaId: `no${guess}` }, `10.8.${guess % 25}.1`);
    for (let guess = 0; guess < 4; guess++) await byPassword({ mfaId: `no${guess}` }, '10.9.0.1');
    expect(await complete('10.9.0.1')).toBe(200);
  });

  it('AUTH-703 AUTH-1702 a challenge is good for its duration to the last millisecond', async () => {
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    roost.roost.clock.advance(600_000);
    expect((await byOtp({ mfaId })).status).toBe(200);
  });

  it('AUTH-704 completes one of many simultaneous requests', async () => {
    const { otpId } = (await roost.post('request-otp', { email: 'ann@x.io' })).body as { otpId: string };
    const code = codeIn((await roost.mailsSent(1))[0]!);
    const { mfaId } = (await roost.post('auth-with-otp', { otpId, password: code })).body as { mfaId: string };
    const responses = await Promise.all(Array.from({ length: 8 }, () => byPassword({ mfaId })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
  });

  it('AUTH-703 AUTH-407 applies to the records its rule says', async () => {
    await roost.configure({
      mfa: { enabled: true, duration: 600, rule: 'banned = true && @request.context = "password"' },
    });
    expect((await byPassword()).status).toBe(200);
    await roost.records.update('members', ann.id, { banned: true });
    expect((await byPassword()).status).toBe(401);
    expect((await byOtp({})).status).toBe(200);
  });

  it('AUTH-703 lets nobody in when its rule cannot be evaluated any more', async () => {
    await roost.roost.createCollections({ name: 'helpers', type: 'base', fields: [{ name: 'name', type: 'text' }] });
    await roost.configure({ mfa: { enabled: true, duration: 600, rule: '@collection.helpers.name = "ann"' } });
    expect((await byPassword()).status).toBe(200);
    const token = await roost.superuser();
    await roost.roost.inject({ method: 'DELETE', url: '/api/collections/helpers', token });
    const response = await byPassword();
    expect(response.status).toBe(400);
    expect(response.body.data).toEqual({});
  });

  it('AUTH-702 is asked for after addresses and the auth rule, and before the alert', async () => {
    await roost.configure({ authRule: 'banned = false', authAlert: { enabled: true } });
    const eve = await roost.addMember('eve@x.io', { banned: true });
    const refused = await roost.post('auth-with-password', { identity: 'eve@x.io', password: PASSWORD });
    expect([refused.status, refused.body.data]).toEqual([403, {}]);
    expect(await roost.rowsOf('_mfas', eve)).toHaveLength(0);
    const { mfaId } = (await byPassword()).body as { mfaId: string };
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(0);
    expect((await byOtp({ mfaId })).status).toBe(200);
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(1);
    await roost.configure({ otp: { enabled: true } }, '_superusers');
    const settings = roost.roost.app.get(SettingsService, { strict: false });
    await settings.patch({ superuserIPs: ['10.0.0.0/8'] });
    const body = { identity: 'root@example.com', password: '1234567890' };
    const elsewhere = await roost.post('/api/collections/_superusers/auth-with-password', body);
    expect([elsewhere.status, elsewhere.body.data]).toEqual([403, {}]);
    await settings.patch({ superuserIPs: [] });
    await roost.configure({ otp: { enabled: false }, mfa: { enabled: false } }, '_superusers');
  });

  it('AUTH-703 AUTH-841 is not asked for when refreshing or impersonating', async () => {
    const token = await roost.roost.signIn('members', 'ann@x.io');
    expect((await roost.post('auth-refresh', undefined, { token })).status).toBe(200);
    const root = await roost.superuser();
    expect((await roost.post(`impersonate/${ann.id}`, {}, { token: root })).status).toBe(200);
  });

  it('AUTH-1404 COL-153 challenges that are over are deleted every hour', async () => {
    const { ExpiredLoginsCron } = await import('../../src/auth/expired-logins.cron.js');
    const cron = roost.roost.app.get(ExpiredLoginsCron, { strict: false });
    await byPassword();
    await roost.post('request-otp', { email: 'ann@x.io' });
    roost.roost.clock.advance(600_001);
    await byPassword();
    await cron.deleteMfas();
    await cron.deleteOtps();
    expect(await roost.rowsOf('_mfas', ann)).toHaveLength(1);
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(1);
    const many = Array.from({ length: 201 }, () => roost.records.create('_otps', otpOfAnn()));
    await Promise.all(many);
    roost.roost.clock.advance(86_400_001);
    await cron.deleteOtps();
    expect(await roost.records.count('_otps')).toBe(0);
  });

  function otpOfAnn(): Record<string, unknown> {
    const password = PasswordValue.fromHash('$2b$04$' + 'x'.repeat(53));
    return { collectionRef: ann.collection.id, recordRef: ann.id, password };
  }

  function byPassword(extra: object = {}, remoteAddress?: string): Promise<TestResponse> {
    const body = { identity: 'ann@x.io', password: PASSWORD, ...extra };
    return roost.post('auth-with-password', body, { remoteAddress });
  }

  async function byOtp(extra: object, query = '', remoteAddress?: string): Promise<TestResponse> {
    const sent = roost.mails.length;
    const { otpId } = (await roost.post('request-otp', { email: 'ann@x.io' })).body as { otpId: string };
    const code = codeIn((await roost.mailsSent(sent + 1))[sent]!);
    return roost.post(`auth-with-otp${query}`, { otpId, password: code, ...extra }, { remoteAddress });
  }
});
