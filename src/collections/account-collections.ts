/** The system collections whose records belong to an auth record, named by `collectionRef` and `recordRef`. */
export const ACCOUNT_COLLECTIONS = ['_externalAuths', '_mfas', '_otps', '_authOrigins'] as const;
