import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIL_TRANSPORT, type Mail } from '../../src/mail/mail-transport.js';
import { MemberRoost } from './support/member-roost.js';

describe('what superusers try out in the settings', () => {
  let roost: MemberRoost;
  let token: string;
  const sent: Mail[] = [];
  let refusal: Error | undefined;

  beforeAll(async () => {
    const send = (mail: Mail) => (refusal ? Promise.reject(refusal) : Promise.resolve(void sent.push(mail)));
    roost = await MemberRoost.start(
      {},
      { replace: [{ provide: MAIL_TRANSPORT, useValue: { send } }], captureMails: false },
    );
    token = await roost.superuser();
  });
  afterAll(() => roost.close());

  it.each([
    ['verification', /confirm-verification\/this-is-only-a-test/],
    ['password-reset', /confirm-password-reset\/this-is-only-a-test/],
    ['email-change', /confirm-email-change\/this-is-only-a-test/],
    ['otp', /01234567/],
    ['login-alert', /A browser/],
  ])('OPS-13 AUTH-1306 sends the template %s with sample values', async (template, content) => {
    sent.length = 0;
    const response = await test({ email: 'me@x.io', template, collection: 'members' });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.to[0]!.address).toBe('me@x.io');
    expect(sent[0]!.html).toMatch(content);
  });

  it('AUTH-1306 is about the superusers when no collection is named', async () => {
    await roost.configure({ authAlert: { emailTemplate: { subject: 'Hello root', body: 'x' } } }, '_superusers');
    sent.length = 0;
    expect((await test({ email: 'me@x.io', template: 'login-alert' })).status).toBe(204);
    expect(sent[0]!.subject).toBe('Hello root');
  });

  it('AUTH-1306 names what is wrong, and passes on why a mail was refused', async () => {
    expect(codesOf((await test({})).body)).toEqual({ email: 'validation_required', template: 'validation_required' });
    const wrong = { email: 'x', template: 'other', collection: '_mfas' };
    expect(codesOf((await test(wrong)).body)).toEqual({
      email: 'validation_is_email',
      template: 'validation_in_invalid',
      collection: 'validation_invalid_auth_collection',
    });
    expect(codesOf((await test({ email: 'me@x.io', template: 'otp', collection: 'missing' })).body)).toEqual({
      collection: 'validation_invalid_auth_collection',
    });
    refusal = new Error('550 mailbox unavailable');
    const refused = await test({ email: 'me@x.io', template: 'otp' });
    refusal = undefined;
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('550 mailbox unavailable');
  });

  it('AUTH-203 AUTH-1306 AUTH-1009 is theirs alone', async () => {
    await roost.addMember('ann@x.io');
    const ann = await roost.signIn('ann@x.io');
    for (const url of ['/api/settings/test/email', '/api/settings/apple/generate-client-secret']) {
      expect((await roost.post(url, {})).status).toBe(401);
      expect((await roost.post(url, {}, { token: ann })).status).toBe(403);
    }
  });

  it('AUTH-1009 makes a client secret for Apple', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const form = {
      clientId: 'app',
      teamId: 'TEAM567890',
      keyId: 'KEY4567890',
      privateKey: await exportPKCS8(privateKey),
    };
    const { status, body } = await apple({ ...form, duration: 15_777_000 });
    expect(status).toBe(200);
    expect(Object.keys(body as object)).toEqual(['secret']);
    const { payload } = await jwtVerify(body.secret as string, publicKey, {
      currentDate: new Date(roost.roost.clock.now()),
    });
    expect(payload.exp! - payload.iat!).toBe(15_777_000);
  });

  it('AUTH-1009 names what is missing, too short or no key', async () => {
    expect(codesOf((await apple({})).body)).toEqual(
      Object.fromEntries(
        ['clientId', 'teamId', 'keyId', 'privateKey', 'duration'].map((key) => [key, 'validation_required']),
      ),
    );
    const wrong = {
      clientId: 'a',
      teamId: 'short',
      keyId: 'much too long',
      privateKey: 'no key',
      duration: 15_777_001,
    };
    expect(codesOf((await apple(wrong)).body)).toEqual({
      teamId: 'validation_length_invalid',
      keyId: 'validation_length_invalid',
      privateKey: 'validation_match_invalid',
      duration: 'validation_max_less_equal_than_required',
    });
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    for (const key of [await exportPKCS8(privateKey), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----']) {
      const form = { clientId: 'a', teamId: 'TEAM567890', keyId: 'KEY4567890', privateKey: key, duration: 1 };
      const response = await apple(form);
      expect([response.status, response.body.data]).toEqual([400, {}]);
    }
  });

  function test(body: object) {
    return roost.post('/api/settings/test/email', body, { token });
  }

  function apple(body: object) {
    return roost.post('/api/settings/apple/generate-client-secret', body, { token });
  }
});

function codesOf(body: unknown): Record<string, string> {
  const { data } = body as { data: Record<string, { code: string }> };
  return Object.fromEntries(Object.entries(data).map(([key, { code }]) => [key, code]));
}
