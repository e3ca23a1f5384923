import { type Clock, timeAt } from '../kernel/clock.js';
import type { RateLimitStore, RateLimitWindow } from './rate-limit-store.js';
import { lruCache } from '../kernel/lru-cache.js';

/** OPS-26. */
const MAX_WINDOWS = 100_000;

interface OpenWindow {
  readonly end: number;
  left: number;
}

/**
 * Windows in this process: at most 100,000, of which the least recently used are dropped first. It has no decorators,
 * because the parent of several workers uses one without an application.
 */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly windows = lruCache<string, OpenWindow>(MAX_WINDOWS);

  constructor(private readonly clock: Clock) {}

  take(key: string, { duration, tokens }: RateLimitWindow, moment: number): number {
    const now = timeAt(this.clock, moment);
    const window = this.windows.get(key);
    const left = window ? window.end - now : 0;
    // More time left than the whole window has means that the clock was set back.
    if (window === undefined || left <= 0 || left > duration) {
      this.windows.set(key, { end: now + duration, left: tokens - 1 });
      return 0;
    }
    if (window.left <= 0) return left;
    window.left--;
    return 0;
  }

  clear(): void {
    this.windows.clear();
  }

  prune(): void {
    const now = this.clock.now();
    for (const [key, window] of this.windows.entries()) if (window.end <= now) this.windows.delete(key);
  }

  /** How many windows are remembered. */
  get size(): number {
    return this.windows.size;
  }
}
