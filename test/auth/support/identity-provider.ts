import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';
import { closeServer } from './close-server.js';

/** A certified OpenID Connect server on loopback that signs everybody in as Ann. */
export interface IdentityProvider {
  readonly url: string;
  /** How often the token endpoint was called. */
  readonly tokenRequests: () => number;
  /** Follows an authorization address like a browser, to the redirect with the code. */
  authorize(address: string): Promise<URL>;
  close(): Promise<void>;
}

export const CLIENT_ID = 'roost: client';
export const CLIENT_SECRET = 'a secret: with / reserved + characters & more 0123456789';

const ANN = { name: 'Ann', preferred_username: 'ann', picture: 'https://example.com/ann.png' };

/** What the server says about Ann besides her name, and where it may send her back to. */
export interface IdentityProviderOptions {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly redirectURL?: string;
}

/** The same one for all providers of a process: to find one takes long. */
let signingKey: KeyObject | undefined;

export async function startIdentityProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, configuration(options));
  let tokenRequests = 0;
  const callback = provider.callback();
  server.on('request', (request: IncomingMessage, response) => {
    if (request.url === '/token') tokenRequests++;
    if (request.url!.startsWith('/interaction/')) {
      void provider.interactionFinished(request, response, { login: { accountId: 'ann-1' } });
    } else {
      void callback(request, response);
    }
  });
  return { url, tokenRequests: () => tokenRequests, authorize: follow, close: () => closeServer(server) };
}

function configuration({ claims, redirectURL = 'http://127.0.0.1/done' }: IdentityProviderOptions): Configuration {
  signingKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const key = { ...signingKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256', use: 'sig' };
  const account = { ...ANN, email: 'ann@x.io', email_verified: true, ...claims };
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectURL] }],
    jwks: { keys: [key] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: { email: ['email', 'email_verified'], profile: Object.keys(ANN) },
    conformIdTokenClaims: false,
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...account }) }),
    loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    cookies: { keys: ['only for tests'] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 60, Session: 600, Grant: 600 },
  };
}

async function follow(address: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  for (let hop = 0; hop < 10; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`No redirect but ${response.status}: ${await response.text()}`);
    next = new URL(location, next);
    if (next.searchParams.has('code') || next.searchParams.has('error')) return next;
  }
  throw new Error('Too many redirects.');
}
