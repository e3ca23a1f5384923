import type { JsonObject } from '../../kernel/json-object.js';

/** Where a collection says that the id tokens of a provider come from. */
export interface TokenOrigin {
  readonly jwksURL: string;
  readonly issuers: readonly string[];
}

/** Reads `jwksURL` and `issuers` of a provider's `extra` (AUTH-1003); what is missing or of another kind is empty. */
export function tokenOrigin({ jwksURL, issuers }: JsonObject): TokenOrigin {
  return {
    jwksURL: typeof jwksURL === 'string' ? jwksURL : '',
    issuers: Array.isArray(issuers) ? issuers.filter((issuer) => typeof issuer === 'string' && issuer !== '') : [],
  };
}
