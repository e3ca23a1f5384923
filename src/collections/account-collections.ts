/** Accounts at OAuth2 providers that are linked to auth records. */
export const EXTERNAL_AUTHS = '_externalAuths';
/** Sign-ins that wait for a second method. */
export const MFAS = '_mfas';
/** One-time passwords that are good for a sign-in. */
export const OTPS = '_otps';
/** Places from which people have signed in. */
export const AUTH_ORIGINS = '_authOrigins';

/** The system collections whose records belong to an auth record, named by `collectionRef` and `recordRef`. */
export const ACCOUNT_COLLECTIONS = [EXTERNAL_AUTHS, MFAS, OTPS, AUTH_ORIGINS] as const;
