import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { REQUIRED_AUTH, type RequiredAuth } from './require-caller.js';
import { RouteAccessGuard } from './route-access.guard.js';

/** The route needs a signed-in caller, of one of these auth collections when some are named: else 401 or 403. */
export function RequireAuth(...collections: readonly string[]): MethodDecorator & ClassDecorator {
  return requires({ collections });
}

/** The route needs a superuser: 401 without valid credentials, 403 for anybody else. */
export function RequireSuperuser(): MethodDecorator & ClassDecorator {
  return requires('superuser');
}

/** The guard is bound here too, because global guards do not run for handlers of microservices. */
function requires(required: RequiredAuth): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(REQUIRED_AUTH, required), UseGuards(RouteAccessGuard));
}
