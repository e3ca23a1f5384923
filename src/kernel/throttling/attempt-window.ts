import type { Clock } from '../clock.js';
import { TooManyRequestsError } from '../errors/too-many-requests.error.js';
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

/** Counts attempts per key in fixed windows of a monotonic clock that begin with the first attempt. */
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
    this.require(key);
    this.count(key);
  }

  /** Throws 429 when this many attempts were counted, as many as the limit says when nothing else is asked for. */
  require(key: string, attempts = this.limit.attempts): void {
    const count = this.counts.get(key);
    if (count && count.attempts >= attempts) throw new TooManyRequestsError((count.ends - this.clock.now()) / 1000);
  }

  /** Counts an attempt without asking whether there are more. */
  count(key: string): void {
    const count = this.counts.get(key);
    if (count) count.attempts++;
    else this.counts.set(key, { attempts: 1, ends: this.clock.now() + this.limit.window }, this.limit.window);
  }

  /** True when the window has no more attempts. */
  isUsedUp(key: string): boolean {
    return (this.counts.get(key)?.attempts ?? 0) >= this.limit.attempts;
  }

  forget(key: string): void {
    this.counts.delete(key);
  }
}
