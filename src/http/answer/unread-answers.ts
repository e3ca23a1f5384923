import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf, normalizeIp } from '../request/client-ip.js';

/** Milliseconds between two looks. */
const LOOK = 250;

/** Unread bytes below which a connection is not tracked: any answer that is sent in pieces may have as many. */
const SMALL = 128 * 1024;

/** One client's connections on which much waits, in the order they were opened. */
interface Unread {
  bytes: number;
  readonly sockets: Socket[];
}

/**
 * Keeps what was written and not read, of all connections together, below this many bytes of memory. The oldest
 * connections of whoever lets most wait are cut off: who reads slowly loses nothing to one that does so on many
 * connections (OPS-39). A single answer may be larger, for a client that reads it. `open` has the connections in the
 * order they were opened.
 */
export function limitUnread(server: Server, open: ReadonlyMap<Socket, unknown>, most: number): void {
  const look = () => {
    const clients = unreadIn(open.keys());
    let all = [...clients.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    let count = [...clients.values()].reduce((sum, { sockets }) => sum + sockets.length, 0);
    for (; all > most && count > 1; count--) {
      const largest = [...clients.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one));
      const oldest = largest.sockets.shift()!;
      largest.bytes -= oldest.writableLength;
      all -= oldest.writableLength;
      oldest.destroy();
    }
  };
  const looking = setInterval(look, LOOK).unref();
  server.on('close', () => clearInterval(looking));
}

function unreadIn(sockets: Iterable<Socket>): Map<string, Unread> {
  const clients = new Map<string, Unread>();
  for (const socket of sockets) {
    const { writableLength, remoteAddress = '' } = socket;
    if (writableLength <= SMALL) continue;
    const client = clientOf(normalizeIp(remoteAddress) ?? '');
    const unread = clients.get(client) ?? { bytes: 0, sockets: [] };
    clients.set(client, unread);
    unread.bytes += writableLength;
    unread.sockets.push(socket);
  }
  return clients;
}
