import type { RoostConfig } from '../../../src/config/roost-config.js';
import type { OAuth2ProviderConfig } from '../../../src/kernel/collections/auth-options.js';
import { IdTokenVerifier } from '../../../src/auth/oauth2/id-token-verifier.js';
import { OAuth2Client } from '../../../src/auth/oauth2/oauth2-client.js';
import { OAuth2Users } from '../../../src/auth/oauth2/oauth2-users.js';
import { SHIPPED_PROVIDERS } from '../../../src/auth/oauth2/shipped-providers.js';
import { TokenExchange } from '../../../src/auth/oauth2/token-exchange.js';

/** A shipped provider as a collection would configure it. */
export function clientOf(name: string, config: Partial<OAuth2ProviderConfig> = {}): OAuth2Client {
  const provider = SHIPPED_PROVIDERS.find((candidate) => candidate.name === name)!;
  return new OAuth2Client(provider, {
    name,
    clientId: 'client-1',
    clientSecret: 'secret-1',
    authURL: '',
    tokenURL: '',
    userInfoURL: '',
    displayName: '',
    pkce: null,
    extra: null,
    ...config,
  });
}

/** What asks providers, with the leeway of five minutes that is the default. */
export function oauth2Users(clock = { now: () => Date.now() }): OAuth2Users {
  const config = { idTokenLeeway: 300 } as RoostConfig;
  return new OAuth2Users(new TokenExchange(clock), new IdTokenVerifier(clock, config));
}

export const GRANT = { code: 'code-1', codeVerifier: 'v'.repeat(43), redirectURL: 'http://127.0.0.1/done' };
