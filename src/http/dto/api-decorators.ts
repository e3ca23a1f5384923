type Swagger = typeof import('@nestjs/swagger');

type Decorator =
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiExtraModels'
  | 'ApiOkResponse'
  | 'ApiOperation'
  | 'ApiProperty'
  | 'ApiPropertyOptional'
  | 'ApiQuery'
  | 'ApiResponse';

/** In the order they were evaluated in. */
const pending: ((swagger: Swagger) => void)[] = [];

/**
 * The decorators of @nestjs/swagger, which are applied when the description of the API is first asked for: loading the
 * library, 540 files with what it needs, would make every start and every command a fifth of a second longer.
 */
export const ApiBody = later('ApiBody');
export const ApiConsumes = later('ApiConsumes');
export const ApiExtraModels = later('ApiExtraModels');
export const ApiOkResponse = later('ApiOkResponse');
export const ApiOperation = later('ApiOperation');
export const ApiProperty = later('ApiProperty');
export const ApiPropertyOptional = later('ApiPropertyOptional');
export const ApiQuery = later('ApiQuery');
export const ApiResponse = later('ApiResponse');

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
