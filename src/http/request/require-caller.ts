import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { UnauthorizedError } from '../../kernel/errors/unauthorized.error.js';
import type { Caller } from '../../kernel/records/caller.js';

/** Metadata key of what a route or controller asks of its caller. */
export const REQUIRED_AUTH = 'roost:required-auth';

/** Who may use a route: a superuser, or a record of one of these collections (names or ids; none means any). */
export type RequiredAuth = 'superuser' | { readonly collections: readonly string[] };

/** Throws 401 for a guest and 403 for a caller who is not what a route asks for (AUTH-203, AUTH-204). */
export function requireCaller(caller: Caller, required: RequiredAuth): void {
  if (caller.auth === null) throw new UnauthorizedError();
  if (required === 'superuser') {
    if (!caller.isSuperuser) throw new ForbiddenError();
    return;
  }
  const { collections } = required;
  const { id, name } = caller.auth.collection;
  if (collections.length > 0 && !collections.includes(id) && !collections.includes(name)) throw new ForbiddenError();
}
