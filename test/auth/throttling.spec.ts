import { beforeEach, describe, expect, it } from 'vitest';
import { AttemptWindow } from '../../src/kernel/throttling/attempt-window.js';
import { ExpiringMap } from '../../src/kernel/throttling/expiring-map.js';
import { MonotonicClock } from '../../src/kernel/monotonic-clock.js';
import { TestClock } from '../../src/testing/test-clock.js';

describe('throttles in memory', () => {
  let clock: TestClock;
  beforeEach(() => {
    clock = new TestClock();
    clock.freeze();
  });

  it('AUTH-835 lets a number of attempts through per fixed window, whoever else attempts', () => {
    const window = new AttemptWindow(clock, { attempts: 2, window: 1000, maxKeys: 10 });
    window.take('a');
    clock.advance(400);
    window.take('a');
    clock.advance(599);
    expect(() => window.take('a')).toThrow(expect.objectContaining({ status: 429 }) as Error);
    window.take('b');
    clock.advance(1);
    window.take('a');
    window.take('a');
    expect(() => window.take('a')).toThrow();
  });

  it('AUTH-835 refused attempts do not prolong the window, and are told how long it lasts', () => {
    const window = new AttemptWindow(clock, { attempts: 1, window: 10_000, maxKeys: 10 });
    window.take('a');
    for (let second = 0; second < 10; second++) {
      expect(() => window.take('a')).toThrow(expect.objectContaining({ retryAfter: 10 - second }) as Error);
      clock.advance(1000);
    }
    window.take('a');
  });

  it('AUTH-835 AUTH-1505 last no longer when the clock is set back', () => {
    const steady = new MonotonicClock(clock);
    const window = new AttemptWindow(steady, { attempts: 1, window: 1000, maxKeys: 10 });
    const map = new ExpiringMap<number>(steady, 3);
    window.take('a');
    map.set('a', 1, 1000);
    clock.advance(-365 * 24 * 60 * 60 * 1000);
    expect(() => window.take('a')).toThrow(expect.objectContaining({ retryAfter: 1 }) as Error);
    expect(map.get('a')).toBe(1);
    clock.advance(1000);
    window.take('a');
    expect(map.get('a')).toBeUndefined();
  });

  it('AUTH-1505 remembers a bounded number of things, each for its own time', () => {
    const map = new ExpiringMap<number>(clock, 3);
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, index, 1000 + index);
    expect(map.get('a')).toBeUndefined();
    expect(map.size).toBe(3);
    clock.advance(1001);
    expect([map.get('b'), map.get('c'), map.get('d')]).toEqual([undefined, 2, 3]);
    map.delete('c');
    expect(map.get('c')).toBeUndefined();
  });
});
