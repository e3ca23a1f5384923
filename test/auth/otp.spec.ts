import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { MAIL_TRANSPORT } from '../../src/mail/mail-transport.js';
import { PasswordHasher } from '../../src/passwords/password-hasher.js';
import type { TestResponse } from '../../src/testing/index.js';
import { codeIn, MemberRoost, PASSWORD, type PostOptions, settle } from './support/member-roost.js';

const OTP = { otp: { enabled: true, duration: 180, length: 8 } };

describe('signing in with a one-time password', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  beforeAll(async () => {
    roost = await MemberRoost.start(OTP);
    await roost.roost.createCollections({ id: 'pbc_others_0001', name: 'others', type: 'auth', ...OTP });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    ann = await roost.addMember('ann@x.io');
  });

  it('AUTH-831 AUTH-832 mails a code of digits, stores its hash only, and signs in with it once', async () => {
    const { status, body } = await request('ann@x.io');
    expect(status).toBe(200);
    expect(Object.keys(body as object)).toEqual(['otpId']);
    const [mail] = await roost.mailsSent(1);
    expect(mail).toMatchObject({ to: [{ address: 'ann@x.io' }] });
    const code = codeIn(mail!);
    expect(code).toMatch(/^\d{8}$/);
    const [row] = await roost.rowsOf('_otps', ann);
    expect(row!.id).toBe(body.otpId);
    await expect.poll(async () => (await roost.rowsOf('_otps', ann))[0]!.get('sentTo')).toBe('ann@x.io');
    expect(JSON.stringify(row!.toRow())).not.toContain(code);
    expect(row!.toRow()['password']).toMatch(/^\$2b\$08\$/);
    const first = await login(body.otpId, code);
    expect(first.status).toBe(200);
    expect(first.body.record.id).toBe(ann.id);
    expect(await roost.isGood(first.body.token)).toBe(true);
    expect((await login(body.otpId, code)).status).toBe(400);
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(0);
  });

  it('AUTH-834 AUTH-1503 answers one and the same 400 whatever is wrong', async () => {
    const real = await askFor('ann@x.io');
    const wrong = await login(real.otpId, '00000000');
    expect(wrong.status).toBe(400);
    expect(wrong.body.data).toEqual({});
    const decoy = (await request('nobody@x.io')).body.otpId as string;
    for (const response of [
      await login('unknown00000000', real.code),
      await login(decoy, real.code),
      await roost.post('/api/collections/others/auth-with-otp', { otpId: real.otpId, password: real.code }),
    ]) {
      expect(response.text).toBe(wrong.text);
    }
    roost.roost.clock.advance(180_001);
    expect((await login(real.otpId, real.code)).text).toBe(wrong.text);
  });

  it('AUTH-834 AUTH-1702 is good for its duration to the last millisecond', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    roost.roost.clock.advance(180_000);
    expect((await login(otpId, code)).status).toBe(200);
  });

  it('AUTH-831 AUTH-837 looks the same for an unknown address, and nothing is stored or mailed', async () => {
    const known = await request('ann@x.io');
    const unknown = await request('nobody@x.io');
    expect(unknown.status).toBe(known.status);
    expect(unknown.body.otpId).toMatch(/^[a-z0-9]{15}$/);
    expect(known.body.otpId).toMatch(/^[a-z0-9]{15}$/);
    expect(unknown.body.otpId).not.toBe((await request('nobody@x.io')).body.otpId);
    expect(await roost.allMails(1)).toHaveLength(1);
    expect(await roost.records.count('_otps')).toBe(1);
  });

  it('AUTH-837 costs a hash as well for an unknown address', async () => {
    const hashing = vi.spyOn(roost.roost.app.get(PasswordHasher, { strict: false }), 'hash');
    await request('ann@x.io');
    await request('nobody@x.io');
    const costs = hashing.mock.calls.map(([, cost]) => cost);
    hashing.mockRestore();
    await roost.mailsSent(1);
    expect(costs).toEqual([8, 8]);
  });

  it('AUTH-833 AUTH-837 makes ten at most, for unknown addresses alike', async () => {
    for (const email of ['ann@x.io', 'nobody@x.io']) {
      const ids: string[] = [];
      for (let index = 0; index < 12; index++) {
        ids.push((await request(email)).body.otpId as string);
        roost.roost.clock.advance(1000);
      }
      expect(new Set(ids.slice(0, 10)).size).toBe(10);
      expect(ids.slice(10)).toEqual([ids[9], ids[9]]);
      roost.roost.clock.advance(169_000);
      expect(ids).not.toContain((await request(email)).body.otpId);
    }
    expect(await roost.allMails(11)).toHaveLength(11);
  });

  it('AUTH-833 holds for requests at the same moment', async () => {
    const responses = await Promise.all(Array.from({ length: 25 }, () => request('ann@x.io')));
    expect(new Set(responses.map(({ body }) => body.otpId as string)).size).toBe(10);
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(10);
    // A mail that comes later would be taken for one of the next test.
    await roost.mailsSent(10);
  });

  it('AUTH-835 AUTH-837 lets five attempts through per address and three minutes, for decoys alike', async () => {
    const real = await askFor('ann@x.io');
    const decoy = (await request('nobody@x.io')).body.otpId as string;
    const second = (await request('nobody@x.io')).body.otpId as string;
    for (const [otpId, other] of [
      [real.otpId, (await askFor('ann@x.io')).otpId],
      [decoy, second],
    ]) {
      for (let attempt = 0; attempt < 3; attempt++) expect((await login(otpId!, '00000000')).status).toBe(400);
      for (let attempt = 0; attempt < 2; attempt++) expect((await login(other!, '00000000')).status).toBe(400);
      const refused = await login(otpId!, real.code);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBe(180);
      expect((await login(otpId!, '00000000', { remoteAddress: '10.0.0.1' })).status).toBe(400);
    }
    expect((await login(real.otpId, real.code, { remoteAddress: '10.0.0.2' })).status).toBe(200);
  });

  it('AUTH-835 AUTH-837 means nothing to another collection, for decoys alike', async () => {
    const real = await askFor('ann@x.io');
    const decoy = (await request('nobody@x.io')).body.otpId as string;
    for (const otpId of [real.otpId, decoy]) {
      const elsewhere = () => roost.post('/api/collections/others/auth-with-otp', { otpId, password: real.code });
      for (let attempt = 0; attempt < 12; attempt++) expect((await elsewhere()).status).toBe(400);
    }
    expect((await login(real.otpId, real.code)).status).toBe(200);
  });

  it('AUTH-835 counts attempts at the same moment', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    const guesses = Array.from({ length: 20 }, (_, index) => login(otpId, String(10000000 + index)));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    expect((await login(otpId, code)).status).toBe(429);
  });

  it('AUTH-835 is gone after ten wrong passwords from wherever, and no guess slips in between', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    for (let attempt = 0; attempt < 10; attempt++) {
      const remoteAddress = `10.0.0.${attempt}`;
      expect((await login(otpId, '00000000', { remoteAddress })).status).toBe(400);
    }
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(0);
    expect((await login(otpId, code, { remoteAddress: '10.0.1.1' })).status).toBe(400);
    const next = await askFor('ann@x.io');
    const guesses = Array.from({ length: 14 }, (_, index) =>
      login(next.otpId, '00000000', { remoteAddress: `10.0.2.${index}` }),
    );
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([400]));
    expect((await login(next.otpId, next.code, { remoteAddress: '10.0.3.1' })).status).toBe(400);
  });

  it('AUTH-835 the right password does not count while ten wrong ones are being compared', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    const hasher = roost.roost.app.get(PasswordHasher, { strict: false });
    const matches = hasher.matches.bind(hasher);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const comparing = vi.spyOn(hasher, 'matches').mockImplementation(async (plain, ...about) => {
      if (plain !== code) await held;
      return matches(plain, ...about);
    });
    const guesses = Array.from({ length: 10 }, (_, index) =>
      login(otpId, '00000000', { remoteAddress: `10.0.0.${index}` }),
    );
    await expect.poll(() => comparing.mock.calls).toHaveLength(10);
    expect((await login(otpId, code, { remoteAddress: '10.0.1.1' })).status).toBe(400);
    goOn();
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([400]));
    comparing.mockRestore();
  });

  it('AUTH-704 AUTH-836 signs one of many simultaneous requests in', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    const attempts = Array.from({ length: 8 }, (_, index) => login(otpId, code, { remoteAddress: `10.0.0.${index}` }));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
  });

  it('AUTH-836 proves the address it was sent to, and takes the password that may not be its owner’s', async () => {
    const eve = await roost.addMember('eve@x.io', { verified: false });
    const old = await roost.signIn('eve@x.io');
    const { otpId, code } = await askFor('eve@x.io');
    const { body } = await login(otpId, code);
    expect(body.record.verified).toBe(true);
    expect(await roost.isGood(body.token)).toBe(true);
    expect(await roost.isGood(old)).toBe(false);
    expect((await roost.post('auth-with-password', { identity: 'eve@x.io', password: PASSWORD })).status).toBe(400);
    expect((await roost.member(eve.id)).get('verified')).toBe(true);
  });

  it('AUTH-836 takes nothing from an account that was verified before', async () => {
    const old = await roost.signIn('ann@x.io');
    const { otpId, code } = await askFor('ann@x.io');
    expect((await login(otpId, code)).body.record.verified).toBe(true);
    expect(await roost.isGood(old)).toBe(true);
    expect(await roost.signIn('ann@x.io')).not.toBe('');
  });

  it('AUTH-836 proves nothing when the address has changed since, or when it was not mailed', async () => {
    const eve = await roost.addMember('eve@x.io', { verified: false });
    const { otpId, code } = await askFor('eve@x.io');
    const [row] = await roost.rowsOf('_otps', eve);
    await roost.records.update('_otps', row!.id, { sentTo: 'other@x.io' });
    const { status, body } = await login(otpId, code);
    expect(status).toBe(200);
    expect(body.record.verified).toBe(false);
    expect(await roost.signIn('eve@x.io')).not.toBe('');
  });

  it('AUTH-836 AUTH-703 keeps the password when it is the other half of a sign-in', async () => {
    await roost.configure({ mfa: { enabled: true, duration: 100 } });
    const eve = await roost.addMember('eve@x.io', { verified: false });
    const { otpId, code } = await askFor('eve@x.io');
    const { mfaId } = (await login(otpId, code)).body as { mfaId: string };
    expect((await roost.member(eve.id)).get('verified')).toBe(true);
    const second = { identity: 'eve@x.io', password: PASSWORD, mfaId };
    expect((await roost.post('auth-with-password', second)).status).toBe(200);
  });

  it('AUTH-702 AUTH-836 is used up even when the auth rule keeps its owner out', async () => {
    const { otpId, code } = await askFor('ann@x.io');
    await roost.configure({ authRule: '@request.context != "otp"' });
    expect((await login(otpId, code)).status).toBe(403);
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(0);
  });

  it('AUTH-832 is deleted when its mail cannot be sent', async () => {
    const failing = { provide: MAIL_TRANSPORT, useValue: { send: () => Promise.reject(new Error('No route.')) } };
    const mute = await MemberRoost.start(OTP, { replace: [failing], captureMails: false });
    try {
      const eve = await mute.addMember('eve@x.io');
      expect((await mute.post('request-otp', { email: 'eve@x.io' })).status).toBe(200);
      for (let round = 0; round < 500 && (await mute.rowsOf('_otps', eve)).length > 0; round++) await settle();
      expect(await mute.rowsOf('_otps', eve)).toHaveLength(0);
    } finally {
      await mute.close();
    }
  });

  it('AUTH-831 AUTH-834 AUTH-104 names what is missing, and is refused where it is switched off', async () => {
    expect((await request('no address')).body.data.email.code).toBe('validation_is_email');
    expect((await roost.post('request-otp', {})).body.data.email.code).toBe('validation_required');
    expect((await roost.post('auth-with-otp', { password: 'x'.repeat(72) })).body.data).toMatchObject({
      otpId: { code: 'validation_required' },
      password: { code: 'validation_length_out_of_range' },
    });
    await roost.configure({ otp: { enabled: false } });
    expect((await request('ann@x.io')).status).toBe(403);
    expect((await login('x', 'y')).status).toBe(403);
  });

  it('AUTH-1404 AUTH-1401 AUTH-1403 is cleaned up after it expired, and hides what is secret', async () => {
    await askFor('ann@x.io');
    const token = await roost.signIn('ann@x.io');
    const list = await roost.get('/api/collections/_otps/records', token);
    expect(list.body.totalItems).toBe(1);
    expect(list.body.items[0]).not.toHaveProperty('password');
    expect(list.body.items[0]).not.toHaveProperty('sentTo');
    const asRoot = await roost.get('/api/collections/_otps/records', await roost.superuser());
    expect(asRoot.body.items[0].sentTo).toBe('ann@x.io');
    expect(asRoot.body.items[0]).not.toHaveProperty('password');
  });

  function request(email: string): Promise<TestResponse> {
    return roost.post('request-otp', { email });
  }

  function login(otpId: string, password: string, options: PostOptions = {}): Promise<TestResponse> {
    return roost.post('auth-with-otp', { otpId, password }, options);
  }

  async function askFor(email: string): Promise<{ otpId: string; code: string }> {
    const sent = roost.mails.length;
    const { otpId } = (await request(email)).body as { otpId: string };
    const mails = await roost.mailsSent(sent + 1);
    return { otpId, code: codeIn(mails[sent]!) };
  }
});
