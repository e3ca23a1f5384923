import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';
import type { CountedWindow, EphemeralStore } from './ephemeral-store.js';

/** How many attempts a fixed window lets through. */
export interface AttemptLimit {
  /** The space of its counters in the store. */
  readonly space: string;
  readonly attempts: number;
  /** Milliseconds. */
  readonly window: number;
}

/** Counts attempts per key in fixed windows that begin with the first attempt. */
export class AttemptWindow {
  constructor(
    private readonly store: EphemeralStore,
    private readonly limit: AttemptLimit,
  ) {}

  /** Counts this attempt. Throws 429 when the window has no more; refused attempts do not prolong it. */
  async take(key: string): Promise<void> {
    const window = await this.count(key);
    if (window.count > this.limit.attempts) throw tooMany(window);
  }

  /** Throws 429 when the window has no more. */
  async require(key: string): Promise<void> {
    this.requireMore(await this.read(key));
  }

  /** Throws 429 when this many attempts were counted, as many as the limit says when nothing else is asked for. */
  requireMore(window: CountedWindow | undefined, attempts = this.limit.attempts): void {
    if (window !== undefined && window.count >= attempts) throw tooMany(window);
  }

  /** True when a window has no more attempts. */
  isUsedUp(window: CountedWindow | undefined): boolean {
    return window !== undefined && window.count >= this.limit.attempts;
  }

  async read(key: string): Promise<CountedWindow | undefined> {
    return this.store.read(this.keyOf(key));
  }

  /** Counts an attempt without asking whether there are more. */
  async count(key: string): Promise<CountedWindow> {
    return this.store.count(this.keyOf(key), this.limit.window);
  }

  async forget(key: string): Promise<void> {
    await this.store.delete(this.keyOf(key));
  }

  private keyOf(key: string): string {
    return `${this.limit.space}:${key}`;
  }
}

function tooMany({ left }: CountedWindow): TooManyRequestsError {
  return new TooManyRequestsError(left / 1000);
}
