import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectionToJson } from '../../src/kernel/collections/collection-json.js';
import { CollectionsApp } from './support/collections-app.js';

type Json = Record<string, unknown>;

describe('the options of an auth collection', () => {
  let app: CollectionsApp;
  let count = 0;
  beforeAll(async () => {
    app = await CollectionsApp.start();
  });
  afterAll(() => app.stop());

  const create = (body: Json = {}) => app.create({ name: `members${++count}`, type: 'auth', ...body });
  const refused = async (body: Json) => (await app.refusal(create(body))).data;
  const provider = (name: string, more: Json = {}) => ({
    name,
    clientId: `${name}-id`,
    clientSecret: `${name}-secret`,
    ...more,
  });
  const secrets = (name: string) =>
    Object.fromEntries(app.collections.get(name).auth!.oauth2.providers.map((each) => [each.name, each.clientSecret]));

  it('COL-4 AUTH-404 have their defaults', async () => {
    const json = collectionToJson(await create());
    expect(json).toMatchObject({
      authRule: '',
      manageRule: null,
      authAlert: { enabled: true },
      passwordAuth: { enabled: true, identityFields: ['email'] },
      oauth2: { enabled: false, mappedFields: { id: '', name: '', username: '', avatarURL: '' }, providers: [] },
      otp: { enabled: false, duration: 180, length: 8 },
      mfa: { enabled: false, duration: 600, rule: '' },
      authToken: { duration: 432000 },
      passwordResetToken: { duration: 1800 },
      emailChangeToken: { duration: 1800 },
      verificationToken: { duration: 86400 },
      fileToken: { duration: 180 },
    });
    expect(app.collections.get('_superusers').auth!.authToken.duration).toBe(86400);
  });

  it('COL-9 AUTH-1305 have mail texts with their subjects, links and placeholders', async () => {
    const { auth } = await create();
    const { verificationTemplate, resetPasswordTemplate, confirmEmailChangeTemplate, otp, authAlert } = auth!;
    const mails = [
      [
        verificationTemplate,
        'Confirm your email address for {APP_NAME}',
        '{APP_URL}/_/#/auth/confirm-verification/{TOKEN}',
      ],
      [resetPasswordTemplate, 'Choose a new {APP_NAME} password', '{APP_URL}/_/#/auth/confirm-password-reset/{TOKEN}'],
      [
        confirmEmailChangeTemplate,
        'Confirm your new email address for {APP_NAME}',
        '{APP_URL}/_/#/auth/confirm-email-change/{TOKEN}',
      ],
      [otp.emailTemplate, 'Your {APP_NAME} sign-in code', '<strong>{OTP}</strong>'],
      [authAlert.emailTemplate, 'New sign-in to your {APP_NAME} account', '{ALERT_INFO}'],
    ] as const;
    for (const [template, subject, part] of mails) {
      expect(template.subject).toBe(subject);
      expect(template.body).toContain(part);
      expect(template.body).toContain('{APP_NAME}');
    }
    expect(app.collections.get('users').auth!.otp.emailTemplate).toEqual(otp.emailTemplate);
    expect(app.collections.get('users').auth!.verificationTemplate).toEqual(verificationTemplate);
  });

  it('COL-5 AUTH-306 AUTH-406 hold secrets of 50 characters that are drawn anew and never shown', async () => {
    const [one, two] = [await create(), await create({ oauth2: { enabled: true, providers: [provider('google')] } })];
    for (const kind of [
      'authToken',
      'passwordResetToken',
      'emailChangeToken',
      'verificationToken',
      'fileToken',
    ] as const) {
      expect(one.auth![kind].secret).toMatch(/^[a-zA-Z0-9]{50}$/);
      expect(one.auth![kind].secret).not.toBe(two.auth![kind].secret);
    }
    const text = JSON.stringify(app.exported());
    expect(text).not.toContain('"secret"');
    expect(text).not.toContain('clientSecret');
    for (const secret of [one.auth!.authToken.secret, 'google-secret']) expect(text).not.toContain(secret);
  });

  it('COL-4 COL-89 merge by key, and keep what is not given', async () => {
    const { id, auth } = await create({ authToken: { secret: 'x'.repeat(30), duration: 100 } });
    expect(auth!.authToken).toEqual({ secret: 'x'.repeat(30), duration: 100 });
    const updated = await app.update(id, {
      authToken: { duration: 50 },
      otp: { enabled: true, emailTemplate: { subject: 'S' } },
    });
    expect(updated.auth!.authToken).toEqual({ secret: 'x'.repeat(30), duration: 50 });
    expect(updated.auth!.otp).toEqual({
      enabled: true,
      duration: 180,
      length: 8,
      emailTemplate: { subject: 'S', body: auth!.otp.emailTemplate.body },
    });
    expect((await app.update(id, { passwordAuth: null, otp: { duration: null } })).auth!.otp.duration).toBe(180);
  });

  it('COL-4 COL-6 are found in another letter case too, as scripts for PocketBase write them', async () => {
    const addresses = { authUrl: 'https://id.example.com/auth', tokenUrl: 'https://id.example.com/token' };
    const sent = { name: 'oidc', clientID: 'me', ClientSecret: 'oidc-secret', ...addresses };
    const { id, auth } = await create({
      fields: [{ name: 'face', type: 'url' }],
      oauth2: { enabled: true, providers: [sent], mappedFields: { avatarUrl: 'face' } },
    });
    const kept = { name: 'oidc', clientId: 'me', authURL: addresses.authUrl, tokenURL: addresses.tokenUrl };
    expect(auth!.oauth2).toMatchObject({ providers: [kept], mappedFields: { avatarURL: 'face' } });
    expect(secrets(id)).toEqual({ oidc: 'oidc-secret' });
  });

  it.each([
    [{ authRule: 'nothing = 1' }, { authRule: { code: 'validation_invalid_rule' } }],
    [{ manageRule: '' }, { manageRule: { code: 'validation_nil_or_not_empty_required' } }],
    [{ manageRule: 'nothing = 1' }, { manageRule: { code: 'validation_invalid_rule' } }],
    [
      { authAlert: { enabled: false, emailTemplate: { subject: '' } } },
      { authAlert: { emailTemplate: { subject: { code: 'validation_required' } } } },
    ],
    [{ passwordAuth: { identityFields: [] } }, { passwordAuth: { identityFields: { code: 'validation_required' } } }],
    [
      { passwordAuth: { identityFields: ['nothing'] } },
      { passwordAuth: { identityFields: { code: 'validation_missing_field' } } },
    ],
    [
      { passwordAuth: { identityFields: ['verified'] } },
      { passwordAuth: { identityFields: { code: 'validation_missing_unique_constraint' } } },
    ],
    [
      { otp: { enabled: true, duration: 9 } },
      { otp: { duration: { code: 'validation_min_greater_equal_than_required', params: { threshold: 10 } } } },
    ],
    [
      { otp: { enabled: true, duration: 86401 } },
      { otp: { duration: { code: 'validation_max_less_equal_than_required', params: { threshold: 86400 } } } },
    ],
    [{ otp: { enabled: true, duration: 0 } }, { otp: { duration: { code: 'validation_required' } } }],
    [
      { otp: { enabled: true, length: 3 } },
      { otp: { length: { code: 'validation_min_greater_equal_than_required' } } },
    ],
    [{ otp: { enabled: true, length: 72 } }, { otp: { length: { code: 'validation_max_less_equal_than_required' } } }],
    [{ otp: { emailTemplate: { body: '' } } }, { otp: { emailTemplate: { body: { code: 'validation_required' } } } }],
    [{ mfa: { enabled: true } }, { mfa: { enabled: { code: 'validation_mfa_not_enough_auths' } } }],
    [
      { mfa: { enabled: true, duration: 9 }, otp: { enabled: true } },
      { mfa: { duration: { code: 'validation_min_greater_equal_than_required', params: { threshold: 10 } } } },
    ],
    [
      { mfa: { enabled: true, duration: 86401 }, otp: { enabled: true } },
      { mfa: { duration: { code: 'validation_max_less_equal_than_required', params: { threshold: 86400 } } } },
    ],
    [
      { mfa: { enabled: true, duration: 0 }, otp: { enabled: true } },
      { mfa: { duration: { code: 'validation_required' } } },
    ],
    [
      { mfa: { enabled: true, rule: 'nothing = 1' }, otp: { enabled: true } },
      { mfa: { rule: { code: 'validation_invalid_rule' } } },
    ],
    [{ authToken: { secret: '' } }, { authToken: { secret: { code: 'validation_required' } } }],
    [{ fileToken: { secret: 'x'.repeat(29) } }, { fileToken: { secret: { code: 'validation_length_out_of_range' } } }],
    [{ fileToken: { secret: 'x'.repeat(256) } }, { fileToken: { secret: { code: 'validation_length_out_of_range' } } }],
    [{ authToken: { duration: 0 } }, { authToken: { duration: { code: 'validation_required' } } }],
    [
      { authToken: { duration: 9 } },
      { authToken: { duration: { code: 'validation_min_greater_equal_than_required' } } },
    ],
    [
      { authToken: { duration: 94670857 } },
      { authToken: { duration: { code: 'validation_max_less_equal_than_required' } } },
    ],
    [
      { resetPasswordTemplate: { subject: '' } },
      { resetPasswordTemplate: { subject: { code: 'validation_required' } } },
    ],
    [
      { oauth2: { enabled: true, providers: [provider('')] } },
      { oauth2: { providers: { '0': { name: { code: 'validation_required' } } } } },
    ],
    [
      { oauth2: { enabled: true, providers: [provider('nobody')] } },
      { oauth2: { providers: { '0': { name: { code: 'validation_missing_provider' } } } } },
    ],
    [
      { oauth2: { enabled: true, providers: [provider('google'), provider('google')] } },
      { oauth2: { providers: { '1': { name: { code: 'validation_duplicated_provider' } } } } },
    ],
    [
      { oauth2: { enabled: true, providers: [{ name: 'google' }] } },
      {
        oauth2: {
          providers: {
            '0': { clientId: { code: 'validation_required' }, clientSecret: { code: 'validation_required' } },
          },
        },
      },
    ],
    [
      { oauth2: { enabled: true, providers: [provider('google', { authURL: 'no url' })] } },
      { oauth2: { providers: { '0': { authURL: { code: 'validation_is_url' } } } } },
    ],
  ])('COL-4 COL-6 AUTH-404 AUTH-405 refuse %j', async (body, errors) => {
    expect(await refused(body)).toMatchObject(errors);
  });

  it.each([
    { otp: { enabled: false, duration: 0, length: 0 } },
    { mfa: { enabled: false, duration: 0, rule: 'nothing = 1' } },
    { passwordAuth: { enabled: false, identityFields: [] } },
    { oauth2: { enabled: false, providers: [{ name: 'nobody' }, { name: 'nobody' }] } },
    { oauth2: { enabled: true, providers: [] } },
    { otp: { enabled: true, duration: 10, length: 4 }, mfa: { enabled: true, duration: 10 } },
    { otp: { enabled: true, duration: 86400, length: 71 }, mfa: { enabled: true, duration: 86400 } },
    { authToken: { secret: 'x'.repeat(30), duration: 10 }, fileToken: { secret: 'x'.repeat(255), duration: 94670856 } },
    { authRule: null },
  ])('COL-4 COL-6 accept %j', async (body) => {
    await create(body);
  });

  it('COL-4 take an identity field with a unique index of its own', async () => {
    const created = await create({
      fields: [{ name: 'nick', type: 'text' }],
      indexes: [`CREATE UNIQUE INDEX nick_${count} ON x (nick COLLATE NOCASE)`],
      passwordAuth: { identityFields: ['email', 'nick'] },
      oauth2: { mappedFields: { username: 'nick' } },
    });
    const nick = created.field('nick')!;
    const renamed = await app.update(created.id, {
      fields: created.fields.map((field) => (field === nick ? { ...nick, name: 'alias' } : field)),
    });
    expect(renamed.auth!.passwordAuth.identityFields).toEqual(['email', 'alias']);
    expect(renamed.auth!.oauth2.mappedFields.username).toBe('alias');
    const { data } = await app.refusal(app.update(created.id, { fields: [] }));
    expect(data.passwordAuth.identityFields.code).toBe('validation_missing_field');
  });

  it('COL-8 forget a mapping to a field that is gone', async () => {
    const { id } = await create({
      fields: [{ name: 'nick', type: 'text' }],
      oauth2: { mappedFields: { name: 'nick', id: 'nothing' } },
    });
    expect(app.collections.get(id).auth!.oauth2.mappedFields).toMatchObject({ name: 'nick', id: '' });
    expect((await app.update(id, { fields: [] })).auth!.oauth2.mappedFields.name).toBe('');
  });

  it('COL-7 AUTH-406 keep the secret of a provider by its name, not by its place', async () => {
    const { id } = await create({ oauth2: { enabled: true, providers: [provider('google'), provider('github')] } });
    const put = (...providers: Json[]) => app.update(id, { oauth2: { providers } });
    const without = (name: string, more: Json = {}) => ({ name, clientId: 'new', ...more });
    await put(without('github'), provider('gitlab'), without('google', { clientSecret: null }));
    expect(secrets(id)).toEqual({ github: 'github-secret', gitlab: 'gitlab-secret', google: 'google-secret' });
    await put(without('google'));
    expect(secrets(id)).toEqual({ google: 'google-secret' });
    await app.collections.import([{ id, oauth2: { providers: [without('google'), provider('github')] } }]);
    expect(secrets(id)).toEqual({ google: 'google-secret', github: 'github-secret' });
    const { data } = await app.refusal(put(without('google', { clientSecret: '' })));
    expect(data.oauth2.providers['0'].clientSecret.code).toBe('validation_required');
  });

  it('COL-10 AUTH-309 another auth rule ends every session', async () => {
    const { id, auth } = await create();
    const secret = () => app.collections.get(id).auth!.authToken.secret;
    await app.update(id, { authRule: null });
    expect(secret()).toBe(auth!.authToken.secret);
    await app.update(id, { authRule: 'verified = true' });
    const changed = secret();
    expect(changed).not.toBe(auth!.authToken.secret);
    await app.update(id, { authRule: 'verified = true', listRule: '' });
    expect(secret()).toBe(changed);
  });

  it('COL-154 AUTH-1201 superusers always have a password and never OAuth2', async () => {
    const saved = await app.update('_superusers', {
      oauth2: { enabled: true, providers: [provider('google')] },
      passwordAuth: { enabled: false },
      otp: { enabled: true },
      fields: [...app.collections.get('_superusers').fields, { name: 'nick', type: 'text' }],
    });
    expect(saved.auth).toMatchObject({
      oauth2: { enabled: false, providers: [] },
      passwordAuth: { enabled: true },
      otp: { enabled: true },
      mfa: { enabled: true },
    });
    expect(saved.field('nick')).toBeDefined();
    for (const rule of [{ authRule: `id = 'x'` }, { manageRule: `id = 'x'` }, { mfa: { rule: `id = 'x'` } }]) {
      const { data } = await app.refusal(app.update('_superusers', rule));
      expect(JSON.stringify(data)).toContain('validation_collection_system_rule_change');
    }
  });
});
