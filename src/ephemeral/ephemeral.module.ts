import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { MONOTONIC_CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { EphemeralTable } from '../database/postgres/ephemeral-table.js';
import { RedisLink } from '../instances/redis-link.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import type { Clock } from '../kernel/clock.js';
import { chosenEphemeralStore } from './chosen-ephemeral-store.js';
import { EphemeralCleanupCron } from './ephemeral-cleanup.cron.js';
import { EPHEMERAL_STORE, type EphemeralStore } from './ephemeral-store.js';
import { MemoryEphemeralStore } from './memory-ephemeral-store.js';
import { FallbackEphemeralStore } from './fallback-ephemeral-store.js';
import { RedisEphemeralStore } from './redis-ephemeral-store.js';
import { RemoteEphemeralStore } from './remote-ephemeral-store.js';

/** DI token of Roost's own store, where nothing takes its place. */
const OWN_STORE = Symbol('OWN_EPHEMERAL_STORE');

/** Made when this is loaded: what may be replaced has to be known before a module is configured. */
const STORE = replaceable(EPHEMERAL_STORE, {
  provide: OWN_STORE,
  inject: [ROOST_CONFIG, MONOTONIC_CLOCK, RedisLink, EphemeralTable, INSTANCE_LINK],
  useFactory: createStore,
});

/** What is remembered for a short time, and counted; by all processes that serve the application (SCALE-24). */
@Global()
@Module({})
export class EphemeralModule implements OnApplicationShutdown {
  static forRoot(config: RoostConfig): DynamicModule {
    return {
      module: EphemeralModule,
      providers: [
        { provide: EphemeralTable, useValue: tableOf(config) },
        ...STORE,
        ...(chosenEphemeralStore(config) === 'database' ? [EphemeralCleanupCron] : []),
      ],
      exports: [EPHEMERAL_STORE, EphemeralTable],
    };
  }

  constructor(@Inject(EphemeralTable) private readonly table: EphemeralTable | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.table?.close();
  }
}

function tableOf(config: RoostConfig): EphemeralTable | null {
  return chosenEphemeralStore(config) === 'database' ? new EphemeralTable(config.databaseUrl!) : null;
}

function createStore(
  config: RoostConfig,
  clock: Clock,
  redis: RedisLink | null,
  table: EphemeralTable | null,
  link: InstanceLink,
): EphemeralStore {
  const own = new MemoryEphemeralStore(clock);
  switch (chosenEphemeralStore(config, link)) {
    case 'memory':
      return own;
    case 'parent':
      return new RemoteEphemeralStore(link);
    case 'redis':
      return new FallbackEphemeralStore(new RedisEphemeralStore(redis!), own, clock);
    case 'database':
      return new FallbackEphemeralStore(table!, own, clock);
  }
}
