import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisEphemeralStore } from '../../src/ephemeral/redis-ephemeral-store.js';
import { RedisLink } from '../../src/instances/redis-link.js';
import { RedisRateLimitStore } from '../../src/rate-limits/redis-rate-limit-store.js';
import { ephemeralStoreContract } from '../contracts/ephemeral-store.js';
import { rateLimitStoreContract } from '../contracts/rate-limit-store.js';
import { Redis } from '../support/redis.js';

/** Lets time go by for everything that is there, without waiting for it. */
async function age(link: RedisLink, milliseconds: number): Promise<void> {
  for (const key of await link.run<string[]>('KEYS', '*')) {
    const left = await link.run<number>('PTTL', key);
    await link.run('PEXPIRE', key, String(left - milliseconds));
  }
}

describe('stores in Redis', () => {
  let redis: Redis;
  let opened: RedisLink[] = [];
  beforeAll(async () => {
    redis = await Redis.start();
  });
  afterAll(() => redis.stop());

  const open = async (prefix = 'roost') => {
    const link = new RedisLink(redis.url, prefix);
    await link.open();
    opened.push(link);
    return link;
  };
  const close = async () => {
    await opened[0]?.run('FLUSHALL');
    for (const link of opened) link.close();
    opened = [];
  };

  ephemeralStoreContract('Redis', async () => {
    const link = await open();
    return {
      store: new RedisEphemeralStore(link),
      other: new RedisEphemeralStore(await open()),
      pass: (milliseconds) => age(link, milliseconds),
      close,
    };
  });

  rateLimitStoreContract('Redis', async () => {
    const link = await open();
    return {
      store: new RedisRateLimitStore(link),
      other: new RedisRateLimitStore(await open()),
      slack: 9_000,
      pass: (milliseconds) => age(link, milliseconds),
      close,
    };
  });

  it('SCALE-24 keep applications with different prefixes apart', async () => {
    const [one, two] = [await open('one'), await open('two')];
    const once = { duration: 60_000, tokens: 1 };
    await new RedisEphemeralStore(one).set('a:b', 1, 60_000);
    expect(await new RedisEphemeralStore(two).get('a:b')).toBeUndefined();
    await new RedisRateLimitStore(one).take('a', once);
    await new RedisRateLimitStore(two).take('a', once);
    await new RedisRateLimitStore(two).clear();
    expect(await new RedisRateLimitStore(one).take('a', once)).toBeGreaterThan(0);
    expect(await new RedisRateLimitStore(two).take('a', once)).toBe(0);
    await close();
  });

  it('SCALE-24 leave nothing behind that would not end by itself', async () => {
    const link = await open();
    const store = new RedisEphemeralStore(link);
    await store.set('a:1', 1, 60_000);
    await store.setIfAbsent('a:2', 1, 0.4);
    await store.count('a:3', 60_000);
    await new RedisRateLimitStore(link).take('a', { duration: 60_000, tokens: 0 });
    const keys = await link.run<string[]>('KEYS', '*');
    expect(keys.length).toBeGreaterThanOrEqual(3);
    for (const key of keys) expect(await link.run<number>('PTTL', key)).not.toBe(-1);
    await close();
  });
});
