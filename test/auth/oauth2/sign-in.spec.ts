import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CollectionsService } from '../../../src/collections/collections.service.js';
import { Caller } from '../../../src/kernel/records/caller.js';
import type { RecordModel } from '../../../src/kernel/records/record-model.js';
import type { OAuth2Identity } from '../../../src/auth/oauth2/oauth2-identity.js';
import { OAuth2SignUp } from '../../../src/auth/oauth2/oauth2-sign-up.js';
import { OAuth2Module } from '../../../src/auth/oauth2/oauth2.module.js';
import type { OAuth2Provider } from '../../../src/auth/oauth2/oauth2-provider.js';
import type { TestResponse, TestRoostOptions } from '../../../src/testing/index.js';
import { type FakeAnswer, type FakeProvider, startFakeProvider } from '../support/fake-provider.js';
import { MemberRoost, PASSWORD, type PostOptions } from '../support/member-roost.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A provider of a team's own. */
const ACME: OAuth2Provider = {
  name: 'acme',
  displayName: 'Acme',
  order: 50,
  logo: '',
  pkce: false,
  scopes: ['profile'],
  authURL: 'https://acme.example.com/authorize',
  tokenURL: 'https://acme.example.com/token',
  userInfoURL: 'https://acme.example.com/me',
  toUser: (info) => ({ id: `acme-${String(info['number'])}`, name: 'From Acme' }),
};

describe('signing in with OAuth2', () => {
  let shared: MemberRoost;
  /** The shared one, or one that a test has started for itself. */
  let roost: MemberRoost;
  let fake: FakeProvider;
  /** What the provider says of whoever signs in. */
  let info: Record<string, unknown>;
  let tokenAnswer: FakeAnswer;

  beforeAll(async () => {
    fake = await startFakeProvider({
      '/token': () => tokenAnswer,
      '/common/token': () => tokenAnswer,
      '/info': () => ({ body: info }),
      '/avatar.png': { type: 'image/png', body: PNG },
      '/large.png': { type: 'image/png', body: Buffer.concat([PNG, Buffer.alloc(1000)]) },
    });
    shared = await start();
  });
  afterAll(async () => {
    await shared.close();
    await fake.close();
  });
  beforeEach(async () => {
    info = { sub: 'ann-1', name: 'Ann', preferred_username: 'ann', email: 'ann@x.io', email_verified: true };
    tokenAnswer = { body: { access_token: 'access-1', refresh_token: 'refresh-1', expires_in: 60 } };
    fake.received.length = 0;
    roost = shared;
    await roost.reset();
  });
  afterEach(async () => {
    if (roost !== shared) await roost.close();
  });

  it('AUTH-904 AUTH-907 AUTH-910 makes an account of who comes for the first time, and says so', async () => {
    const { status, body } = await login();
    expect(status).toBe(200);
    expect(body.record).toMatchObject({ email: 'ann@x.io', verified: true, name: 'Ann', username: 'ann' });
    expect(body.meta).toEqual({
      id: 'ann-1',
      name: 'Ann',
      username: 'ann',
      email: 'ann@x.io',
      avatarURL: '',
      avatarUrl: '',
      accessToken: 'access-1',
      refreshToken: 'refresh-1',
      expiry: new Date(roost.roost.clock.now() + 60_000).toISOString().replace('T', ' '),
      rawUser: info,
      isNew: true,
    });
    expect(await roost.isGood(body.token)).toBe(true);
    const [link] = await linksOf(body.record.id);
    expect(link!.toRow()).toMatchObject({ provider: 'oidc', providerId: 'ann-1' });
    const again = await login();
    expect(again.body.record.id).toBe(body.record.id);
    expect(again.body.meta.isNew).toBe(false);
    expect(await roost.records.count('members')).toBe(1);
    expect(JSON.stringify((await roost.member(body.record.id)).toRow())).not.toContain('access-1');
  });

  it('AUTH-901 AUTH-902 passes code, verifier and redirect address on, by either name', async () => {
    await login({ code: 'the code', codeVerifier: 'verifier', redirectUrl: 'https://app/done' });
    await login({ code: 'the code', codeVerifier: 'verifier', redirectURL: 'https://app/done' });
    for (const { body } of fake.received.filter(({ path }) => path === '/token')) {
      const form = Object.fromEntries(new URLSearchParams(body));
      expect(form).toMatchObject({ code: 'the code', code_verifier: 'verifier', redirect_uri: 'https://app/done' });
    }
  });

  it('AUTH-901 AUTH-103 ERR-1 names all that is missing or unknown at once', async () => {
    const codesFor = async (body: object) => codesOf(await roost.post('auth-with-oauth2', body));
    expect(await codesFor({})).toEqual({ provider: 'validation_required', code: 'validation_required' });
    expect(await codesFor({ provider: 'x'.repeat(101), code: 'x' })).toEqual({
      provider: 'validation_length_too_long',
    });
    expect(await codesFor({ provider: 'google', code: 'x' })).toEqual({ provider: 'validation_invalid_provider' });
    expect(await codesFor({ provider: 'google' })).toEqual({
      provider: 'validation_invalid_provider',
      code: 'validation_required',
    });
    expect((await roost.post('auth-with-oauth2', { provider: 'oidc', code: 'x', createData: 'x' })).body.data).toEqual(
      {},
    );
    await roost.configure({ oauth2: { enabled: false } });
    expect((await login()).status).toBe(403);
  });

  it.each<[string, FakeAnswer]>([
    ['refuses the code', { status: 400, body: { error: 'invalid_grant', error_description: 'SECRET DETAIL' } }],
    ['fails', { status: 500, body: 'SECRET DETAIL' }],
    ['answers nonsense', { body: '<html>SECRET DETAIL' }],
  ])('AUTH-901 a provider that %s is a 400 without details', async (_, answer) => {
    tokenAnswer = answer;
    const response = await login();
    expect([response.status, response.body.data]).toEqual([400, {}]);
    expect(response.text).not.toContain('SECRET DETAIL');
    expect(await roost.records.count('members')).toBe(0);
  });

  it('AUTH-903 a user without an id is a failure', async () => {
    info = { name: 'Nobody' };
    expect((await login()).status).toBe(400);
  });

  describe('as somebody there is', () => {
    it('AUTH-904 AUTH-905 a verified account with the proven address is linked and otherwise left alone', async () => {
      const ann = await roost.addMember('ann@x.io', { name: 'Her own name' });
      const token = await roost.signIn('ann@x.io');
      const { body } = await login({ createData: { name: 'From createData' } });
      expect(body.record).toMatchObject({ id: ann.id, name: 'Her own name', username: '' });
      expect(body.meta.isNew).toBe(false);
      expect(await roost.isGood(token)).toBe(true);
      expect(await roost.signIn('ann@x.io')).not.toBe('');
      expect(await linksOf(ann.id)).toHaveLength(1);
    });

    it('AUTH-905 AUTH-307 an unverified one is proven now: password, tokens and earlier links go', async () => {
      const squatted = await roost.addMember('ann@x.io', { verified: false });
      const token = await roost.signIn('ann@x.io');
      const reference = { collectionRef: squatted.collection.id, recordRef: squatted.id };
      await roost.records.create('_externalAuths', { ...reference, provider: 'google', providerId: 'evil-1' });
      const { body } = await login();
      expect(body.record).toMatchObject({ id: squatted.id, verified: true });
      expect(await roost.isGood(body.token)).toBe(true);
      expect(await roost.isGood(token)).toBe(false);
      expect((await roost.post('auth-with-password', { identity: 'ann@x.io', password: PASSWORD })).status).toBe(400);
      expect((await linksOf(squatted.id)).map((link) => link.get('provider'))).toEqual(['oidc']);
    });

    it('AUTH-903 AUTH-904 an address nobody vouches for finds no account', async () => {
      const ann = await roost.addMember('ann@x.io');
      info = { ...info, email_verified: false };
      const { status, body } = await login();
      expect(status).toBe(400);
      expect(codesOf({ status, body })).toEqual({ email: 'validation_required' });
      expect(await linksOf(ann.id)).toHaveLength(0);
      const other = await login({ createData: { email: 'other@x.io' } });
      expect(other.body.record).toMatchObject({ email: 'other@x.io', verified: false });
    });

    it('AUTH-904 AUTH-905 who is signed in links the other account to their own', async () => {
      const bob = await roost.addMember('bob@x.io', { verified: false });
      const reference = { collectionRef: bob.collection.id, recordRef: bob.id };
      await roost.records.create('_externalAuths', { ...reference, provider: 'google', providerId: 'earlier-1' });
      const token = await roost.signIn('bob@x.io');
      const { body } = await login({}, { token });
      expect(body.record).toMatchObject({ id: bob.id, email: 'bob@x.io', verified: false });
      expect(await roost.signIn('bob@x.io')).not.toBe('');
      expect((await linksOf(bob.id)).map((link) => link.get('provider'))).toEqual(['oidc']);
      info = { ...info, email: 'bob@x.io' };
      const proven = await login({}, { token: body.token as string });
      expect(proven.body.record.verified).toBe(true);
      expect(await roost.signIn('bob@x.io')).not.toBe('');
      expect(await linksOf(bob.id)).toHaveLength(1);
    });

    it('AUTH-904 a link wins over the token and over the address', async () => {
      const first = (await login()).body.record as { id: string };
      await roost.addMember('bob@x.io');
      const token = await roost.signIn('bob@x.io');
      info = { ...info, email: 'bob@x.io' };
      expect((await login({}, { token })).body.record.id).toBe(first.id);
      const root = await roost.superuser();
      expect((await login({}, { token: root })).body.record.id).toBe(first.id);
    });

    it('AUTH-904 somebody signed in elsewhere is found by the proven address', async () => {
      const ann = await roost.addMember('ann@x.io');
      expect((await login({}, { token: await roost.superuser() })).body.record.id).toBe(ann.id);
    });

    it('AUTH-906 one account is one user of a provider', async () => {
      await roost.addMember('bob@x.io');
      const token = await roost.signIn('bob@x.io');
      expect((await login({}, { token })).status).toBe(200);
      info = { ...info, sub: 'ann-2' };
      const second = await login({}, { token });
      expect(codesOf(second)['provider']).toBe('validation_not_unique');
    });

    it('AUTH-905 an account without an address gets the proven one', async () => {
      await withOptionalEmail();
      const nameless = await roost.addMember('', { username: 'nameless' });
      const token = await roost.roost.app
        .get((await import('../../../src/tokens/tokens.service.js')).TokensService, { strict: false })
        .issue(nameless, 'auth');
      expect((await login({}, { token })).body.record).toMatchObject({
        id: nameless.id,
        email: 'ann@x.io',
        verified: true,
      });
    });
  });

  describe('as somebody new', () => {
    it('AUTH-907 what is submitted wins, except for an empty address', async () => {
      const { body } = await login({ createData: { name: 'Mine', username: '', email: '' } });
      expect(body.record).toMatchObject({ name: 'Mine', username: '', email: 'ann@x.io', verified: true });
    });

    it('AUTH-907 another address stays unverified, and verified cannot be claimed', async () => {
      const { body } = await login({ createData: { email: 'other@x.io' } });
      expect(body.record).toMatchObject({ email: 'other@x.io', verified: false });
      info = { ...info, sub: 'ann-2', email: 'second@x.io', preferred_username: '' };
      const claimed = await login({ createData: { email: 'third@x.io', verified: true } });
      expect(codesOf(claimed)).toEqual({ verified: 'validation_values_mismatch' });
    });

    it('AUTH-907 a submitted password counts, and needs its confirmation', async () => {
      const createData = { password: 'my own horse' };
      expect(codesOf(await login({ createData }))).toEqual({ passwordConfirm: 'validation_required' });
      expect((await login({ createData: { ...createData, passwordConfirm: 'my own horse' } })).status).toBe(200);
      expect((await roost.post('auth-with-password', { identity: 'ann@x.io', password: 'my own horse' })).status).toBe(
        200,
      );
    });

    it('AUTH-907 AUTH-505 without one nobody can sign in with a password, whatever the field asks of it', async () => {
      await withPasswordOptions({ min: 50, pattern: '^never$' });
      expect((await login()).status).toBe(200);
      expect((await roost.post('auth-with-password', { identity: 'ann@x.io', password: 'x' })).status).toBe(400);
    });

    it('AUTH-907 leaves out a username that is taken or does not fit', async () => {
      await roost.addMember('bob@x.io', { username: 'ann' });
      expect((await login()).body.record).toMatchObject({ email: 'ann@x.io', username: '' });
      info = { ...info, sub: 'ann-2', email: 'two@x.io', preferred_username: 'x'.repeat(21) };
      expect((await login()).body.record).toMatchObject({ email: 'two@x.io', username: '' });
    });

    it('AUTH-907 AUTH-407 goes through the create rule, as the caller and with its context', async () => {
      await roost.configure({ createRule: null });
      expect((await login()).status).toBe(403);
      await roost.configure({
        createRule:
          '@request.context = "oauth2" && @request.method = "POST" && @request.headers.x_door = "side" && @request.query.fields:isset = false',
      });
      const closed = await login({}, { headers: { 'x-door': 'front' } });
      expect([closed.status, closed.body.data]).toEqual([400, {}]);
      const code = { provider: 'oidc', code: 'x' };
      const entered = await roost.post('auth-with-oauth2?fields=token', code, { headers: { 'x-door': 'side' } });
      expect([entered.status, Object.keys(entered.body as object)]).toEqual([200, ['token']]);
      expect(await roost.records.count('_externalAuths')).toBe(1);
    });

    it('AUTH-907 shows what the fields refuse, and leaves nothing behind', async () => {
      info = { ...info, email: '', preferred_username: '' };
      expect(codesOf(await login())).toEqual({ email: 'validation_required' });
      expect(await roost.records.count('members')).toBe(0);
      expect(await roost.records.count('_externalAuths')).toBe(0);
    });

    it.each(['members:create', 'POST /api/collections/members/records'])(
      'AUTH-907 counts as creating a record: %s',
      async (label) => {
        const token = await roost.superuser();
        const rules = [{ label, audience: '', duration: 60, maxRequests: 1 }];
        const body = { rateLimits: { enabled: true, rules } };
        await roost.roost.inject({ method: 'PATCH', url: '/api/settings', token, body });
        expect((await login()).status).toBe(200);
        info = { ...info, sub: 'ann-2', email: 'two@x.io', preferred_username: '' };
        expect((await login()).status).toBe(429);
        info = { ...info, sub: 'ann-1' };
        expect((await login()).status).toBe(200);
      },
    );

    it('AUTH-702 AUTH-907 stays, also when the auth rule keeps it out', async () => {
      await roost.configure({ authRule: 'banned = true' });
      expect((await login()).status).toBe(403);
      expect(await roost.records.count('members')).toBe(1);
    });

    it('AUTH-909 is never a superuser', async () => {
      const collection = roost.roost.app.get(CollectionsService, { strict: false }).get('_superusers');
      const signUp = roost.roost.app.get(OAuth2SignUp, { strict: false });
      const user = { id: 'ann-1', name: '', username: '', email: 'ann@x.io', suggestedEmail: '', avatarURL: '' };
      const root = await roost.records.findFirst('_superusers', "email = 'root@example.com'");
      const identity = { collection, user, caller: new Caller(root!) } as unknown as OAuth2Identity;
      await expect(signUp.create(identity, {})).rejects.toMatchObject({ status: 403 });
      expect(await roost.records.count('_superusers')).toBe(1);
    });

    it('AUTH-911 is made once by requests at the same moment', async () => {
      // Nobody can write until all of them have looked for an account and found none.
      let release!: () => void;
      const holding = roost.records.transaction(() => new Promise<void>((resolve) => (release = resolve)));
      const logins = Promise.all(Array.from({ length: 6 }, () => login()));
      try {
        const asked = () => fake.received.filter(({ path }) => path === '/info');
        await expect.poll(asked, { timeout: 20_000 }).toHaveLength(6);
        await new Promise((resolve) => setTimeout(resolve, 100));
      } finally {
        release();
        await holding;
      }
      const responses = await logins;
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(new Set(responses.map(({ body }) => body.record.id as string)).size).toBe(1);
      expect(responses.filter(({ body }) => body.meta.isNew as boolean)).toHaveLength(1);
      expect(await roost.records.count('members')).toBe(1);
      expect(await roost.records.count('_externalAuths')).toBe(1);
    });

    it.each([true, false])(
      'SCALE-16 is linked once by fifty requests at the same moment, verified: %s',
      async (verified) => {
        const ann = await roost.addMember('ann@x.io', { verified });
        const logins = await Promise.all(Array.from({ length: 50 }, () => login()));
        expect(new Set(logins.map(({ status, body }) => `${status} ${body.record?.id}`))).toEqual(
          new Set([`200 ${ann.id}`]),
        );
        expect(await linksOf(ann.id)).toHaveLength(1);
      },
    );

    it('AUTH-703 AUTH-702 may need a second method', async () => {
      await roost.configure({ mfa: { enabled: true, duration: 600 } });
      await roost.addMember('ann@x.io');
      const { mfaId } = (await roost.post('auth-with-password', { identity: 'ann@x.io', password: PASSWORD })).body as {
        mfaId: string;
      };
      expect((await login()).status).toBe(401);
      const done = await login({ mfaId });
      expect([done.status, done.body.meta.isNew]).toEqual([200, false]);
    });
  });

  describe('with a picture', () => {
    it('AUTH-908 AUTH-1008 is downloaded for a file field', async () => {
      await restart({ config: { ROOST_ALLOW_PRIVATE_FETCH: true } });
      info = { ...info, picture: `${fake.url}/avatar.png` };
      const { body } = await login();
      expect(body.record.avatar).toMatch(/^avatar_[a-z0-9]{10}\.png$/);
      const stored = join(roost.roost.dir, 'storage', 'pbc_members_001', body.record.id, body.record.avatar);
      expect(readFileSync(stored).equals(PNG)).toBe(true);
      expect(temporaryFiles()).toEqual([]);
    });

    it.each([
      ['that leads inside', {}, '/avatar.png'],
      ['that is not there', { ROOST_ALLOW_PRIVATE_FETCH: true }, '/missing.png'],
      ['that is no picture', { ROOST_ALLOW_PRIVATE_FETCH: true }, '/info'],
      ['that is too large', { ROOST_ALLOW_PRIVATE_FETCH: true }, '/large.png'],
    ])('AUTH-908 one %s is left out', async (_, config, path) => {
      await restart({ config });
      info = { ...info, picture: fake.url + path };
      const { status, body } = await login();
      expect([status, body.record.avatar]).toEqual([200, '']);
      expect(body.meta.avatarURL).toBe(fake.url + path);
      if (Object.keys(config).length === 0) {
        expect(fake.received.map((request) => request.path)).not.toContain(path);
      }
      expect(temporaryFiles()).toEqual([]);
    });

    it('AUTH-908 its address is stored in a field of another type', async () => {
      await configureOAuth2({ mappedFields: { avatarURL: 'name', name: '', username: '' } });
      info = { ...info, picture: 'https://example.com/a.png' };
      expect((await login()).body.record.name).toBe('https://example.com/a.png');
    });
  });

  describe('with other providers', () => {
    it('AUTH-801 AUTH-802 AUTH-803 AUTH-805 are listed in their order, those that cannot work left out', async () => {
      const provider = (name: string, more = {}) => ({ name, clientId: 'c', clientSecret: 's', ...more });
      await configureOAuth2({
        providers: [provider('vk'), provider('oidc2'), provider('google', { displayName: 'G' })],
      });
      const { status, body } = await roost.get('/api/collections/members/auth-methods');
      expect(status).toBe(200);
      expect(body.oauth2.enabled).toBe(true);
      expect(body.oauth2.providers.map(({ name, displayName }: Record<string, string>) => [name, displayName])).toEqual(
        [
          ['vk', 'VK'],
          ['google', 'G'],
        ],
      );
      const google = body.oauth2.providers[1] as Record<string, string>;
      expect(Object.keys(google).sort()).toEqual([
        'authURL',
        'authUrl',
        'codeChallenge',
        'codeChallengeMethod',
        'codeVerifier',
        'displayName',
        'logo',
        'name',
        'state',
      ]);
      expect(google.authUrl).toBe(google.authURL);
      expect(body.authProviders).toEqual(body.oauth2.providers.map((entry: object) => ({ ...entry, logo: '' })));
      expect(body).toMatchObject({
        usernamePassword: false,
        emailPassword: true,
        mfa: { enabled: false, duration: 0 },
      });
      expect(JSON.stringify(body)).not.toContain('clientSecret');
      await roost.configure({
        oauth2: { enabled: false },
        passwordAuth: { enabled: false },
        otp: { enabled: true, duration: 120 },
      });
      expect((await roost.get('/api/collections/members/auth-methods?fields=mfa,otp,password,oauth2')).body).toEqual({
        password: { enabled: false, identityFields: [] },
        oauth2: { enabled: false, providers: [] },
        mfa: { enabled: false, duration: 0 },
        otp: { enabled: true, duration: 120 },
      });
    });

    it('AUTH-1001 AUTH-1007 are known to the definition of a collection', async () => {
      const token = await roost.superuser();
      const { body } = await roost.get('/api/collections/meta/oauth2-providers', token);
      expect(body[0]).toMatchObject({ name: 'apple', displayName: 'Apple' });
      expect(body).toHaveLength(32);
      const oauth2 = { enabled: true, providers: [{ name: 'nobody', clientId: 'c', clientSecret: 's' }] };
      const refused = await roost.roost.inject({
        method: 'PATCH',
        url: '/api/collections/members',
        token,
        body: { oauth2 },
      });
      expect(refused.body.data.oauth2.providers['0'].name.code).toBe('validation_missing_provider');
    });

    it('EXT-42 may be a team’s own', async () => {
      await restart({ imports: [OAuth2Module.register(ACME)] });
      const provider = {
        name: 'acme',
        clientId: 'c',
        clientSecret: 's',
        tokenURL: `${fake.url}/token`,
        userInfoURL: `${fake.url}/info`,
      };
      await configureOAuth2({ providers: [provider] });
      info = { number: 7 };
      const { status, body } = await login({ provider: 'acme', createData: { email: 'acme@x.io' } });
      expect(status).toBe(200);
      expect(body.record).toMatchObject({ name: 'From Acme', email: 'acme@x.io', verified: false });
      expect(body.meta.id).toBe('acme-7');
      const { body: list } = await roost.get('/api/collections/meta/oauth2-providers', await roost.superuser());
      expect(list.map(({ name }: { name: string }) => name)).toContain('acme');
    });

    it('EXT-42 cannot have a name that is taken', async () => {
      await expect(
        MemberRoost.start({}, { imports: [OAuth2Module.register({ ...ACME, name: 'google' })] }),
      ).rejects.toThrow('google');
    });

    it('AUTH-1005 an address Microsoft merely knows begins an account and finds none', async () => {
      const provider = {
        name: 'microsoft',
        clientId: 'c',
        clientSecret: 's',
        tokenURL: `${fake.url}/common/token`,
        userInfoURL: `${fake.url}/info`,
      };
      await configureOAuth2({ providers: [provider] });
      info = { id: 'ms-1', displayName: 'Eve', mail: 'ann@x.io' };
      const ann = await roost.addMember('ann@x.io');
      const refused = await login({ provider: 'microsoft' });
      expect(codesOf(refused)).toEqual({ email: 'validation_not_unique' });
      expect(await linksOf(ann.id)).toHaveLength(0);
      info = { id: 'ms-2', displayName: 'Eve', mail: 'eve@x.io' };
      const { body } = await login({ provider: 'microsoft' });
      expect(body.record).toMatchObject({ email: 'eve@x.io', verified: false });
      expect(body.meta.email).toBe('');
      expect(body.meta).not.toHaveProperty('suggestedEmail');
    });

    it('AUTH-406 AUTH-405 keeps the client secret to itself', async () => {
      const { text } = await roost.get('/api/collections/members', await roost.superuser());
      expect(text).toContain('client-1');
      expect(text).not.toContain('secret-1');
    });
  });

  async function start(options: TestRoostOptions = {}): Promise<MemberRoost> {
    const providers = [
      {
        name: 'oidc',
        clientId: 'client-1',
        clientSecret: 'secret-1',
        authURL: `${fake.url}/auth`,
        tokenURL: `${fake.url}/token`,
        userInfoURL: `${fake.url}/info`,
      },
    ];
    const mappedFields = { name: 'name', username: 'username', avatarURL: 'avatar' };
    return MemberRoost.start({ oauth2: { enabled: true, providers, mappedFields } }, options);
  }

  async function restart(options: TestRoostOptions): Promise<void> {
    roost = await start(options);
  }

  function configureOAuth2(change: object): Promise<void> {
    return roost.configure({ oauth2: change });
  }

  function login(body: object = {}, options: PostOptions = {}): Promise<TestResponse> {
    return roost.post('auth-with-oauth2', { provider: 'oidc', code: 'code-1', ...body }, options);
  }

  async function linksOf(id: string): Promise<RecordModel[]> {
    return roost.rowsOf('_externalAuths', await roost.member(id));
  }

  function temporaryFiles(): string[] {
    const dir = join(roost.roost.dir, '.temp');
    return existsSync(dir) ? readdirSync(dir) : [];
  }

  async function withOptionalEmail(): Promise<void> {
    await changeField('email', { required: false });
  }

  async function withPasswordOptions(options: object): Promise<void> {
    await changeField('password', options);
  }

  async function changeField(name: string, options: object): Promise<void> {
    const { body } = await roost.get('/api/collections/members', await roost.superuser());
    const fields = (body as { fields: { name: string }[] }).fields;
    await roost.configure({ fields: fields.map((field) => (field.name === name ? { ...field, ...options } : field)) });
  }
});

function codesOf({ status, body }: Pick<TestResponse, 'status' | 'body'>): Record<string, string> {
  expect(status).toBe(400);
  const { data } = body as { data: Record<string, { code: string }> };
  return Object.fromEntries(Object.entries(data).map(([key, { code }]) => [key, code]));
}
