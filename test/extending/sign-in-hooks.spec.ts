import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import {
  AfterConfirmEmailChange,
  AfterConfirmPasswordReset,
  AfterConfirmVerification,
  AfterRequestEmailChange,
  AfterRequestPasswordReset,
  AfterRequestVerification,
  type AuthResponseEvent,
  BeforeAuthResponse,
  BeforeAuthWithOAuth2,
  BeforeAuthWithOtp,
  BeforeAuthWithPassword,
  BeforeConfirmEmailChange,
  BeforeConfirmPasswordReset,
  BeforeConfirmVerification,
  BeforeRequestEmailChange,
  BeforeRequestOtp,
  BeforeRequestPasswordReset,
  BeforeRequestVerification,
  ForbiddenError,
  type Hook,
  HookRegistry,
  type OAuth2AuthEvent,
  type PasswordAuthEvent,
  type RecordModel,
  RecordsModule,
  RecordsService,
} from 'roost';
import type { TestResponse } from 'roost/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../auth/support/fake-provider.js';
import { codeIn, MemberRoost, PASSWORD, settle, tokenIn } from '../auth/support/member-roost.js';

/** Hooks that do nothing unless a test says what. */
const HOOKS = [
  BeforeAuthWithOAuth2,
  BeforeAuthWithOtp,
  BeforeAuthResponse,
  BeforeRequestOtp,
  BeforeRequestVerification,
  AfterRequestVerification,
  BeforeConfirmVerification,
  AfterConfirmVerification,
  BeforeRequestPasswordReset,
  AfterRequestPasswordReset,
  BeforeConfirmPasswordReset,
  AfterConfirmPasswordReset,
  BeforeRequestEmailChange,
  AfterRequestEmailChange,
  BeforeConfirmEmailChange,
  AfterConfirmEmailChange,
] as readonly Hook<never>[];

// oxlint-disable-next-line typescript/no-explicit-any
type Handler = (event: any) => unknown;
let on: Record<string, Handler>;
let seen: string[];

@Injectable()
class Programmed {
  constructor(registry: HookRegistry) {
    for (const hook of HOOKS) {
      const run = (event: { record: RecordModel | null }) => {
        seen.push(`${hook.hookName} ${event.record ? String(event.record.get('name')) : 'nobody'}`);
        return on[hook.hookName]?.(event);
      };
      registry.add(hook, { run, collections: ['members'], order: 0, label: 'test' });
    }
  }
}

/** Takes over accounts of a system that kept salted SHA-256 hashes, and knows people by nicknames too. */
@Injectable()
class LegacyPasswords {
  constructor(private readonly records: RecordsService) {}

  @BeforeAuthWithPassword('members')
  async takeOver(event: PasswordAuthEvent): Promise<void> {
    seen.push(`asked for ${event.record ? String(event.record.get('name')) : 'nobody'}`);
    if (event.identity === 'closed@x.io') throw new ForbiddenError('Closed.');
    if (event.identity === 'stranger') event.record = (await this.records.findFirst('_superusers', "id != ''")) ?? null;
    if (event.identity === 'careless@x.io') event.isRight = Promise.resolve(false) as never;
    if (event.identity === 'denied@x.io') event.isRight = false;
    event.record ??= (await this.records.findFirst('members', 'name = {:name}', { name: event.identity })) ?? null;
    const { record, password } = event;
    const [salt = '', hash = ''] = String(record?.get('legacy') ?? '').split(':');
    if (!record || hash === '' || !fits(password, salt, hash)) return;
    await this.records.update('members', record.id, { password, legacy: '' });
    event.isRight = true;
  }
}

function fits(password: string, salt: string, hash: string): boolean {
  const digest = createHash('sha256').update(`${salt}${password}`).digest();
  return timingSafeEqual(digest, Buffer.from(hash, 'hex'));
}

const legacyHash = (password: string) => `salt:${createHash('sha256').update(`salt${password}`).digest('hex')}`;

@Module({ imports: [RecordsModule], providers: [Programmed, LegacyPasswords] })
class SignInModule {}

describe('hooks of signing in', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  let fake: FakeProvider;
  let info: Record<string, unknown>;

  const login = (identity: string, password = PASSWORD, more: object = {}): Promise<TestResponse> =>
    roost.post('auth-with-password', { identity, password, ...more });
  const asked = (name: string) => seen.filter((entry) => entry.startsWith(`${name} `));
  const refuse = () => {
    throw new ForbiddenError('Refused.');
  };

  beforeAll(async () => {
    fake = await startFakeProvider({
      '/token': () => ({ body: { access_token: 'access-1', refresh_token: 'refresh-1' } }),
      '/info': () => ({ body: info }),
    });
    const urls = { authURL: `${fake.url}/auth`, tokenURL: `${fake.url}/token`, userInfoURL: `${fake.url}/info` };
    on = {};
    seen = [];
    roost = await MemberRoost.start(
      {
        fields: [
          { name: 'password', type: 'password', min: 8, cost: 4 },
          { name: 'name', type: 'text' },
          { name: 'banned', type: 'bool' },
          { name: 'legacy', type: 'text', hidden: true },
        ],
        indexes: [],
        otp: { enabled: true, duration: 600, length: 6 },
        mfa: { enabled: false, duration: 600 },
        authRule: 'banned = false',
        oauth2: {
          enabled: true,
          providers: [{ name: 'oidc', clientId: 'client-1', clientSecret: 'secret-1', ...urls }],
        },
      },
      { imports: [SignInModule] },
    );
  });
  afterAll(async () => {
    await roost.close();
    await fake.close();
  });
  beforeEach(async () => {
    on = {};
    await roost.reset();
    ann = await roost.addMember('ann@x.io', { name: 'ann' });
    info = { sub: 'ann-1', name: 'Ann', email: 'ann@x.io', email_verified: true };
    seen = [];
  });

  describe('with a password', () => {
    it('EXT-36 an old hash is taken over with the first sign-in', async () => {
      const old = await roost.addMember('old@x.io', {
        name: 'old',
        password: 'nobody knows',
        legacy: legacyHash(PASSWORD),
      });
      expect((await login('old@x.io', 'wrong wrong')).status).toBe(400);
      const { status, body } = await login('old@x.io');
      expect(status).toBe(200);
      expect(await roost.isGood(body.token)).toBe(true);
      expect((await roost.member(old.id)).get('legacy')).toBe('');
      expect((await login('old@x.io')).status).toBe(200);
      expect((await login('old@x.io', 'nobody knows')).status).toBe(400);
    });

    it('EXT-36 a hook may name the record, and refuse', async () => {
      expect((await login('ann')).body.record.id).toBe(ann.id);
      expect((await login('ann', 'wrong wrong')).status).toBe(400);
      expect((await login('nobody')).status).toBe(400);
      const closed = await login('closed@x.io');
      expect([closed.status, closed.body.message]).toEqual([403, 'Closed.']);
    });

    it('EXT-36 a record of another collection signs nobody in', async () => {
      const { status, text } = await login('stranger');
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('token');
    });

    it('EXT-36 a hook may say no, and nothing but yes is one', async () => {
      for (const identity of ['careless@x.io', 'denied@x.io']) {
        await roost.addMember(identity);
        const { status, text } = await login(identity);
        expect([status >= 400, text.includes('token')]).toEqual([true, false]);
      }
    });

    it('EXT-36 rules and the second method hold whatever a hook says', async () => {
      await roost.addMember('old@x.io', { banned: true, password: 'nobody knows', legacy: legacyHash(PASSWORD) });
      expect((await login('old@x.io')).status).toBe(403);
      await roost.configure({ mfa: { enabled: true, duration: 600 } });
      await roost.addMember('two@x.io', { password: 'nobody knows', legacy: legacyHash(PASSWORD) });
      const first = await login('two@x.io');
      expect([first.status, Object.keys(first.body as object)]).toEqual([401, ['mfaId']]);
    });

    it('EXT-36 an old hash is taken over as the second step, which ends the other pending sign-ins alone', async () => {
      await roost.configure({ mfa: { enabled: true, duration: 600 } });
      const two = await roost.addMember('two@x.io', { password: 'nobody knows', legacy: legacyHash(PASSWORD) });
      // As a first step by OTP leaves them.
      const row = { collectionRef: two.collection.id, recordRef: two.id, method: 'otp' };
      const challenge = async () => (await roost.records.create('_mfas', row)).id;
      const [other, mfaId] = [await challenge(), await challenge()];
      const answer = await login('two@x.io', PASSWORD, { mfaId });
      expect(answer, answer.text).toMatchObject({ status: 200, body: { record: { id: two.id } } });
      // Each is used up once, and what was begun before the password changed is over.
      expect((await login('two@x.io', PASSWORD, { mfaId })).status).toBe(400);
      expect((await login('two@x.io', PASSWORD, { mfaId: other })).status).toBe(400);
    });

    it('EXT-36 guessing is slowed down before a hook is asked, for what it says and for what it throws', async () => {
      await roost.addMember('old@x.io', { name: 'old', password: 'nobody knows', legacy: legacyHash(PASSWORD) });
      for (let guess = 0; guess < 10; guess++) await login('old@x.io', `wrong ${guess}`);
      seen = [];
      expect((await login('old@x.io')).status).toBe(429);
      expect(seen).toEqual([]);
      // By another name it is the same account, whose right password is no more welcome.
      expect((await login('old')).status).toBe(429);
      const statuses = new Set<number>();
      for (let guess = 0; guess < 12; guess++) statuses.add((await login('closed@x.io')).status);
      expect([...statuses]).toEqual([403, 429]);
    });

    it('EXT-36 guesses at the same time get no further', async () => {
      await roost.addMember('old@x.io', { name: 'old', password: 'nobody knows', legacy: legacyHash(PASSWORD) });
      const guesses = Array.from({ length: 60 }, (_, guess) =>
        login('old@x.io', guess === 59 ? PASSWORD : `no ${guess}`),
      );
      const answers = await Promise.all(guesses);
      expect(answers.at(-1)!.status).toBe(429);
      expect(answers.filter(({ status }) => status === 400).length).toBeLessThan(25);
    });
  });

  describe('with OAuth2', () => {
    const byOAuth2 = (body: object = {}) =>
      roost.post('auth-with-oauth2', { provider: 'oidc', code: 'code-1', ...body });

    it('EXT-36 a hook sees what the provider says, and may refuse', async () => {
      const events: OAuth2AuthEvent[] = [];
      on['BeforeAuthWithOAuth2'] = (event: OAuth2AuthEvent) => {
        events.push({ ...event });
        if (event.isNew) throw new ForbiddenError('Nobody new.');
      };
      expect((await byOAuth2()).status).toBe(200);
      expect(events[0]).toMatchObject({ provider: 'oidc', isNew: false, record: { id: ann.id } });
      expect(events[0]!.user).toMatchObject({ rawUser: info, accessToken: 'access-1', refreshToken: 'refresh-1' });
      info = { sub: 'eve-1', email: 'eve@x.io', email_verified: true };
      const refused = await byOAuth2();
      expect([refused.status, refused.body.message]).toEqual([403, 'Nobody new.']);
      expect(await roost.records.count('members')).toBe(1);
    });

    it('EXT-36 a hook may fill a new record, or name one that is there', async () => {
      on['BeforeAuthWithOAuth2'] = (event: OAuth2AuthEvent) => {
        event.createData = { ...event.createData, name: `from ${event.provider}` };
      };
      info = { sub: 'eve-1', email: 'eve@x.io', email_verified: true };
      expect((await byOAuth2({ createData: { banned: false } })).body.record.name).toBe('from oidc');
      on['BeforeAuthWithOAuth2'] = (event: OAuth2AuthEvent) => void (event.record = ann);
      info = { sub: 'ann-at-work', email: 'ann@work.io', email_verified: true };
      const { body } = await byOAuth2();
      expect([body.record.id, body.meta.isNew]).toEqual([ann.id, false]);
      on = {};
      expect((await byOAuth2()).body.record.id).toBe(ann.id);
      await roost.records.update('members', ann.id, { banned: true });
      expect((await byOAuth2()).status).toBe(403);
    });

    it('EXT-36 a record of another collection signs nobody in', async () => {
      const root = await roost.records.findFirst('_superusers', "id != ''");
      on['BeforeAuthWithOAuth2'] = (event: OAuth2AuthEvent) => void (event.record = root!);
      const { status, text } = await byOAuth2();
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('token');
    });
  });

  describe('with a one-time password', () => {
    const request = async (email: string) => (await roost.post('request-otp', { email })).body.otpId as string;

    it('EXT-36 a hook is asked once the code is right, and its refusal leaves the code as it is', async () => {
      const otpId = await request('ann@x.io');
      const password = codeIn((await roost.mailsSent(1))[0]!);
      const body = { otpId, password };
      expect((await roost.post('auth-with-otp', { otpId, password: '000000x' })).status).toBe(400);
      expect(asked('BeforeAuthWithOtp')).toEqual([]);
      on['BeforeAuthWithOtp'] = refuse;
      const refused = await roost.post('auth-with-otp', body);
      expect([refused.status, refused.body.message]).toEqual([403, 'Refused.']);
      on = {};
      expect((await roost.post('auth-with-otp', body)).status).toBe(200);
      expect(asked('BeforeAuthWithOtp')).toEqual(['BeforeAuthWithOtp ann', 'BeforeAuthWithOtp ann']);
    });

    it('EXT-36 asking for one runs hooks for everybody, which may name who gets it or refuse', async () => {
      on['BeforeRequestOtp'] = (event: { email: string; record: RecordModel | null }) => {
        if (event.email === 'closed@x.io') throw new ForbiddenError('Closed.');
        if (event.email === 'ann@alias.io') event.record = ann;
        if (event.email === 'ann@x.io') event.record = null;
      };
      expect((await roost.post('request-otp', { email: 'closed@x.io' })).status).toBe(403);
      const [alias, own, nobody] = [await request('ann@alias.io'), await request('ann@x.io'), await request('no@x.io')];
      for (const id of [alias, own, nobody]) expect(id).toMatch(/^[a-z0-9]{15}$/);
      const mails = await roost.allMails(1);
      expect(mails.map(({ to }) => to[0]!.address)).toEqual(['ann@x.io']);
      const password = codeIn(mails[0]!);
      expect((await roost.post('auth-with-otp', { otpId: alias, password })).body.record.id).toBe(ann.id);
      expect((await roost.post('auth-with-otp', { otpId: own, password })).status).toBe(400);
      expect(asked('BeforeRequestOtp')).toHaveLength(4);
    });
  });

  describe('the answer', () => {
    it('EXT-36 a hook decides how long the token is good for, and adds to meta', async () => {
      on['BeforeAuthResponse'] = (event: AuthResponseEvent) => {
        event.meta['device'] = `${event.method} ${event.duration > 60 ? 'long' : 'short'}`;
        event.duration = 60;
      };
      const { body } = await login('ann@x.io');
      expect(body.meta).toEqual({ device: 'password long' });
      expect(lifeOf(body.token as string)).toBe(60);
      const again = await roost.post('auth-refresh', undefined, { token: body.token });
      expect([again.body.meta, lifeOf(again.body.token as string)]).toEqual([{ device: 'refresh long' }, 60]);
      const byProvider = await roost.post('auth-with-oauth2', { provider: 'oidc', code: 'code-1' });
      expect(byProvider.body.meta).toMatchObject({ device: 'oauth2 long', id: 'ann-1', isNew: false });
      on['BeforeAuthResponse'] = (event: AuthResponseEvent) => void (event.meta = {});
      expect((await roost.post('auth-with-oauth2', { provider: 'oidc', code: 'code-1' })).body).not.toHaveProperty(
        'meta',
      );
      roost.roost.clock.advance(61_000);
      expect(await roost.isGood(again.body.token as string)).toBe(false);
    });

    it('EXT-36 without one there is no meta; a throw and a length that is none refuse', async () => {
      expect((await login('ann@x.io')).body).not.toHaveProperty('meta');
      on['BeforeAuthResponse'] = refuse;
      expect((await login('ann@x.io')).status).toBe(403);
      for (const duration of [0, -1, 1.5, Number.NaN, Infinity]) {
        on['BeforeAuthResponse'] = (event: AuthResponseEvent) => void (event.duration = duration);
        const { status, text } = await login('ann@x.io');
        expect([status >= 400, text.includes('token')]).toEqual([true, false]);
      }
    });

    function lifeOf(token: string): number {
      const { exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number };
      return exp - Math.floor(roost.roost.clock.now() / 1000);
    }
  });

  describe('mails about accounts', () => {
    let newcomer: RecordModel;
    beforeEach(async () => {
      newcomer = await roost.addMember('new@x.io', { name: 'new', verified: false });
      seen = [];
    });

    it.each([
      ['request-verification', 'Verification'],
      ['request-password-reset', 'PasswordReset'],
    ])('EXT-36 %s runs hooks for everybody, which may name who gets the mail or refuse', async (path, name) => {
      on[`BeforeRequest${name}`] = (event: { email: string; record: RecordModel | null }) => {
        if (event.email === 'closed@x.io') throw new ForbiddenError('Closed.');
        if (event.email === 'new@alias.io') event.record = newcomer;
        if (event.email === 'new@x.io') event.record = null;
      };
      const statuses = [];
      for (const email of ['closed@x.io', 'no@x.io', 'new@x.io', 'new@alias.io']) {
        statuses.push((await roost.post(path, { email })).status);
      }
      expect(statuses).toEqual([403, 204, 204, 204]);
      expect((await roost.allMails(1)).map(({ to }) => to[0]!.address)).toEqual(['new@x.io']);
      expect(asked(`BeforeRequest${name}`)).toHaveLength(4);
      expect(asked(`AfterRequest${name}`)).toEqual([`AfterRequest${name} new`]);
    });

    it('EXT-36 confirming an address can be refused, and is told', async () => {
      await roost.post('request-verification', { email: 'new@x.io' });
      const token = tokenIn((await roost.mailsSent(1))[0]!);
      const confirm = () => roost.post('confirm-verification', { token });
      expect((await roost.post('confirm-verification', { token: `${token}x` })).status).toBe(400);
      expect(asked('BeforeConfirmVerification')).toEqual([]);
      on['BeforeConfirmVerification'] = refuse;
      expect((await confirm()).status).toBe(403);
      expect((await roost.member(newcomer.id)).get('verified')).toBe(false);
      let verified: unknown;
      on = { AfterConfirmVerification: ({ record }: { record: RecordModel }) => (verified = record.get('verified')) };
      expect((await confirm()).status).toBe(204);
      expect(verified).toBe(true);
      expect(asked('AfterConfirmVerification')).toHaveLength(1);
    });

    it('EXT-36 a new password is shown to hooks, which may refuse it', async () => {
      await roost.post('request-password-reset', { email: 'new@x.io' });
      const token = tokenIn((await roost.mailsSent(1))[0]!);
      const confirm = (password: string) =>
        roost.post('confirm-password-reset', { token, password, passwordConfirm: password });
      on['BeforeConfirmPasswordReset'] = ({ password }: { password: string }) => {
        if (password === 'password123') throw new ForbiddenError('Everybody knows it.');
      };
      expect((await confirm('short')).status).toBe(400);
      expect(asked('BeforeConfirmPasswordReset')).toEqual([]);
      const refused = await confirm('password123');
      expect([refused.status, refused.body.message]).toEqual([403, 'Everybody knows it.']);
      expect((await confirm('better than that')).status).toBe(204);
      expect(asked('AfterConfirmPasswordReset')).toEqual(['AfterConfirmPasswordReset new']);
      expect((await login('new@x.io', 'better than that')).status).toBe(200);
    });

    it('EXT-36 another address is shown to hooks when it is asked for and when it is confirmed', async () => {
      const token = await roost.signIn('ann@x.io');
      const request = (newEmail: string) => roost.post('request-email-change', { newEmail }, { token });
      const domain = ({ newEmail }: { newEmail: string }) => {
        if (newEmail.endsWith('@evil.io')) throw new ForbiddenError('Not there.');
      };
      on['BeforeRequestEmailChange'] = domain;
      expect((await request('ann@evil.io')).status).toBe(403);
      // A refusal takes nothing from those that follow.
      expect((await request('ann@evil.io')).status).toBe(403);
      expect((await request('ann@new.io')).status).toBe(204);
      expect(asked('AfterRequestEmailChange')).toEqual(['AfterRequestEmailChange ann']);
      const link = tokenIn((await roost.mailsSent(1))[0]!);
      const confirm = (password: string) => roost.post('confirm-email-change', { token: link, password });
      expect((await confirm('wrong wrong')).status).toBe(400);
      expect(asked('BeforeConfirmEmailChange')).toEqual([]);
      on['BeforeConfirmEmailChange'] = refuse;
      expect((await confirm(PASSWORD)).status).toBe(403);
      on = { AfterConfirmEmailChange: ({ record }: { record: RecordModel }) => seen.push(String(record.get('email'))) };
      expect((await confirm(PASSWORD)).status).toBe(204);
      await settle();
      expect(seen).toContain('ann@new.io');
    });
  });
});
