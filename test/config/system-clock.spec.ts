import { afterEach, expect, it, vi } from 'vitest';
import { SystemClock } from '../../src/config/system-clock.js';
import { timeAt } from '../../src/kernel/clock.js';

afterEach(() => vi.restoreAllMocks());

it('a clock that is asked for each request asks the machine once in a millisecond', () => {
  let now = 1_700_000_000_000;
  const machine = vi.spyOn(Date, 'now').mockImplementation(() => now);
  const clock = new SystemClock();
  expect([clock.at(10), clock.at(10.9), clock.at(9.1)]).toEqual([now, now, now]);
  expect(machine).toHaveBeenCalledTimes(1);
  now += 5;
  expect([clock.at(10.5), clock.at(11)]).toEqual([now - 5, now]);
  now += 5;
  // Before the moment that was asked for last: somebody who waited for long.
  expect([clock.at(10), clock.now()]).toEqual([now, now]);
});

it('a clock that knows nothing of moments is asked each time', () => {
  let now = 0;
  const clock = { now: () => ++now };
  expect([timeAt(clock, 1), timeAt(clock, 1)]).toEqual([1, 2]);
});
