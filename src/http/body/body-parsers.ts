import { fastify as createFastify, type FastifyInstance } from 'fastify';
import { schemaController } from '../adapter/schema-compilers.js';

/**
 * The key under which Fastify keeps the parsers of an instance, for all its routes. Fastify's own way to give some
 * routes other parsers is a plugin, but hooks that are added to the application later would not reach its routes.
 */
const PARSERS = 'fastify.contentTypeParser';

/**
 * The same instance for routes whose bodies are left unread: guards decide before a byte is read, and what wants the
 * body reads the raw stream (BodyReader). Whatever libraries and teams register with Fastify themselves keeps the
 * parsers that Fastify would give it (EXT-45).
 */
export function leavingBodiesUnread<Instance extends object>(instance: Instance): Instance {
  const other = createFastify({ schemaController });
  other.removeAllContentTypeParsers();
  other.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  const value = (other as unknown as Record<symbol, unknown>)[parsersOf(other)];
  return Object.create(instance, { [parsersOf(instance as unknown as FastifyInstance)]: { value } }) as Instance;
}

function parsersOf(instance: FastifyInstance): symbol {
  const key = Object.getOwnPropertySymbols(instance).find(({ description }) => description === PARSERS);
  // The version of Fastify is pinned in package.json, so this is met only when somebody changes that.
  if (!key) throw new Error('This version of Fastify keeps its parsers elsewhere.');
  return key;
}
