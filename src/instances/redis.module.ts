import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { RedisLink } from './redis-link.js';

/** The connection to Redis on which is counted; null under the token where there is none. It is opened by `serve`. */
@Global()
@Module({
  providers: [
    {
      provide: RedisLink,
      inject: [ROOST_CONFIG],
      useFactory: ({ redisUrl, redisPrefix }: RoostConfig) =>
        redisUrl === null ? null : new RedisLink(redisUrl, redisPrefix),
    },
  ],
  exports: [RedisLink],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(RedisLink) private readonly redis: RedisLink | null) {}

  onApplicationShutdown(): void {
    this.redis?.close();
  }
}
