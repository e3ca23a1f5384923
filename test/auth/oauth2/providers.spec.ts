import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import type { OAuth2User } from '../../../src/auth/oauth2/oauth2-user.js';
import { SHIPPED_PROVIDERS } from '../../../src/auth/oauth2/shipped-providers.js';
import type { OAuth2ProviderConfig } from '../../../src/kernel/collections/auth-options.js';
import { type FakeAnswer, type FakeProvider, startFakeProvider } from '../support/fake-provider.js';
import { clientOf, GRANT, oauth2Users } from '../support/oauth2-clients.js';

interface Known {
  id: string;
  name?: string;
  username?: string;
  email?: string;
  avatarURL?: string;
}

/** What providers answer, after their public documentation, and who that is. */
const ANSWERS: readonly (readonly [name: string, info: object, user: Known])[] = [
  [
    'google',
    { sub: '108', name: 'Ann', picture: 'https://g/a.png', email: 'ann@x.io', email_verified: true },
    { id: '108', name: 'Ann', avatarURL: 'https://g/a.png', email: 'ann@x.io' },
  ],
  ['google', { sub: '108', email: 'ann@x.io', email_verified: false }, { id: '108' }],
  [
    'facebook',
    { id: '17', name: 'Ann', email: 'ann@x.io', picture: { data: { url: 'https://f/a.jpg' } } },
    { id: '17', name: 'Ann', email: 'ann@x.io', avatarURL: 'https://f/a.jpg' },
  ],
  [
    'gitlab',
    {
      id: 5,
      name: 'Ann',
      username: 'ann',
      avatar_url: 'https://l/a',
      email: 'ann@x.io',
      confirmed_at: '2024-01-01T10:00:00.000Z',
    },
    { id: '5', name: 'Ann', username: 'ann', avatarURL: 'https://l/a', email: 'ann@x.io' },
  ],
  ['gitlab', { id: 5, email: 'ann@x.io', confirmed_at: null }, { id: '5' }],
  ['gitlab', { id: 5, email: 'ann@x.io', confirmed_at: 'never' }, { id: '5' }],
  [
    'discord',
    {
      id: '80',
      username: 'ann',
      global_name: 'Ann',
      discriminator: '0',
      avatar: 'ff',
      email: 'ann@x.io',
      verified: true,
    },
    {
      id: '80',
      name: 'Ann',
      username: 'ann',
      avatarURL: 'https://cdn.discordapp.com/avatars/80/ff.png',
      email: 'ann@x.io',
    },
  ],
  [
    'discord',
    { id: '80', username: 'ann', discriminator: '1234', avatar: null, email: 'ann@x.io', verified: false },
    { id: '80', name: 'ann#1234', username: 'ann' },
  ],
  ['discord', { id: '80', username: 'ann', discriminator: '0' }, { id: '80', name: 'ann', username: 'ann' }],
  [
    'yandex',
    {
      id: '1',
      real_name: 'Ann',
      login: 'ann',
      default_email: 'ann@x.io',
      is_avatar_empty: false,
      default_avatar_id: '9/9',
    },
    {
      id: '1',
      name: 'Ann',
      username: 'ann',
      email: 'ann@x.io',
      avatarURL: 'https://avatars.yandex.net/get-yapic/9/9/islands-200',
    },
  ],
  ['yandex', { id: '1', is_avatar_empty: true, default_avatar_id: '0' }, { id: '1' }],
  [
    'instagram2',
    { id: 'app-scoped', user_id: '17841', name: 'Ann', username: 'ann', profile_picture_url: 'https://i/a' },
    { id: '17841', name: 'Ann', username: 'ann', avatarURL: 'https://i/a' },
  ],
  [
    'gitee',
    { id: 3, name: 'Ann', login: 'ann', avatar_url: 'https://e/a', email: 'ann@x.io' },
    { id: '3', name: 'Ann', username: 'ann', avatarURL: 'https://e/a', email: 'ann@x.io' },
  ],
  ['gitee', { id: 3, email: '未公开邮箱' }, { id: '3' }],
  [
    'twitter',
    { data: { id: '12', name: 'Ann', username: 'ann', profile_image_url: 'https://t/a', confirmed_email: 'ann@x.io' } },
    { id: '12', name: 'Ann', username: 'ann', avatarURL: 'https://t/a', email: 'ann@x.io' },
  ],
  [
    'kakao',
    {
      id: 4,
      properties: { nickname: 'ann', profile_image: 'https://k/a' },
      kakao_account: { is_email_valid: true, is_email_verified: true, email: 'ann@x.io' },
    },
    { id: '4', username: 'ann', avatarURL: 'https://k/a', email: 'ann@x.io' },
  ],
  [
    'kakao',
    { id: 4, kakao_account: { is_email_valid: true, is_email_verified: false, email: 'ann@x.io' } },
    { id: '4' },
  ],
  [
    'kakao',
    { id: 4, kakao_account: { is_email_valid: false, is_email_verified: true, email: 'ann@x.io' } },
    { id: '4' },
  ],
  [
    'vk',
    { response: [{ id: 6, first_name: 'Ann', last_name: 'Bo', screen_name: 'ann', photo_max: 'https://v/a' }] },
    { id: '6', name: 'Ann Bo', username: 'ann', avatarURL: 'https://v/a', email: 'from-token@x.io' },
  ],
  [
    'linear',
    {
      data: {
        viewer: {
          id: 'u-1',
          name: 'Ann',
          displayName: 'ann',
          email: 'ann@x.io',
          avatarUrl: 'https://n/a',
          active: true,
        },
      },
    },
    { id: 'u-1', name: 'Ann', username: 'ann', avatarURL: 'https://n/a', email: 'ann@x.io' },
  ],
  [
    'notion',
    { bot: { owner: { user: { id: 'n-1', name: 'Ann', avatar_url: 'https://o/a', person: { email: 'ann@x.io' } } } } },
    { id: 'n-1', name: 'Ann', avatarURL: 'https://o/a', email: 'ann@x.io' },
  ],
  [
    'monday',
    {
      data: {
        me: { id: '9', enabled: true, name: 'Ann', email: 'ann@x.io', is_verified: true, photo_small: 'https://m/a' },
      },
    },
    { id: '9', name: 'Ann', avatarURL: 'https://m/a', email: 'ann@x.io' },
  ],
  ['monday', { data: { me: { id: '9', enabled: true, email: 'ann@x.io', is_verified: false } } }, { id: '9' }],
  [
    'lark',
    { code: 0, data: { union_id: 'on_1', name: 'Ann', avatar_url: 'https://r/a', email: 'ann@x.io' } },
    { id: 'on_1', name: 'Ann', avatarURL: 'https://r/a' },
  ],
  [
    'box',
    { id: '11', name: 'Ann', login: 'ann@x.io', avatar_url: 'https://b/a', status: 'active' },
    { id: '11', name: 'Ann', avatarURL: 'https://b/a', email: 'ann@x.io' },
  ],
  [
    'spotify',
    { id: 'ann', display_name: 'Ann', email: 'ann@x.io', images: [{ url: 'https://s/a' }, { url: 'https://s/b' }] },
    { id: 'ann', name: 'Ann', avatarURL: 'https://s/a' },
  ],
  ['spotify', { id: 'ann', images: [] }, { id: 'ann' }],
  [
    'trakt',
    { user: { username: 'ann', name: 'Ann', ids: { uuid: 'b6-1' }, images: { avatar: { full: 'https://k/a' } } } },
    { id: 'b6-1', name: 'Ann', username: 'ann', avatarURL: 'https://k/a' },
  ],
  [
    'twitch',
    { data: [{ id: '44', display_name: 'Ann', login: 'ann', email: 'ann@x.io', profile_image_url: 'https://w/a' }] },
    { id: '44', name: 'Ann', username: 'ann', avatarURL: 'https://w/a', email: 'ann@x.io' },
  ],
  [
    'patreon',
    {
      data: {
        id: '55',
        attributes: {
          full_name: 'Ann',
          vanity: 'ann',
          image_url: 'https://p/a',
          email: 'ann@x.io',
          is_email_verified: true,
        },
      },
    },
    { id: '55', name: 'Ann', username: 'ann', avatarURL: 'https://p/a', email: 'ann@x.io' },
  ],
  ['patreon', { data: { id: '55', attributes: { email: 'ann@x.io', is_email_verified: false } } }, { id: '55' }],
  [
    'strava',
    { id: 66, firstname: 'Ann', lastname: 'Bo', username: 'ann', profile: 'https://a/a' },
    { id: '66', name: 'Ann Bo', username: 'ann', avatarURL: 'https://a/a' },
  ],
  [
    'wakatime',
    {
      data: {
        id: 'w-1',
        display_name: 'Ann',
        username: 'ann',
        email: 'ann@x.io',
        is_email_confirmed: true,
        photo: 'https://w/a',
        photo_public: true,
      },
    },
    { id: 'w-1', name: 'Ann', username: 'ann', avatarURL: 'https://w/a', email: 'ann@x.io' },
  ],
  [
    'wakatime',
    { data: { id: 'w-1', email: 'ann@x.io', is_email_confirmed: false, photo: 'https://w/a', photo_public: false } },
    { id: 'w-1' },
  ],
  [
    'livechat',
    { account_id: 'c-1', name: 'Ann', avatar_url: 'https://c/a', email: 'ann@x.io', email_verified: true },
    { id: 'c-1', name: 'Ann', avatarURL: 'https://c/a', email: 'ann@x.io' },
  ],
  ['livechat', { account_id: 'c-1', email: 'ann@x.io', email_verified: false }, { id: 'c-1' }],
  [
    'mailcow',
    { id: 'm-1', full_name: 'Ann', username: 'ann@mail.x.io', email: 'ann@x.io', active: 1 },
    { id: 'm-1', name: 'Ann', username: 'ann', email: 'ann@x.io' },
  ],
  [
    'planningcenter',
    { data: { id: '77', attributes: { name: 'Ann', avatar: 'https://h/a', status: 'active', email: 'ann@x.io' } } },
    { id: '77', name: 'Ann', avatarURL: 'https://h/a' },
  ],
];

/** Accounts their providers have shut, or answers that name nobody. */
const REFUSED: readonly (readonly [name: string, info: object])[] = [
  ['linear', { data: { viewer: { id: 'u-1', active: false } } }],
  ['monday', { data: { me: { id: '9', enabled: false } } }],
  ['box', { id: '11', status: 'inactive' }],
  ['mailcow', { id: 'm-1', active: 0 }],
  ['planningcenter', { data: { id: '77', attributes: { status: 'inactive' } } }],
  ['gitea', { id: 8, active: false }],
  ['bitbucket', { uuid: '{b}', account_status: 'closed' }],
  ['google', { name: 'Ann' }],
  ['facebook', { id: '' }],
  ['gitlab', { id: null }],
  ['twitch', { data: [] }],
];

describe('the shipped OAuth2 providers', () => {
  let fake: FakeProvider;
  afterEach(() => fake?.close());

  it.each(ANSWERS)('AUTH-1002 AUTH-1006 AUTH-1008 %s: reads %j', async (name, info, user) => {
    expect(await known(name, info)).toEqual({ name: '', username: '', email: '', avatarURL: '', ...user });
  });

  it.each(REFUSED)('AUTH-903 AUTH-1006 %s refuses %j', async (name, info) => {
    await expect(known(name, info)).rejects.toThrow();
  });

  it('AUTH-903 an id that JSON has rounded is none, because two people could share it', async () => {
    fake = await startFakeProvider({
      '/token': { body: { access_token: 't' } },
      '/info': { body: '{"id":9007199254740993,"name":"Ann"}' },
    });
    await expect(fetchUser('gitlab')).rejects.toThrow('named no user');
  });

  it.each([
    [
      'github',
      { id: 1, login: 'ann', name: 'Ann', avatar_url: 'https://h/a', email: 'public@x.io' },
      ['primary', 'verified'],
      false,
    ],
    [
      'gitea',
      { id: 1, login: 'ann', full_name: 'Ann', avatar_url: 'https://h/a', active: true },
      ['primary', 'verified'],
      false,
    ],
    [
      'bitbucket',
      {
        uuid: '1',
        username: 'ann',
        display_name: 'Ann',
        links: { avatar: { href: 'https://h/a' } },
        account_status: 'active',
      },
      ['is_primary', 'is_confirmed'],
      true,
    ],
  ] as const)(
    'AUTH-1002 AUTH-1006 %s takes the primary, proven address of the list',
    async (name, info, [first, second], nested) => {
      const emails = (list: object[]) => ({ body: nested ? { values: list } : list });
      const entry = (email: string, primary: boolean, proven: boolean) => ({
        email,
        [first]: primary,
        [second]: proven,
      });
      for (const [answer, email] of [
        [emails([entry('a@x.io', false, true), entry('b@x.io', true, true)]), 'b@x.io'],
        [emails([entry('a@x.io', false, true), entry('b@x.io', true, false)]), ''],
        [emails([]), ''],
        [{ status: 401, body: {} }, ''],
        [{ status: 403, body: {} }, ''],
        [{ status: 404, body: 'not json' }, ''],
      ] as [FakeAnswer, string][]) {
        fake = await startFakeProvider({
          '/token': { body: { access_token: 't' } },
          '/info': { body: info },
          '/info/emails': answer,
        });
        expect(await fetchUser(name)).toMatchObject({
          id: '1',
          name: 'Ann',
          username: 'ann',
          avatarURL: 'https://h/a',
          email,
        });
        await fake.close();
      }
      fake = await startFakeProvider({
        '/token': { body: { access_token: 't' } },
        '/info': { body: info },
        '/info/emails': { status: 500, body: {} },
      });
      await expect(fetchUser(name)).rejects.toThrow('500');
    },
  );

  it.each([
    ['twitch', 'client-id', 'client-1', { data: [{ id: '1' }] }],
    ['trakt', 'trakt-api-key', 'client-1', { user: { ids: { uuid: '1' } } }],
    ['trakt', 'trakt-api-version', '2', { user: { ids: { uuid: '1' } } }],
    ['notion', 'notion-version', '2022-06-28', { bot: { owner: { user: { id: '1' } } } }],
    ['google', 'authorization', 'Bearer access-1', { sub: '1' }],
  ])('AUTH-1006 asks %s with the header %s', async (name, header, value, info) => {
    await known(name, info);
    expect(fake.received.at(-1)).toMatchObject({ method: 'GET', path: '/info' });
    expect(fake.received.at(-1)!.headers[header]).toBe(value);
  });

  it.each([
    ['linear', 'viewer'],
    ['monday', 'me'],
  ])('AUTH-1006 asks %s with a GraphQL query', async (name, root) => {
    await known(name, { data: { [root]: { id: '1', active: true, enabled: true } } });
    expect(fake.received.at(-1)).toMatchObject({ method: 'POST', path: '/info' });
    expect((JSON.parse(fake.received.at(-1)!.body) as { query: string }).query).toContain(`{ ${root} {`);
  });

  it('AUTH-902 AUTH-1506 fails on a user info answer of 400 or more, of more than 1 MiB, or that is no object', async () => {
    const tooLong = { id: '1', filler: 'x'.repeat(1024 * 1024) };
    for (const answer of [{ status: 400, body: { id: '1' } }, { body: tooLong }, { body: '"id"' }, { body: '[]' }]) {
      fake = await startFakeProvider({ '/token': { body: { access_token: 't' } }, '/info': answer });
      await expect(fetchUser('facebook')).rejects.toThrow();
      await fake.close();
    }
  });

  it('AUTH-1002 AUTH-1006 are all there, each with its own name and order, and addresses of its own', () => {
    expect(SHIPPED_PROVIDERS.map(({ name }) => name).sort()).toEqual(
      (
        'apple bitbucket box discord facebook gitea gitee github gitlab google instagram2 kakao lark linear livechat ' +
        'mailcow microsoft monday notion oidc oidc2 oidc3 patreon planningcenter spotify strava trakt twitch twitter ' +
        'vk wakatime yandex'
      ).split(' '),
    );
    const orders = SHIPPED_PROVIDERS.filter(({ order }) => order !== 99).map(({ order }) => order);
    expect(orders.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 29 }, (_, index) => index + 1));
    for (const { name, authURL, tokenURL, logo, pkce } of SHIPPED_PROVIDERS) {
      const isConfigured = name.startsWith('oidc') || name === 'mailcow';
      expect([authURL, tokenURL].every((url) => (isConfigured ? url === '' : url.startsWith('https://')))).toBe(true);
      expect(logo).toMatch(/^$|^<svg .*<\/svg>$/);
      expect(pkce).toBe(!['bitbucket', 'vk', 'linear'].includes(name));
    }
  });

  async function known(name: string, info: object): Promise<Known> {
    fake = await startFakeProvider({
      '/token': { body: { access_token: 'access-1', email: 'from-token@x.io' } },
      '/info': { body: info },
    });
    const user = await fetchUser(name);
    expect(user.rawUser).toEqual(info);
    const { id, name: fullName, username, email, avatarURL } = user;
    return { id, name: fullName, username, email, avatarURL };
  }

  function fetchUser(name: string): Promise<OAuth2User> {
    const urls = { tokenURL: `${fake.url}/token`, userInfoURL: `${fake.url}/info`, authURL: `${fake.url}/auth` };
    return oauth2Users().fetch(clientOf(name, urls), GRANT);
  }
});

describe('Microsoft', () => {
  let fake: FakeProvider;
  afterEach(() => fake.close());
  const INFO = { id: 'ms-1', displayName: 'Ann', mail: 'mail@x.io' };

  it('AUTH-1005 an address in the directory proves nothing where every tenant may sign in', async () => {
    for (const tenant of ['common', 'organizations', 'consumers']) {
      const user = await fetchUser({}, `/${tenant}/oauth2/v2.0/token`);
      expect(user).toMatchObject({ id: 'ms-1', name: 'Ann', email: '', suggestedEmail: 'mail@x.io' });
      await fake.close();
    }
    const own = await fetchUser({}, '/0b1c2d3e/oauth2/v2.0/token');
    expect(own).toMatchObject({ email: 'mail@x.io', suggestedEmail: '' });
  });

  it.each([
    ['email', { email: 'a@x.io' }, 'a@x.io'],
    ['email_and_xms_edov', { email: 'a@x.io', xms_edov: true }, 'a@x.io'],
    ['email_and_xms_edov', { email: 'a@x.io', xms_edov: false }, ''],
    ['email_and_xms_edov', { email: 'a@x.io' }, ''],
    ['verified_primary_email', { email: 'a@x.io', verified_primary_email: 'b@x.io' }, 'b@x.io'],
    ['verified_primary_email', { email: 'a@x.io', verified_primary_email: ['b@x.io'] }, 'b@x.io'],
    ['verified_primary_email', { email: 'a@x.io', xms_edov: true }, ''],
    ['any_verified', { email: 'a@x.io', xms_edov: true, verified_primary_email: 'b@x.io' }, 'b@x.io'],
    ['any_verified', { email: 'a@x.io', xms_edov: true }, 'a@x.io'],
    ['any_verified', { email: 'a@x.io' }, ''],
    ['something else', { email: 'a@x.io' }, ''],
  ])('AUTH-1005 with the claim %s the token %j gives "%s"', async (idTokenEmailClaim, claims, email) => {
    const user = await fetchUser({ extra: { idTokenEmailClaim } }, '/token', claims);
    expect(user).toMatchObject({ id: 'ms-1', email, suggestedEmail: '' });
  });

  it('AUTH-1005 an id token that is missing or out of date means no address', async () => {
    const extra = { idTokenEmailClaim: 'email' };
    expect(await fetchUser({ extra }, '/token')).toMatchObject({ id: 'ms-1', email: '' });
    await fake.close();
    const expired = { email: 'a@x.io', exp: Math.floor(Date.now() / 1000) - 301 };
    expect(await fetchUser({ extra }, '/token', expired)).toMatchObject({ id: 'ms-1', email: '' });
  });

  it('AUTH-1005 asks for the scope openid when the address comes from the id token', async () => {
    fake = await startFakeProvider({});
    expect(scopes(clientOf('microsoft'))).toBe('User.Read');
    expect(scopes(clientOf('microsoft', { extra: { idTokenEmailClaim: 'email' } }))).toBe('User.Read openid');
  });

  async function fetchUser(config: Partial<OAuth2ProviderConfig>, path: string, claims?: object): Promise<OAuth2User> {
    const token = new SignJWT({ exp: Math.floor(Date.now() / 1000) + 60, ...claims }).setProtectedHeader({
      alg: 'HS256',
    });
    const idToken = claims && (await token.sign(Buffer.from('unchecked: it came over the connection to Microsoft')));
    fake = await startFakeProvider({
      [path]: { body: { access_token: 't', id_token: idToken } },
      '/me': { body: INFO },
    });
    const urls = { tokenURL: fake.url + path, userInfoURL: `${fake.url}/me` };
    return oauth2Users().fetch(clientOf('microsoft', { ...urls, ...config }), GRANT);
  }
});

function scopes(client: ReturnType<typeof clientOf>): string | null {
  return new URL(client.invite().authURL).searchParams.get('scope');
}
