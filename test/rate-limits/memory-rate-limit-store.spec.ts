import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../src/rate-limits/memory-rate-limit-store.js';
import { rateLimitStoreContract } from '../contracts/rate-limit-store.js';

rateLimitStoreContract('memory', async () => {
  let now = 1_700_000_000_000;
  return {
    store: new MemoryRateLimitStore({ now: () => now }),
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
});

describe('the memory of one process', () => {
  let now: number;
  let store: MemoryRateLimitStore;
  const once = { duration: 1000, tokens: 1 };

  beforeEach(() => {
    now = 1_700_000_000_000;
    store = new MemoryRateLimitStore({ now: () => now });
  });

  it('OPS-26 holds 100,000 windows, and the least recently used goes first', () => {
    for (let index = 0; index < 100_000; index++) store.take(`key ${index}`, once, 0);
    expect(store.take('key 0', once, 0)).toBe(1000);
    store.take('one more', once, 0);
    expect(store.size).toBe(100_000);
    expect(store.take('key 0', once, 0)).toBe(1000);
    expect(store.take('key 1', once, 0)).toBe(0);
  });

  it('OPS-26 pruning gives the room of finished windows back', () => {
    store.take('a', once, 0);
    now += 500;
    store.take('b', once, 0);
    now += 500;
    store.prune();
    expect(store.size).toBe(1);
  });

  it('OPS-24 a clock that is set back does not lock anybody out for longer than the window', () => {
    store.take('a', once, 0);
    now -= 3_600_000;
    expect([store.take('a', once, 0), store.take('a', once, 0)]).toEqual([0, 1000]);
  });
});
