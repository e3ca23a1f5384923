import { fastify as createFastify, type FastifyInstance } from 'fastify';
import { schemaController } from '../adapter/schema-compilers.js';

/**
 * What Fastify keeps the parsers of an instance under; it gives those of the instance to each route. Its own way to have
 * other parsers for some routes is a plugin, and hooks that are added to the application later do not reach into that.
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
  // Roost asks for one version of Fastify, so that only who changes that can come here.
  if (!key) throw new Error('This version of Fastify keeps its parsers elsewhere.');
  return key;
}
