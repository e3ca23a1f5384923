import type { RoostConfig } from '../config/roost-config.js';
import type { InstanceLink } from '../instances/instance-link.js';

/**
 * Where short-lived values and counters are: in this process, in the parent of the workers, in Redis, or in the
 * database.
 */
export type ChosenEphemeralStore = 'memory' | 'parent' | 'redis' | 'database';

/** The one place that decides it, for rate limits as for everything else. */
export function chosenEphemeralStore(
  { redisUrl, shared }: Pick<RoostConfig, 'redisUrl' | 'shared'>,
  link?: Pick<InstanceLink, 'isAlone'>,
): ChosenEphemeralStore {
  if (redisUrl !== null) return 'redis';
  if (shared) return 'database';
  return link === undefined || link.isAlone ? 'memory' : 'parent';
}
