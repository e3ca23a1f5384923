import type { Clock } from '../../kernel/clock.js';
import { TooManyRequestsError } from '../../kernel/errors/too-many-requests.error.js';
import { ExpiringMap } from './expiring-map.js';

/** How many attempts a fixed window lets through. */
export interface AttemptLimit {
  readonly attempts: number;
  /** Milliseconds. */
  readonly window: number;
  /** Keys that are counted at the same time; past that the least recently used count is lost. */
  readonly maxKeys: number;
}

interface Count {
  attempts: number;
  readonly ends: number;
}

/** Counts attempts per key in fixed windows of a steady clock that begin with the first attempt. */
export class AttemptWindow {
  private readonly counts: ExpiringMap<Count>;

  constructor(
    private readonly clock: Clock,
    private readonly limit: AttemptLimit,
  ) {
    this.counts = new ExpiringMap(clock, limit.maxKeys);
  }

  /** Counts this attempt. Throws 429 when the window has no more; refused attempts do not prolong it. */
  take(key: string): void {
    let count = this.counts.get(key);
    if (!count) {
      count = { attempts: 0, ends: this.clock.now() + this.limit.window };
      this.counts.set(key, count, this.limit.window);
    }
    if (count.attempts >= this.limit.attempts) {
      throw new TooManyRequestsError((count.ends - this.clock.now()) / 1000);
    }
    count.attempts++;
  }
}
