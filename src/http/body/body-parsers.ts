import { fastify as createFastify, type FastifyInstance } from 'fastify';
import { fastifySymbol } from '../adapter/fastify-internals.js';
import { schemaController } from '../adapter/schema-compilers.js';

/**
 * The same instance for routes whose bodies are left unread: guards decide before a byte is read, and what wants the
 * body reads the raw stream (BodyReader). Whatever libraries and teams register with Fastify themselves keeps the
 * parsers that Fastify would give it (EXT-45). Fastify's own way to give some routes other parsers is a plugin, but
 * hooks that are added to the application later would not reach its routes.
 */
export function leavingBodiesUnread<Instance extends object>(instance: Instance): Instance {
  const other = createFastify({ schemaController });
  other.removeAllContentTypeParsers();
  other.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  const value = (other as unknown as Record<symbol, unknown>)[parsersOf(other)];
  return Object.create(instance, { [parsersOf(instance as unknown as FastifyInstance)]: { value } }) as Instance;
}

function parsersOf(instance: FastifyInstance): symbol {
  return fastifySymbol(instance, 'fastify.contentTypeParser');
}
