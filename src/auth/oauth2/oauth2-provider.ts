import type { JsonObject } from '../../kernel/json-object.js';
import type { OAuth2Client } from './oauth2-client.js';
import type { OAuth2Session } from './oauth2-session.js';

/** What a provider says about the person who signed in. Whatever it does not say is absent or ''. */
export interface ProviderUser {
  /** Never changes and is never given to somebody else. Without it the sign-in fails. */
  readonly id: string;
  readonly name?: string;
  readonly username?: string;
  readonly avatarURL?: string;
  /** Only an address the provider vouches for: an existing account with this address is signed in. */
  readonly email?: string;
  /** An address the provider merely knows: a new account starts with it, unverified; it finds no existing one. */
  readonly suggestedEmail?: string;
}

/**
 * One way to sign in with somebody else's account: who, where, with what scopes, and how its answer becomes a user.
 * A plain object, added with `OAuth2Module.register`; the shipped ones are added the same way.
 *
 * Every URL can be overridden by the collection, so code here takes them from the session and never from itself.
 */
export interface OAuth2Provider {
  /** What a collection names it by; never changes once accounts are linked. */
  readonly name: string;
  readonly displayName: string;
  /** Position in lists. */
  readonly order: number;
  /** An inline SVG, or ''. */
  readonly logo: string;
  /** Whether a code verifier is sent, unless the collection says otherwise. */
  readonly pkce: boolean;
  readonly scopes: readonly string[];
  /** '' where only the collection can know it. */
  readonly authURL: string;
  readonly tokenURL: string;
  readonly userInfoURL: string;
  /** Further parameters of the authorization address. */
  readonly authParams?: Readonly<Record<string, string>>;
  /** Scopes that depend on how the collection configures the provider. */
  additionalScopes?(client: OAuth2Client): readonly string[];
  /** Asks for the user; absent means a GET of the user info address with the access token. */
  fetchUserInfo?(session: OAuth2Session): Promise<JsonObject>;
  /** Reads the answer. A throw fails the sign-in with 400 and tells its message to the log only. */
  toUser(info: JsonObject, session: OAuth2Session): ProviderUser | Promise<ProviderUser>;
}
