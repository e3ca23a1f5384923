import { RedisLink } from '../../src/instances/redis-link.js';
import { instanceBusContract } from '../contracts/instance-bus.js';
import { Redis } from '../support/redis.js';

instanceBusContract('Redis', async () => {
  const redis = await Redis.start();
  return {
    connect: () => new RedisLink(redis.url, 'roost'),
    crash: () => redis.crash(),
    restart: () => redis.restart(),
    freeze: () => redis.freeze(),
    thaw: () => redis.thaw(),
    close: () => redis.stop(),
  };
});
