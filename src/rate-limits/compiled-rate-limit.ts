import type { RateLimitRule } from '../settings/settings.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A rule ready to be applied: in milliseconds, with the key it counts under. */
export interface CompiledRateLimit {
  readonly label: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  /** The start of its counters' keys, the same in every process. */
  readonly key: string;
}

/** Makes a rule of the settings ready. */
export function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const window = { duration: duration * 1000, tokens: maxRequests };
  return { label, audience, window, key: `${audience}|${label}|` };
}
