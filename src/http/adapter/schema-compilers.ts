import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { fastifySymbol } from './fastify-internals.js';

type Build = (...given: unknown[]) => unknown;

const ours = createRequire(import.meta.url);

/**
 * What Fastify compiles the schemas of routes with, loaded for the first route that has any: 130 files that every start
 * would read for routes of a team alone.
 */
export const schemaController = {
  compilersFactory: {
    buildValidator: loadedLater('@fastify/ajv-compiler'),
    buildSerializer: loadedLater('@fastify/fast-json-stringify-compiler'),
  },
} as object;

/**
 * Fastify takes a compiler that it was given for one of another kind, and would tell names of headers apart by case. It
 * has no option that says otherwise.
 */
export function useDefaultSchemaRules(instance: FastifyInstance): void {
  const key = fastifySymbol(instance, 'fastify.schemaController');
  const schemas = (instance as unknown as Record<symbol, object>)[key]!;
  Object.assign(schemas, { isCustomValidatorCompiler: false, isCustomSerializerCompiler: false });
}

function loadedLater(name: string): Build {
  let build: Build | undefined;
  return (...given) => {
    build ??= (createRequire(ours.resolve('fastify'))(name) as () => Build)();
    return build(...given);
  };
}
