import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OAuth2User } from '../../../src/auth/oauth2/oauth2-user.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.js';
import { clientOf, GRANT, oauth2Users } from '../support/oauth2-clients.js';

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1000;
const CLAIMS = { iss: 'https://id.example.com', aud: 'client-1', sub: 'ann-1', exp: SECONDS + 60, iat: SECONDS };

interface Signer {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function signer(alg: string, kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

function sign(by: Signer, claims: object = CLAIMS, header: object = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: by.alg, kid: by.kid, ...header }).sign(by.privateKey);
}

describe('id tokens', () => {
  let fake: FakeProvider;
  let keys: JWK[];
  let idToken: unknown;

  beforeEach(async () => {
    keys = [];
    fake = await startFakeProvider({
      '/token': () => ({ body: { access_token: 't', id_token: idToken } }),
      '/keys': () => ({ body: { keys } }),
    });
  });
  afterEach(() => fake.close());

  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('AUTH-1003 accepts signatures with %s', async (alg) => {
    const [ours, other] = [await signer(alg, 'ours'), await signer(alg, 'other')];
    keys = [other.jwk, ours.jwk];
    idToken = await sign(ours);
    expect(await signIn()).toMatchObject({ id: 'ann-1', rawUser: CLAIMS });
  });

  it('AUTH-1003 refuses a signature by another key, an unknown key, another algorithm and a shared secret', async () => {
    const [ours, stranger] = [await signer('RS256', 'ours'), await signer('RS256', 'ours')];
    keys = [ours.jwk];
    idToken = await sign(stranger);
    await expect(signIn()).rejects.toThrow('signature');
    idToken = await sign({ ...ours, kid: 'unknown' });
    await expect(signIn()).rejects.toThrow();
    const [, payload] = (await sign(ours)).split('.');
    idToken = `${btoa('{"alg":"none"}')}.${payload}.`;
    await expect(signIn()).rejects.toThrow();
    const secret = Buffer.from(JSON.stringify(ours.jwk));
    idToken = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'ours' }).sign(secret);
    await expect(signIn()).rejects.toThrow();
  });

  it.each([
    ['another audience', { aud: 'client-2' }],
    ['an audience that begins like this client', { aud: 'client-12' }],
    ['no audience', { aud: undefined }],
    ['an expiry five minutes ago', { exp: SECONDS - 300 }],
    ['no expiry', { exp: undefined }],
    ['an expiry as text', { exp: '9999999999' }],
    ['an issue more than five minutes ahead', { iat: SECONDS + 301 }],
    ['a beginning more than five minutes ahead', { nbf: SECONDS + 301 }],
    ['another issuer', { iss: 'https://other.example.com' }],
    ['no issuer', { iss: undefined }],
  ])('AUTH-1003 refuses %s, whether or not signatures are checked', async (_, wrong) => {
    const ours = await signer('ES256', 'ours');
    keys = [ours.jwk];
    idToken = await sign(ours, { ...CLAIMS, ...wrong });
    await expect(signIn()).rejects.toThrow();
    await expect(signIn({ jwksURL: undefined })).rejects.toThrow();
  });

  it('AUTH-1003 has five minutes of patience with clocks, and takes one of several audiences', async () => {
    const ours = await signer('ES256', 'ours');
    keys = [ours.jwk];
    const times = { exp: SECONDS - 299, iat: SECONDS + 300, nbf: SECONDS + 300, aud: ['client-2', 'client-1'] };
    idToken = await sign(ours, { ...CLAIMS, ...times });
    expect(await signIn()).toMatchObject({ id: 'ann-1' });
  });

  it('AUTH-1003 asks for no issuer and no signature when none are configured', async () => {
    const ours = await signer('ES256', 'ours');
    idToken = await sign(ours, { ...CLAIMS, iss: 'https://anybody' });
    expect(await signIn({ jwksURL: undefined, issuers: [] })).toMatchObject({ id: 'ann-1' });
    expect(await signIn({ jwksURL: undefined, issuers: undefined })).toMatchObject({ id: 'ann-1' });
  });

  it.each([undefined, '', 'garbage', 'a.b.c', 7])('AUTH-1003 fails when the id token is %s', async (garbage) => {
    idToken = garbage;
    await expect(signIn({ jwksURL: undefined, issuers: [] })).rejects.toThrow();
  });

  it('AUTH-1004 Apple is the id token too, of its own issuer and for this client', async () => {
    const ours = await signer('RS256', 'ours');
    keys = [ours.jwk];
    const claims = { ...CLAIMS, iss: 'https://appleid.apple.com', email: 'ann@x.io' };
    for (const [email_verified, email] of [
      ['true', 'ann@x.io'],
      [true, 'ann@x.io'],
      ['false', ''],
    ] as const) {
      idToken = await sign(ours, { ...claims, email_verified });
      expect(await signInWithApple()).toMatchObject({ id: 'ann-1', email, name: '' });
    }
    idToken = await sign(ours, { ...claims, iss: 'https://id.example.com' });
    await expect(signInWithApple()).rejects.toThrow('issuer');
    idToken = await sign(ours, { ...claims, iss: 'https://id.example.com' });
    expect(await signInWithApple({ issuers: ['https://id.example.com'] })).toMatchObject({ id: 'ann-1' });
    idToken = await sign(await signer('RS256', 'ours'), claims);
    await expect(signInWithApple()).rejects.toThrow();
  });

  function signIn(extra: object = {}): Promise<OAuth2User> {
    const origin = { jwksURL: `${fake.url}/keys`, issuers: ['https://id.example.com'], ...extra };
    const client = clientOf('oidc', { tokenURL: `${fake.url}/token`, extra: origin });
    return oauth2Users({ now: () => NOW }).fetch(client, GRANT);
  }

  function signInWithApple(extra: object = {}): Promise<OAuth2User> {
    const origin = { jwksURL: `${fake.url}/keys`, ...extra };
    const client = clientOf('apple', { tokenURL: `${fake.url}/token`, extra: origin });
    return oauth2Users({ now: () => NOW }).fetch(client, GRANT);
  }
});
