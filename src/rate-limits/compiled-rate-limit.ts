import type { RateLimitRule } from '../settings/settings.js';
import { CounterKeys } from './counter-keys.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A rule ready to be applied: in milliseconds, with the keys it counts under. */
export interface CompiledRateLimit {
  readonly label: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  readonly keys: CounterKeys;
}

/** Makes a rule of the settings ready. */
export function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const window = { duration: duration * 1000, tokens: maxRequests };
  return { label, audience, window, keys: new CounterKeys(`${audience}|${label}|`) };
}
