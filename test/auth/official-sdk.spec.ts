import { EventSource } from 'eventsource';
import { exportPKCS8, generateKeyPair } from 'jose';
import PocketBase, { ClientResponseError } from 'pocketbase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, type IdentityProvider, startIdentityProvider } from './support/identity-provider.js';
import { codeIn, MemberRoost, PASSWORD, tokenIn } from './support/member-roost.js';

/** The SDK finds EventSource on the global object, as it does in a browser. */
globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;

describe('accounts, with the official SDK', () => {
  let roost: MemberRoost;
  let idp: IdentityProvider;
  let origin: string;

  beforeAll(async () => {
    roost = await MemberRoost.start({ otp: { enabled: true, duration: 180, length: 8 } });
    origin = await roost.roost.listen();
    const redirectURL = `${origin}/api/oauth2-redirect`;
    idp = await startIdentityProvider({ redirectURL, claims: { email: 'idp@x.io' } });
    const endpoints = { authURL: `${idp.url}/auth`, tokenURL: `${idp.url}/token`, userInfoURL: `${idp.url}/me` };
    const provider = {
      name: 'oidc',
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      displayName: 'Our id',
      ...endpoints,
    };
    await roost.configure({ oauth2: { enabled: true, providers: [provider], mappedFields: { name: 'name' } } });
    await roost.addMember('ann@x.io');
  });
  afterAll(async () => {
    await roost.close();
    await idp.close();
  });

  it('AUTH-1701 AUTH-801 lists the methods', async () => {
    const methods = await client().collection('members').listAuthMethods();
    expect(methods.password).toEqual({ enabled: true, identityFields: ['email'] });
    expect(methods.otp).toEqual({ enabled: true, duration: 180 });
    expect(methods.oauth2.providers).toMatchObject([{ name: 'oidc', displayName: 'Our id' }]);
    expect(Object.keys(methods).sort()).toEqual(['mfa', 'oauth2', 'otp', 'password']);
  });

  it('AUTH-1701 signs in with a password and refreshes', async () => {
    const pb = client();
    const { record } = await pb.collection('members').authWithPassword('ann@x.io', PASSWORD);
    expect(pb.authStore.isValid).toBe(true);
    expect(record.email).toBe('ann@x.io');
    const refreshed = await pb.collection('members').authRefresh();
    expect(refreshed.record.id).toBe(record.id);
    await expect(client().collection('members').authWithPassword('ann@x.io', 'wrong')).rejects.toMatchObject({
      status: 400,
    });
  });

  it('AUTH-1701 refreshes a superuser by itself', async () => {
    const pb = client();
    const threshold = { autoRefreshThreshold: 30 * 60 };
    await pb.collection('_superusers').authWithPassword('root@example.com', '1234567890', threshold);
    expect(pb.authStore.isSuperuser).toBe(true);
    expect((await pb.settings.getAll())['meta']).toBeDefined();
  });

  it('AUTH-1701 signs in with a one-time password, also as the second factor', async () => {
    const pb = client();
    const sent = roost.mails.length;
    const { otpId } = await pb.collection('members').requestOTP('ann@x.io');
    const code = codeIn((await roost.mailsSent(sent + 1))[sent]!);
    await roost.configure({ mfa: { enabled: true, duration: 600 } });
    const first = await pb
      .collection('members')
      .authWithPassword('ann@x.io', PASSWORD)
      .catch((error: unknown) => error);
    expect(first).toBeInstanceOf(ClientResponseError);
    const { mfaId } = (first as ClientResponseError).response as { mfaId: string };
    const { record } = await pb.collection('members').authWithOTP(otpId, code, { mfaId });
    expect(record.email).toBe('ann@x.io');
    await roost.configure({ mfa: { enabled: false } });
  });

  it('AUTH-1701 AUTH-1008 signs in with OAuth2 through a redirect of its own', async () => {
    const pb = client();
    const { oauth2 } = await pb.collection('members').listAuthMethods();
    const { authURL, codeVerifier } = oauth2.providers[0]!;
    const redirectURL = `${origin}/api/oauth2-redirect`;
    const landing = await idp.authorize(authURL + encodeURIComponent(redirectURL));
    const code = landing.searchParams.get('code')!;
    const { record, meta } = await pb.collection('members').authWithOAuth2Code('oidc', code, codeVerifier, redirectURL);
    expect(record).toMatchObject({ email: 'idp@x.io', name: 'Ann', verified: true });
    expect(meta).toMatchObject({ isNew: true, username: 'ann' });
  });

  it('AUTH-1701 AUTH-921 AUTH-1008 RT-93 RT-99 signs in with OAuth2 in one call', async () => {
    const pb = client();
    const { record, meta } = await pb.collection('members').authWithOAuth2({
      provider: 'oidc',
      urlCallback: async (url) => {
        const page = await fetch(await idp.authorize(url), { redirect: 'manual' });
        expect(page.headers.get('location')).toContain('oauth2-redirect-success');
      },
    });
    expect(record.email).toBe('idp@x.io');
    expect(meta!['isNew']).toBe(false);
    expect(pb.authStore.isValid).toBe(true);
    pb.realtime.unsubscribe().catch(() => {});
  });

  it('AUTH-1701 AUTH-1405 lists and unlinks what is linked', async () => {
    const pb = client();
    const token = await roost.roost.signIn('members', 'idp@x.io');
    pb.authStore.save(token, null);
    const { record } = await pb.collection('members').authRefresh();
    const links = await pb.collection('members').listExternalAuths(record.id);
    expect(links).toMatchObject([{ provider: 'oidc', providerId: 'ann-1' }]);
    await pb.collection('members').unlinkExternalAuth(record.id, 'oidc');
    expect(await pb.collection('members').listExternalAuths(record.id)).toHaveLength(0);
  });

  it('AUTH-1701 verifies, resets the password and changes the address', async () => {
    const pb = client();
    const members = pb.collection('members');
    await roost.addMember('bob@x.io', { verified: false });
    const sent = roost.mails.length;
    const nextMail = async (index: number) => (await roost.mailsSent(sent + index + 1))[sent + index]!;
    await members.requestVerification('bob@x.io');
    expect(await members.confirmVerification(tokenIn(await nextMail(0)))).toBe(true);
    await members.requestPasswordReset('bob@x.io');
    await members.confirmPasswordReset(tokenIn(await nextMail(1)), 'another horse', 'another horse');
    await members.authWithPassword('bob@x.io', 'another horse');
    await members.requestEmailChange('bob2@x.io');
    await members.confirmEmailChange(tokenIn(await nextMail(2)), 'another horse');
    const { record } = await members.authWithPassword('bob2@x.io', 'another horse');
    expect(record.verified).toBe(true);
  });

  it('AUTH-1701 impersonates', async () => {
    const root = await superuser();
    const ann = await root.collection('members').getFirstListItem('email = "ann@x.io"');
    const impersonated = await root.collection('members').impersonate(ann.id, 3600);
    expect(impersonated.authStore.record!.id).toBe(ann.id);
    const { token } = await impersonated.collection('members').authRefresh();
    expect(token).toBe(impersonated.authStore.token);
  });

  it('AUTH-1701 tries out mails, makes secrets and lists providers', async () => {
    const root = await superuser();
    const sent = roost.mails.length;
    expect(await root.settings.testEmail('members', 'me@x.io', 'verification')).toBe(true);
    expect(roost.mails).toHaveLength(sent + 1);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { secret } = await root.settings.generateAppleClientSecret(
      'app',
      'TEAM567890',
      'KEY4567890',
      await exportPKCS8(privateKey),
      60,
    );
    expect(secret.split('.')).toHaveLength(3);
    const providers = await root.collections.getAllOAuth2Providers();
    expect(providers.map(({ name }) => name)).toContain('github');
  });

  function client(): PocketBase {
    const pb = new PocketBase(origin);
    pb.autoCancellation(false);
    return pb;
  }

  async function superuser(): Promise<PocketBase> {
    const pb = client();
    await pb.collection('_superusers').authWithPassword('root@example.com', '1234567890');
    return pb;
  }
});
