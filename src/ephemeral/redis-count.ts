import { createHash } from 'node:crypto';
import type { RedisLink, RedisScript } from '../instances/redis-link.js';
import type { CountedWindow } from './ephemeral-store.js';

/** The window begins with its first count, by the clock of the server. */
const COUNT = scriptOf(`
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {count, redis.call('PTTL', KEYS[1])}
`);

const READ = scriptOf(`
  local count = redis.call('GET', KEYS[1])
  if not count then return {0, 0} end
  return {tonumber(count), redis.call('PTTL', KEYS[1])}
`);

/** Counts one more under a key, in a window of that many milliseconds when there is none. */
export async function countInRedis(redis: RedisLink, key: string, milliseconds: number): Promise<CountedWindow> {
  const [count, left] = await redis.runScript<[number, number]>(COUNT, key, wholeMilliseconds(milliseconds));
  return { count, left };
}

/** A window as it stands. */
export async function readFromRedis(redis: RedisLink, key: string): Promise<CountedWindow | undefined> {
  const [count, left] = await redis.runScript<[number, number]>(READ, key);
  return count === 0 ? undefined : { count, left };
}

/** Redis accepts integers from 1 on only. */
export function wholeMilliseconds(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds)));
}

function scriptOf(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
