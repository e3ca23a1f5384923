import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends connections that have waited for a request for this many milliseconds, at the latest after twice that time, by
 * looking at all of them now and then. Node has a timer for each, which it starts with every answer and stops with
 * every request: 1.7 % of a view. `open` has what is answered at the moment on each; connections that are HTTP no more
 * are taken out of it.
 */
export function endIdleConnections(
  server: Server,
  open: Map<Socket, { readonly current: unknown }>,
  milliseconds: number,
): void {
  /** Bytes that had come over a connection when it was looked at last. */
  const received = new WeakMap<Socket, number>();
  const look = () => {
    for (const [socket, { current }] of open) {
      if (current) continue;
      const { bytesRead } = socket;
      if (!speaksHttp(socket)) open.delete(socket);
      else if (received.get(socket) === bytesRead) socket.destroySoon();
      else received.set(socket, bytesRead);
    }
  };
  server.keepAliveTimeout = 0;
  const looking = setInterval(look, milliseconds).unref();
  server.on('close', () => clearInterval(looking));
}

/** False once a connection goes on in another protocol, such as WebSocket: Node takes its parser away then. */
export function speaksHttp(socket: Socket): boolean {
  return Boolean((socket as { parser?: unknown }).parser);
}
