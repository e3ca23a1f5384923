import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { OneInstance } from '../database/one-instance.js';
import { RedisLink } from './redis-link.js';

/** What instances reach each other by; null under the token of what there is not. Nothing is connected before it is used. */
@Global()
@Module({
  providers: [
    {
      provide: RedisLink,
      inject: [ROOST_CONFIG],
      useFactory: ({ redisUrl, redisPrefix }: RoostConfig) =>
        redisUrl === null ? null : new RedisLink(redisUrl, redisPrefix),
    },
    {
      provide: OneInstance,
      inject: [ROOST_CONFIG],
      useFactory: ({ databaseUrl }: RoostConfig) => (databaseUrl === null ? null : new OneInstance(databaseUrl)),
    },
  ],
  exports: [RedisLink, OneInstance],
})
export class PeersModule implements OnApplicationShutdown {
  constructor(
    @Inject(RedisLink) private readonly redis: RedisLink | null,
    @Inject(OneInstance) private readonly locks: OneInstance | null,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.redis?.close();
    await this.locks?.close();
  }
}
