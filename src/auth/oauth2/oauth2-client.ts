import { createHash } from 'node:crypto';
import type { OAuth2ProviderConfig } from '../../kernel/collections/auth-options.js';
import { randomText } from '../../kernel/ids.js';
import type { OAuth2Provider } from './oauth2-provider.js';

/** A provider as `auth-methods` shows it (AUTH-801). */
export interface OAuth2Invitation {
  readonly name: string;
  readonly displayName: string;
  readonly logo: string;
  readonly state: string;
  readonly authURL: string;
  readonly codeVerifier: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
}

/** A provider as one collection uses it: the shipped values, overridden by what the collection configures. */
export class OAuth2Client {
  readonly displayName: string;
  readonly authURL: string;
  readonly tokenURL: string;
  readonly userInfoURL: string;
  readonly pkce: boolean;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    readonly provider: OAuth2Provider,
    config: OAuth2ProviderConfig,
  ) {
    this.displayName = config.displayName || provider.displayName;
    this.authURL = config.authURL || provider.authURL;
    this.tokenURL = config.tokenURL || provider.tokenURL;
    this.userInfoURL = config.userInfoURL || provider.userInfoURL;
    this.pkce = config.pkce ?? provider.pkce;
    this.clientId = config.clientId;
    this.clientSecret = config.clientSecret;
    this.extra = config.extra ?? {};
  }

  /** Whether all that a sign-in needs is known. */
  get isComplete(): boolean {
    return this.authURL !== '' && this.tokenURL !== '' && this.clientId !== '';
  }

  /** A fresh state, code verifier and the address to send the browser to, the redirect address still to be appended. */
  invite(): OAuth2Invitation {
    const state = randomText(30);
    const codeVerifier = this.pkce ? randomText(43) : '';
    const codeChallenge = this.pkce ? createHash('sha256').update(codeVerifier).digest('base64url') : '';
    return {
      name: this.provider.name,
      displayName: this.displayName,
      logo: this.provider.logo,
      state,
      authURL: this.authorizationURL(state, codeChallenge),
      codeVerifier,
      codeChallenge,
      codeChallengeMethod: this.pkce ? 'S256' : '',
    };
  }

  /** Ends with `&redirect_uri=`, because clients append theirs (AUTH-804). */
  private authorizationURL(state: string, codeChallenge: string): string {
    const scopes = [...this.provider.scopes, ...(this.provider.additionalScopes?.(this) ?? [])];
    const parameters = new URLSearchParams({
      client_id: this.clientId,
      response_type: 'code',
      ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
      state,
      ...(codeChallenge ? { code_challenge: codeChallenge, code_challenge_method: 'S256' } : {}),
      ...this.provider.authParams,
    });
    return `${this.authURL}${this.authURL.includes('?') ? '&' : '?'}${parameters}&redirect_uri=`;
  }
}
