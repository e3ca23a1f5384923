import { expect, it } from 'vitest';
import { MonotonicClock } from './monotonic-clock.js';

it('a monotonic clock goes with the other one, and goes on when that is set back', () => {
  let now = 5_000_000;
  const clock = new MonotonicClock({ now: () => now });
  expect(clock.now()).toBe(5_000_000);
  now += 10;
  expect(clock.now()).toBe(5_000_010);
  now -= 4_000_000;
  expect(clock.now()).toBe(5_000_010);
  now += 90;
  expect(clock.now()).toBe(5_000_100);
  now -= 50;
  expect(clock.now()).toBe(5_000_100);
  now += 1_000_000;
  expect(clock.now()).toBe(6_000_100);
});
