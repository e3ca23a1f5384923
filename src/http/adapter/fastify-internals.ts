import type { FastifyInstance } from 'fastify';

/**
 * The key under which Fastify keeps a part of an instance, by the description of that symbol. For what it has no option
 * for: its version is pinned in package.json, so a missing key is met only when somebody changes that.
 */
export function fastifySymbol(instance: FastifyInstance, description: string): symbol {
  const key = Object.getOwnPropertySymbols(instance).find((symbol) => symbol.description === description);
  if (!key) throw new Error(`This version of Fastify has no ${description}.`);
  return key;
}
