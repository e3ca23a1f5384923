import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { OAuth2Client } from '../../../src/auth/oauth2/oauth2-client.js';
import type { OAuth2User } from '../../../src/auth/oauth2/oauth2-user.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity-provider.js';
import { clientOf, oauth2Users } from '../support/oauth2-clients.js';

const REDIRECT = 'http://127.0.0.1/done';

describe('sign-in with a certified OpenID Connect provider', () => {
  let idp: IdentityProvider;
  afterEach(() => idp.close());

  it('AUTH-804 AUTH-902 AUTH-1008 goes from the invitation to the user, with PKCE', async () => {
    idp = await startIdentityProvider();
    const user = await signIn(oidcClient());
    expect(user).toMatchObject({
      id: 'ann-1',
      name: 'Ann',
      username: 'ann',
      email: 'ann@x.io',
      avatarURL: 'https://example.com/ann.png',
      refreshToken: '',
      rawUser: { sub: 'ann-1', email_verified: true },
    });
    expect(user.accessToken).not.toBe('');
    expect(user.expiry).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(idp.tokenRequests()).toBe(1);
  });

  it('AUTH-902 fails with the wrong code verifier', async () => {
    idp = await startIdentityProvider();
    const client = oidcClient();
    const { code } = await authorize(client);
    const grant = { code, codeVerifier: 'w'.repeat(43), redirectURL: REDIRECT };
    await expect(oauth2Users().fetch(client, grant)).rejects.toThrow('invalid_grant');
    expect(idp.tokenRequests()).toBe(1);
  });

  it('AUTH-902 fails with the wrong client secret', async () => {
    idp = await startIdentityProvider();
    await expect(signIn(oidcClient({ clientSecret: 'wrong' }))).rejects.toThrow('invalid_client');
  });

  it('AUTH-1003 takes the user from the id token, its signature checked against the published keys', async () => {
    idp = await startIdentityProvider();
    const extra = { jwksURL: `${idp.url}/jwks`, issuers: [idp.url] };
    const user = await signIn(oidcClient({ userInfoURL: '', extra }));
    expect(user).toMatchObject({ id: 'ann-1', name: 'Ann', email: 'ann@x.io', rawUser: { iss: idp.url } });
    await expect(signIn(oidcClient({ userInfoURL: '', extra: { issuers: ['http://other'] } }))).rejects.toThrow(
      'issuer',
    );
  });

  it.each([
    [true, 'ann@x.io'],
    ['true', 'ann@x.io'],
    ['True', 'ann@x.io'],
    [1, 'ann@x.io'],
    ['1', 'ann@x.io'],
    [false, ''],
    ['false', ''],
    [0, ''],
    ['', ''],
    ['yes', ''],
    [11, ''],
    [['true'], ''],
    [undefined, ''],
  ])('AUTH-903 AUTH-1002 with email_verified %s the address is "%s"', async (email_verified, email) => {
    idp = await startIdentityProvider({ claims: { email_verified } });
    expect(await signIn(oidcClient())).toMatchObject({ email });
  });

  function oidcClient(config: Parameters<typeof clientOf>[1] = {}): OAuth2Client {
    return clientOf('oidc', {
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authURL: `${idp.url}/auth`,
      tokenURL: `${idp.url}/token`,
      userInfoURL: `${idp.url}/me`,
      ...config,
    });
  }

  async function authorize(client: OAuth2Client): Promise<{ code: string; codeVerifier: string }> {
    const invitation = client.invite();
    expect(invitation.codeChallenge).toBe(createHash('sha256').update(invitation.codeVerifier).digest('base64url'));
    const landing = await idp.authorize(invitation.authURL + encodeURIComponent(REDIRECT));
    expect(landing.searchParams.get('state')).toBe(invitation.state);
    return { code: landing.searchParams.get('code')!, codeVerifier: invitation.codeVerifier };
  }

  async function signIn(client: OAuth2Client): Promise<OAuth2User> {
    const { code, codeVerifier } = await authorize(client);
    return oauth2Users().fetch(client, { code, codeVerifier, redirectURL: REDIRECT });
  }
});
