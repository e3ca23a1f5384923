/** Metadata key of what a route or controller asks of its caller. */
export const REQUIRED_AUTH = 'roost:required-auth';

/** Who may use a route: a superuser, or a record of one of these collections (names or ids; none means any). */
export type RequiredAuth = 'superuser' | { readonly collections: readonly string[] };
