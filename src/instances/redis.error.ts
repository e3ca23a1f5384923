import { StartError } from '../config/start.error.js';

/** Redis cannot be used. */
export class RedisError extends Error {}

/** What the server or the way to it says, and what that means to who has set REDIS_URL; the first that fits. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^WRONGPASS|^NOAUTH|invalid password|without any password configured/,
    'it refuses the user or the password of REDIS_URL',
  ],
  [/^NOPERM/, 'the user may not do what is needed; docs/scaling.md lists it'],
  [/^MOVED|^CROSSSLOT|^CLUSTERDOWN|not allowed in cluster mode/, 'it is a cluster, and a single server is needed'],
  [/^READONLY/, 'it is a replica, which cannot be written to'],
  [/unknown command|^NOPROTO/, 'it is too old; 6.2 is the oldest that will do'],
  [/DB index is out of range/, 'it has no database of that number'],
  [/Disconnects client|Connection timeout|is closed$/, 'it does not answer in time'],
  [
    /Socket closed unexpectedly|ECONNRESET/,
    'it has ended the connection, as a server with TLS does; rediss:// is with TLS',
  ],
  [/ERR_SSL|wrong version number|packet length too long/, 'it does not speak TLS there; redis:// is without'],
];

/** A failure to begin as one line. */
export function redisErrorOf(error: unknown, place: string): StartError {
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  const meaning = MEANINGS.find(([pattern]) => pattern.test(reason))?.[1];
  return new StartError(
    `Redis at ${place} cannot be used: ${meaning === undefined ? reason : `${meaning} (${reason})`}`,
    {
      cause: error,
    },
  );
}

function reasonOf(error: Error): string {
  // Where a host has several addresses, each attempt has its own error.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0] as Error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message || code || error.name;
}
