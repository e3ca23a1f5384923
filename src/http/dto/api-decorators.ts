import { applyDecorators, type Type } from '@nestjs/common';

type Swagger = typeof import('@nestjs/swagger');

type Decorator =
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiExcludeController'
  | 'ApiExcludeEndpoint'
  | 'ApiExtraModels'
  | 'ApiOkResponse'
  | 'ApiOperation'
  | 'ApiProperty'
  | 'ApiPropertyOptional'
  | 'ApiQuery'
  | 'ApiSchema';

/** The decorators that wait for the library, in the order they were evaluated. */
const pending: ((swagger: Swagger) => void)[] = [];

/**
 * The decorators of @nestjs/swagger, which are applied when the description of the API is first asked for: loading the
 * library, 540 files with what it needs, would make every start and every command a fifth of a second longer.
 */
export const ApiBody = later('ApiBody');
export const ApiConsumes = later('ApiConsumes');
export const ApiExcludeController = later('ApiExcludeController');
export const ApiExcludeEndpoint = later('ApiExcludeEndpoint');
export const ApiExtraModels = later('ApiExtraModels');
export const ApiOkResponse = later('ApiOkResponse');
export const ApiOperation = later('ApiOperation');
export const ApiProperty = later('ApiProperty');
export const ApiPropertyOptional = later('ApiPropertyOptional');
export const ApiQuery = later('ApiQuery');
export const ApiSchema = later('ApiSchema');

/** Names of schemas whose objects have more properties than are declared. */
export const OPEN_SCHEMAS = new Set<string>();

/** Objects of the class have more properties than it declares, for which @nestjs/swagger has no decorator. */
export function ApiOpen(): ClassDecorator {
  return (type) => void OPEN_SCHEMAS.add(type.name);
}

/** Names of schemas of which nothing is required, and what each is made of. */
export const PARTIAL_SCHEMAS = new Map<string, string>();

/** What of an object of the class is to change: nothing of it is required, at any level. */
export function ApiPartialBody(type: Type, name: string): MethodDecorator {
  PARTIAL_SCHEMAS.set(name, type.name);
  return applyDecorators(ApiExtraModels(type), ApiBody({ schema: { $ref: `#/components/schemas/${name}` } }));
}

/** The library, with everything said in its decorators so far. */
export async function loadSwagger(): Promise<Swagger> {
  const swagger = await import('@nestjs/swagger');
  for (const apply of pending.splice(0)) apply(swagger);
  return swagger;
}

function later<Name extends Decorator>(name: Name): Swagger[Name] {
  const decorator =
    (...options: unknown[]) =>
    (...target: unknown[]): void => {
      pending.push((swagger) => {
        const create = swagger[name] as (...given: unknown[]) => (...decorated: unknown[]) => unknown;
        create(...options)(...target);
      });
    };
  return decorator as unknown as Swagger[Name];
}
