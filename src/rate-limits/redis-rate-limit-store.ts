import { countInRedis } from '../ephemeral/redis-count.js';
import type { RedisLink } from '../instances/redis-link.js';
import type { RateLimitStore, RateLimitWindow } from './rate-limit-store.js';

/** Keys looked at in one step of clearing. */
const STEP = '1000';

/** Windows in Redis, measured by its clock. They expire by themselves. */
export class RedisRateLimitStore implements RateLimitStore {
  constructor(private readonly redis: RedisLink) {}

  async take(key: string, { duration, tokens }: RateLimitWindow): Promise<number> {
    const { count, left } = await countInRedis(this.redis, this.redis.nameOf(`limit:${key}`), duration);
    return count > tokens ? Math.max(1, left) : 0;
  }

  async clear(): Promise<void> {
    const pattern = this.redis.nameOf('limit:*');
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.run<[string, string[]]>('SCAN', cursor, 'MATCH', pattern, 'COUNT', STEP);
      if (keys.length > 0) await this.redis.run('UNLINK', ...keys);
      cursor = next;
    } while (cursor !== '0');
  }

  prune(): void {}
}
