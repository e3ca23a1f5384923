/** What a link token says about itself. It is only read here, never trusted. */
export interface TokenClaims {
  readonly collectionId?: string;
  readonly email?: string;
  readonly newEmail?: string;
}

/** The claims of a token; empty when it is no token. */
export function readTokenClaims(token: string): TokenClaims {
  try {
    const body = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as TokenClaims;
  } catch {
    return {};
  }
}
