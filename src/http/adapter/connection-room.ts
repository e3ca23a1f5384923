import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { clientOf, normalizeIp } from '../request/client-ip.js';

/** A connection over which nothing is asked, since `performance.now()` was that. */
export interface FreeConnection {
  readonly socket: Socket;
  readonly since: number;
}

/** Milliseconds after which nothing is on its way over a free connection, as far as anybody can tell. */
const FREE_FOR = 1_000;

/** Of those that are free, so many are ended at a time: looking for them costs more the more there are. */
const SHARE = 1 / 16;

/**
 * How many connections leave the process an eighth of the files it may have open, for those it reads and writes.
 * Infinity where the system does not tell.
 */
export function mostConnections(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return limit ? Math.floor((Number(limit[1]) * 7) / 8) : Infinity;
  } catch {
    return Infinity;
  }
}

/**
 * Ends some of the connections that are free, the longest ones of whichever client has most, and tells how many. Thus
 * one client cannot take the connections of all others by keeping many (OPS-39). To a proxy, which has those of all, they
 * are as good as those that end because they are idle.
 */
export function makeRoom(free: Iterable<FreeConnection>): number {
  const before = performance.now() - FREE_FOR;
  const latestFirst = [...free]
    .filter(({ socket, since }) => since < before && !socket.destroyed)
    .sort((one, other) => other.since - one.since);
  const counts = new Map<string, number>();
  const counted = latestFirst.map(({ socket }) => {
    const client = clientOf(normalizeIp(socket.remoteAddress ?? '') ?? '');
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    return { socket, count };
  });
  // The longest free come first among those that are equal.
  counted.reverse().sort((one, other) => other.count - one.count);
  const ended = counted.slice(0, Math.ceil(counted.length * SHARE));
  for (const { socket } of ended) socket.destroy();
  return ended.length;
}
