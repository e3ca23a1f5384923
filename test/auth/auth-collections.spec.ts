import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import type { AuthOptions } from '../../src/kernel/collections/auth-options.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const OWNER = "@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId";
const TOKENS = ['authToken', 'passwordResetToken', 'emailChangeToken', 'verificationToken', 'fileToken'] as const;

interface FieldJson {
  readonly name: string;
  readonly type: string;
  readonly [option: string]: unknown;
}

describe('auth collections', () => {
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.inject({ method: 'DELETE', url: '/api/collections/crew', token });
  });

  describe('of a new installation', () => {
    it('COL-150 AUTH-1401 are five system collections with their fields, rules and indexes', async () => {
      const expected: Record<
        string,
        [id: string, fields: string[], unique: number, rules: Record<string, string | null>]
      > = {
        _superusers: ['pbc_3142635823', [], 2, { listRule: null, viewRule: null, deleteRule: null }],
        _externalAuths: [
          'pbc_2281828961',
          ['collectionRef', 'recordRef', 'provider', 'providerId'],
          2,
          { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER },
        ],
        _mfas: [
          'pbc_2279338944',
          ['collectionRef', 'recordRef', 'method'],
          0,
          { listRule: OWNER, viewRule: OWNER, deleteRule: null },
        ],
        _otps: [
          'pbc_1638494021',
          ['collectionRef', 'recordRef', 'password', 'sentTo'],
          0,
          { listRule: OWNER, viewRule: OWNER, deleteRule: null },
        ],
        _authOrigins: [
          'pbc_4275539003',
          ['collectionRef', 'recordRef', 'fingerprint'],
          1,
          { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER },
        ],
      };
      for (const [name, [id, fields, unique, rules]] of Object.entries(expected)) {
        const { body } = await get(name);
        expect(body).toMatchObject({ id, name, system: true, createRule: null, updateRule: null, ...rules });
        const all = body.fields as FieldJson[];
        expect(all.map((field) => field.name)).toEqual(expect.arrayContaining(['id', 'created', 'updated', ...fields]));
        for (const field of all) expect([name, field.name, field['system']]).toEqual([name, field.name, true]);
        expect((body.indexes as string[]).filter((index) => index.includes('UNIQUE'))).toHaveLength(unique);
      }
      const otps = (await get('_otps')).body.fields as FieldJson[];
      expect(otps.find(({ name }) => name === 'password')).toMatchObject({ type: 'password', hidden: true, cost: 8 });
      expect(otps.find(({ name }) => name === 'sentTo')).toMatchObject({ hidden: true, required: false });
    });

    it('COL-151 AUTH-408 has users, who see and change themselves', async () => {
      const { body } = await get('users');
      const own = 'id = @request.auth.id';
      expect(body).toMatchObject({ id: '_pb_users_auth_', type: 'auth', system: false, createRule: '' });
      expect(body).toMatchObject({ listRule: own, viewRule: own, updateRule: own, deleteRule: own });
      expect(body.oauth2.mappedFields).toEqual({ id: '', name: 'name', username: '', avatarURL: 'avatar' });
      const fields = body.fields as FieldJson[];
      expect(fields.find(({ name }) => name === 'name')).toMatchObject({ type: 'text', max: 255 });
      expect(fields.find(({ name }) => name === 'avatar')).toMatchObject({ type: 'file', maxSelect: 1 });
    });

    it('AUTH-306 AUTH-1502 has secrets that are all different, and a key for every account', async () => {
      const catalog = roost.app.get(CollectionStore, { strict: false }).catalog;
      const secrets = catalog.all().flatMap(({ auth }) => (auth ? TOKENS.map((name) => auth[name].secret) : []));
      expect(secrets.length).toBeGreaterThanOrEqual(10);
      expect(new Set(secrets).size).toBe(secrets.length);
      for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9]{50}$/);
      const { body } = await get('users');
      const key = (body.fields as FieldJson[]).find(({ name }) => name === 'tokenKey');
      expect(key).toMatchObject({ hidden: true, system: true, required: true, min: 30, max: 60 });
    });
  });

  it('AUTH-401 COL-4 AUTH-404 have their fields and options without being asked', async () => {
    const { status, body } = await create({ name: 'crew', type: 'auth' });
    expect(status).toBe(200);
    const fields = new Map((body.fields as FieldJson[]).map((field) => [field.name, field]));
    expect(fields.get('password')).toMatchObject({
      type: 'password',
      hidden: true,
      required: true,
      min: 8,
      max: 0,
      cost: 0,
    });
    expect(fields.get('email')).toMatchObject({ type: 'email', hidden: false, required: true });
    expect(fields.get('emailVisibility')).toMatchObject({ type: 'bool' });
    expect(fields.get('verified')).toMatchObject({ type: 'bool' });
    for (const name of ['id', 'password', 'tokenKey', 'email', 'emailVisibility', 'verified']) {
      expect(fields.get(name)!['system']).toBe(true);
    }
    expect(body).toMatchObject({
      authRule: '',
      manageRule: null,
      authAlert: { enabled: true },
      passwordAuth: { enabled: true, identityFields: ['email'] },
      oauth2: { enabled: false, mappedFields: { id: '', name: '', username: '', avatarURL: '' }, providers: [] },
      otp: { enabled: false, duration: 180, length: 8 },
      mfa: { enabled: false, duration: 600, rule: '' },
      authToken: { duration: 432_000 },
      passwordResetToken: { duration: 1800 },
      emailChangeToken: { duration: 1800 },
      verificationToken: { duration: 86_400 },
      fileToken: { duration: 180 },
    });
    expect((await get('_superusers')).body.authToken).toEqual({ duration: 86_400 });
  });

  it('AUTH-401 keep their system fields', async () => {
    const { body } = await create({ name: 'crew', type: 'auth' });
    const fields = (body.fields as FieldJson[]).filter(({ name }) => name !== 'verified');
    const kept = await patch('crew', { fields: fields.map((field) => ({ ...field, system: false })) });
    const after = (kept.body.fields ?? fields) as FieldJson[];
    expect(
      after.filter(({ name }) => ['password', 'email'].includes(name)).every((field) => field['system'] === true),
    ).toBe(true);
    const stored = (await get('crew')).body.fields as FieldJson[];
    expect(stored.map(({ name }) => name)).toContain('verified');
  });

  it('AUTH-402 cannot have fields that mean something in bodies', async () => {
    for (const name of ['passwordConfirm', 'oldPassword']) {
      const { status, body } = await create({ name: 'crew', type: 'auth', fields: [{ name, type: 'text' }] });
      expect(status).toBe(400);
      expect(JSON.stringify(body.data.fields)).toContain('validation_reserved_field_name');
    }
  });

  it.each<[string, object, object]>([
    ['authRule', { authRule: 'nothing = 1' }, { authRule: 'validation_invalid_rule' }],
    ['manageRule', { manageRule: '' }, { manageRule: 'validation_nil_or_not_empty_required' }],
    [
      'identityFields',
      { passwordAuth: { identityFields: [] } },
      { 'passwordAuth.identityFields': 'validation_required' },
    ],
    [
      'identityFields',
      { passwordAuth: { identityFields: ['nothing'] } },
      { 'passwordAuth.identityFields': 'validation_missing_field' },
    ],
    [
      'identityFields',
      { passwordAuth: { identityFields: ['verified'] } },
      { 'passwordAuth.identityFields': 'validation_missing_unique_constraint' },
    ],
    [
      'otp',
      { otp: { enabled: true, duration: 9, length: 3 } },
      {
        'otp.duration': 'validation_min_greater_equal_than_required',
        'otp.length': 'validation_min_greater_equal_than_required',
      },
    ],
    [
      'otp',
      { otp: { enabled: true, duration: 86401, length: 72 } },
      {
        'otp.duration': 'validation_max_less_equal_than_required',
        'otp.length': 'validation_max_less_equal_than_required',
      },
    ],
    ['mfa', { mfa: { enabled: true } }, { 'mfa.enabled': 'validation_mfa_not_enough_auths' }],
    [
      'mfa',
      { otp: { enabled: true }, mfa: { enabled: true, rule: 'nothing = 1' } },
      { 'mfa.rule': 'validation_invalid_rule' },
    ],
    ['authToken', { authToken: { secret: 'x'.repeat(29) } }, { 'authToken.secret': 'validation_length_out_of_range' }],
    [
      'fileToken',
      { fileToken: { duration: 9 } },
      { 'fileToken.duration': 'validation_min_greater_equal_than_required' },
    ],
    [
      'template',
      { verificationTemplate: { subject: '', body: '' } },
      { 'verificationTemplate.subject': 'validation_required', 'verificationTemplate.body': 'validation_required' },
    ],
    [
      'alert',
      { authAlert: { emailTemplate: { body: '' } } },
      { 'authAlert.emailTemplate.body': 'validation_required' },
    ],
  ])('AUTH-404 COL-4 refuse a wrong %s: %j', async (_, options, expected) => {
    await create({ name: 'crew', type: 'auth' });
    const { status, body } = await patch('crew', options);
    expect(status).toBe(400);
    expect(flatCodes(body.data)).toEqual(expected);
  });

  it('AUTH-404 COL-4 do not check what is switched off', async () => {
    await create({ name: 'crew', type: 'auth' });
    const off = {
      otp: { enabled: false, duration: 1 },
      mfa: { enabled: false, duration: 1, rule: 'nothing = 1' },
      oauth2: { enabled: false, providers: [{ name: 'nobody' }] },
      passwordAuth: { enabled: false, identityFields: [] },
    };
    expect((await patch('crew', off)).status).toBe(200);
  });

  it('AUTH-405 COL-6 refuse providers that are unknown, twice there or incomplete', async () => {
    await create({ name: 'crew', type: 'auth' });
    const google = { name: 'google', clientId: 'c', clientSecret: 's' };
    const providers = [google, { ...google, authURL: 'no url' }, { name: 'nobody' }, { ...google, name: '' }];
    const { status, body } = await patch('crew', { oauth2: { enabled: true, providers } });
    expect(status).toBe(400);
    expect(flatCodes(body.data)).toMatchObject({
      'oauth2.providers.1.name': 'validation_duplicated_provider',
      'oauth2.providers.1.authURL': 'validation_is_url',
      'oauth2.providers.2.name': 'validation_missing_provider',
      'oauth2.providers.2.clientId': 'validation_required',
      'oauth2.providers.2.clientSecret': 'validation_required',
      'oauth2.providers.3.name': 'validation_required',
    });
  });

  it('AUTH-406 COL-5 COL-7 keep secrets to themselves and by name, whatever moves', async () => {
    await create({ name: 'crew', type: 'auth' });
    const provider = (name: string, more = {}) => ({ name, clientId: `${name}-id`, ...more });
    const providers = [
      provider('google', { clientSecret: 'g-secret' }),
      provider('github', { clientSecret: 'h-secret' }),
    ];
    const saved = await patch('crew', { oauth2: { enabled: true, providers } });
    for (const { text } of [
      saved,
      await get('crew'),
      await roost.inject({ url: '/api/collections/meta/scaffolds', token }),
    ]) {
      expect(text).not.toMatch(/"secret"|clientSecret|g-secret/);
    }
    const moved = [
      provider('gitlab', { clientSecret: 'l-secret' }),
      provider('github'),
      provider('google', { clientSecret: null }),
    ];
    expect((await patch('crew', { oauth2: { providers: moved } })).status).toBe(200);
    const stored = () => storedOptions('crew').oauth2.providers.map(({ name, clientSecret }) => [name, clientSecret]);
    expect(stored()).toEqual([
      ['gitlab', 'l-secret'],
      ['github', 'h-secret'],
      ['google', 'g-secret'],
    ]);
    const emptied = await patch('crew', { oauth2: { providers: [provider('google', { clientSecret: '' })] } });
    expect(flatCodes(emptied.body.data)).toEqual({ 'oauth2.providers.0.clientSecret': 'validation_required' });
    const before = storedOptions('crew').authToken.secret;
    await patch('crew', { authToken: { duration: 1000 } });
    expect(storedOptions('crew').authToken).toEqual({ secret: before, duration: 1000 });
  });

  it('COL-8 forget mappings to fields that are gone', async () => {
    const { body } = await create({ name: 'crew', type: 'auth', fields: [{ name: 'nick', type: 'text' }] });
    await patch('crew', { oauth2: { mappedFields: { username: 'nick', name: 'nothing' } } });
    expect((await get('crew')).body.oauth2.mappedFields).toMatchObject({ username: 'nick', name: '' });
    await patch('crew', { fields: (body.fields as FieldJson[]).filter(({ name }) => name !== 'nick') });
    expect((await get('crew')).body.oauth2.mappedFields).toMatchObject({ username: '' });
  });

  it('COL-10 AUTH-309 have a new secret with another auth rule, null and empty being alike', async () => {
    await create({ name: 'crew', type: 'auth' });
    const secret = () => storedOptions('crew').authToken.secret;
    const first = secret();
    await patch('crew', { authRule: null });
    expect(secret()).toBe(first);
    await patch('crew', { authRule: 'verified = true' });
    expect(secret()).not.toBe(first);
    const second = secret();
    await patch('crew', { authRule: 'verified = true', name: 'crew' });
    expect(secret()).toBe(second);
  });

  it('COL-154 AUTH-1201 superusers always sign in with a password, never with OAuth2, and one-time passwords are the second factor', async () => {
    const providers = [{ name: 'google', clientId: 'c', clientSecret: 's' }];
    const change = { oauth2: { enabled: true, providers }, passwordAuth: { enabled: false }, otp: { enabled: true } };
    const { status, body } = await patch('_superusers', change);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      oauth2: { enabled: false, providers: [] },
      passwordAuth: { enabled: true },
      otp: { enabled: true },
      mfa: { enabled: true },
    });
    await patch('_superusers', { otp: { enabled: false }, mfa: { enabled: false } });
    const mfa = { rule: 'id != ""' };
    for (const options of [{ mfa }, { mfa, otp: { enabled: true } }]) {
      expect(flatCodes((await patch('_superusers', options)).body.data)).toEqual({
        'mfa.rule': 'validation_collection_system_rule_change',
      });
    }
    for (const rule of [{ listRule: '' }, { manageRule: 'id != ""' }, { authRule: 'id != ""' }]) {
      const refused = await patch('_superusers', rule);
      expect(flatCodes(refused.body.data)).toEqual({
        [Object.keys(rule)[0]!]: 'validation_collection_system_rule_change',
      });
    }
    expect(flatCodes((await patch('_superusers', { name: 'admins' })).body.data)).toEqual({
      name: 'validation_collection_system_name_change',
    });
    expect((await roost.inject({ method: 'DELETE', url: '/api/collections/_superusers', token })).status).toBe(400);
  });

  it('COL-9 AUTH-1305 have mail texts whose links lead to the pages of the dashboard', async () => {
    const { body } = await create({ name: 'crew', type: 'auth' });
    const page = (name: string) => `{APP_URL}/_/#/auth/${name}/{TOKEN}`;
    expect(body.verificationTemplate.body).toContain(page('confirm-verification'));
    expect(body.resetPasswordTemplate.body).toContain(page('confirm-password-reset'));
    expect(body.confirmEmailChangeTemplate.body).toContain(page('confirm-email-change'));
    expect(body.otp.emailTemplate.body).toContain('{OTP}');
    expect(body.authAlert.emailTemplate.body).toContain('{ALERT_INFO}');
    expect(body.verificationTemplate.subject).toBe('Confirm your email address for {APP_NAME}');
  });

  function get(name: string): Promise<TestResponse> {
    return roost.inject({ url: `/api/collections/${name}`, token });
  }

  function create(body: object): Promise<TestResponse> {
    return roost.inject({ url: '/api/collections', body, token });
  }

  function patch(name: string, body: object): Promise<TestResponse> {
    return roost.inject({ method: 'PATCH', url: `/api/collections/${name}`, body, token });
  }

  function storedOptions(name: string): AuthOptions {
    return roost.app.get(CollectionStore, { strict: false }).catalog.find(name)!.auth!;
  }
});

/** The codes of a tree of field errors by path. */
function flatCodes(tree: Readonly<Record<string, unknown>>, path = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(tree).map(([key, value]) => {
      const { code } = value as { code?: unknown };
      return typeof code === 'string'
        ? { [path + key]: code }
        : flatCodes(value as Record<string, unknown>, `${path}${key}.`);
    }),
  ) as Record<string, string>;
}
