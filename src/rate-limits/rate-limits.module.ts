import { Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { EphemeralTable } from '../database/postgres/ephemeral-table.js';
import { chosenEphemeralStore } from '../ephemeral/chosen-ephemeral-store.js';
import { RedisLink } from '../instances/redis-link.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import type { Clock } from '../kernel/clock.js';
import { DatabaseRateLimitStore } from './database-rate-limit-store.js';
import { MemoryRateLimitStore } from './memory-rate-limit-store.js';
import { RateLimitCleanupCron } from './rate-limit-cleanup.cron.js';
import { RATE_LIMIT_STORE, type RateLimitStore } from './rate-limit-store.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter } from './rate-limiter.js';
import { RedisRateLimitStore } from './redis-rate-limit-store.js';
import { RemoteRateLimitStore } from './remote-rate-limit-store.js';
import { RenamedCollectionsHooks } from './renamed-collections.hooks.js';

/** DI token of Roost's own store, where nothing takes its place. */
const OWN_STORE = Symbol('OWN_RATE_LIMIT_STORE');

/** How often somebody may ask for something (chapter 06 B). */
@Module({
  providers: [
    ...replaceable(RATE_LIMIT_STORE, {
      provide: OWN_STORE,
      inject: [ROOST_CONFIG, CLOCK, RedisLink, EphemeralTable, INSTANCE_LINK],
      useFactory: createStore,
    }),
    RateLimiter,
    RateLimitGuard,
    RateLimitCleanupCron,
    RenamedCollectionsHooks,
  ],
  exports: [RateLimiter, RateLimitGuard],
})
export class RateLimitsModule {}

function createStore(
  config: RoostConfig,
  clock: Clock,
  redis: RedisLink | null,
  table: EphemeralTable | null,
  link: InstanceLink,
): RateLimitStore {
  switch (chosenEphemeralStore(config, link)) {
    case 'memory':
      return new MemoryRateLimitStore(clock);
    case 'parent':
      return new RemoteRateLimitStore(link);
    case 'redis':
      return new RedisRateLimitStore(redis!);
    case 'database':
      return new DatabaseRateLimitStore(table!);
  }
}
