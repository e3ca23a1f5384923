import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryEphemeralStore } from '../../src/ephemeral/memory-ephemeral-store.js';
import { MonotonicClock } from '../../src/kernel/monotonic-clock.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { ephemeralStoreContract } from '../contracts/ephemeral-store.js';

ephemeralStoreContract('memory', async () => {
  const clock = new TestClock();
  clock.freeze();
  return { store: new MemoryEphemeralStore(clock), pass: (milliseconds) => clock.advance(milliseconds) };
});

describe('the short memory of one process', () => {
  let clock: TestClock;
  beforeEach(() => {
    clock = new TestClock();
    clock.freeze();
  });

  it('AUTH-1505 is bounded for each space, and the least recently used goes first', () => {
    const store = new MemoryEphemeralStore(clock, 3);
    store.set('other:a', 'kept', 1000);
    for (const key of ['a', 'b', 'c']) store.set(`space:${key}`, key, 1000);
    store.get('space:a');
    store.count('space:d', 1000);
    expect(['a', 'b', 'c'].map((key) => store.get(`space:${key}`))).toEqual(['a', undefined, 'c']);
    expect(store.get('other:a')).toBe('kept');
  });

  it('AUTH-1505 is bounded by itself', () => {
    const store = new MemoryEphemeralStore(clock);
    for (let index = 0; index <= 50_000; index++) store.set(`space:${index}`, index, 1000);
    expect([store.get('space:0'), store.get('space:1')]).toEqual([undefined, 1]);
  });

  it('AUTH-835 AUTH-1505 lasts no longer when the clock is set back, and ends to the millisecond', () => {
    const store = new MemoryEphemeralStore(new MonotonicClock(clock));
    store.set('space:a', 1, 1000);
    store.count('space:b', 1000);
    clock.advance(-365 * 24 * 60 * 60 * 1000);
    expect([store.get('space:a'), store.read('space:b')]).toEqual([1, { count: 1, left: 1000 }]);
    clock.advance(999);
    expect([store.get('space:a'), store.read('space:b')]).toEqual([1, { count: 1, left: 1 }]);
    clock.advance(1);
    expect([store.get('space:a'), store.read('space:b')]).toEqual([undefined, undefined]);
  });
});
