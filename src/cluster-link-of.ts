import { randomUUID } from 'node:crypto';
import { type ConfigSources, readConfig } from './config/read-config.js';
import type { RoostConfig } from './config/roost-config.js';
import { AdvisoryLocks } from './database/postgres/advisory-locks.js';
import { NotifyBus } from './database/postgres/notify-bus.js';
import { ClusterLink } from './instances/cluster-link.js';
import type { InstanceLink } from './instances/instance-link.js';
import { RedisLink } from './instances/redis-link.js';

/**
 * The link of a process that serves: to the instances it shares a database with, through Redis or the database; the
 * given one when it shares none. Rejects with a StartError when they cannot be reached.
 */
export async function clusterLinkOf(sources: ConfigSources, local: InstanceLink): Promise<InstanceLink> {
  const { config, args } = readConfig(sources);
  if (config.databaseUrl === null || (config.redisUrl === null && !config.shared) || args[0] !== 'serve') return local;
  const id = randomUUID();
  const bus = busOf(config, id);
  const link = new ClusterLink({
    id,
    bus,
    locks: new AdvisoryLocks(config.databaseDirectUrl ?? config.databaseUrl),
    local,
  });
  await link.open();
  return link;
}

/**
 * The bus has a connection of its own, so that counting never waits for a long message. Channels and locks belong to a
 * session, which a pooler would give to others.
 */
function busOf(
  { redisUrl, redisPrefix, databaseUrl, databaseDirectUrl }: RoostConfig,
  id: string,
): RedisLink | NotifyBus {
  return redisUrl === null
    ? new NotifyBus(databaseDirectUrl ?? databaseUrl!, id)
    : new RedisLink(redisUrl, redisPrefix);
}
