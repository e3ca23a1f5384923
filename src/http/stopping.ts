import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a stopping server end as soon as its requests have. Left alone, Node waits for connections that never asked for
 * anything until the time for request heads is over, and for those whose request ended meanwhile until they are idle
 * for long enough.
 */
export function letGoOfConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  let stopping = false;
  function forget(this: Socket): void {
    silent.delete(this);
  }
  fastify.server.on('connection', (socket: Socket) => {
    silent.add(socket.once('close', forget));
    if (stopping) socket.destroy();
  });
  fastify.server.on('request', ({ socket }) => void silent.delete(socket));
  fastify.addHook('preClose', (done) => {
    stopping = true;
    for (const socket of silent) socket.destroy();
    done();
  });
  fastify.addHook('onResponse', ({ raw }, _reply, done) => {
    if (stopping) raw.socket.destroySoon();
    done();
  });
}
