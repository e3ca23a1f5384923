import { SetMetadata } from '@nestjs/common';

/** Metadata key of what a route or controller asks of its caller. */
export const REQUIRED_AUTH = 'roost:required-auth';

/** Who may use a route: a superuser, or a record of one of these collections (names or ids; none means any). */
export type RequiredAuth = 'superuser' | { readonly collections: readonly string[] };

/** The route needs a signed-in caller, of one of these auth collections when some are named: else 401 or 403. */
export function RequireAuth(...collections: readonly string[]): MethodDecorator & ClassDecorator {
  return SetMetadata(REQUIRED_AUTH, { collections } satisfies RequiredAuth);
}

/** The route needs a superuser: 401 without valid credentials, 403 for anybody else. */
export function RequireSuperuser(): MethodDecorator & ClassDecorator {
  return SetMetadata(REQUIRED_AUTH, 'superuser' satisfies RequiredAuth);
}
