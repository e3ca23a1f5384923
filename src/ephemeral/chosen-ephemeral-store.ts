import type { RoostConfig } from '../config/roost-config.js';
import type { RequestChannel } from '../instances/request-channel.js';

/** Where it is counted and remembered for a short time: here, in the parent of the workers, in Redis, in the database. */
export type ChosenEphemeralStore = 'memory' | 'parent' | 'redis' | 'database';

/** The one place that decides it, for rate limits as for everything else. */
export function chosenEphemeralStore(
  { redisUrl, shared }: Pick<RoostConfig, 'redisUrl' | 'shared'>,
  channel?: RequestChannel,
): ChosenEphemeralStore {
  if (redisUrl !== null) return 'redis';
  if (shared) return 'database';
  return channel === undefined ? 'memory' : 'parent';
}
