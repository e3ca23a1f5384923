import type { JsonObject } from '../../kernel/json-object.js';

/** Who signed in, in the same words for every provider (AUTH-903). What the provider does not say is ''. */
export interface OAuth2User {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  /** Only an address the provider vouches for. */
  readonly email: string;
  readonly avatarURL: string;
  readonly rawUser: JsonObject;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires, in the product's date format. */
  readonly expiry: string;
  /** An address the provider knows without vouching for it; never shown, see ProviderUser. */
  readonly suggestedEmail: string;
}
