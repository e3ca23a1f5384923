import type { RateLimitRule } from '../settings/settings.js';
import { CounterKeys } from './counter-keys.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A label that names a method before its path. */
const WITH_METHOD = /^([A-Z]+) (.*)$/;

/** A rule ready to be applied: its label taken apart, in milliseconds, with the keys it counts under. */
export interface CompiledRateLimit {
  readonly label: string;
  /** The method its label names, or ''. */
  readonly method: string;
  /** What its label says beside that; a tag when it does not begin with a slash, else in lower case. */
  readonly path: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  readonly keys: CounterKeys;
}

/** Makes a rule of the settings ready. */
export function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const [, method = '', path = label] = WITH_METHOD.exec(label) ?? [];
  const window = { duration: duration * 1000, tokens: maxRequests };
  // Names of collections mean the same in any letter case, and so do paths with them.
  const compared = path.startsWith('/') ? path.toLowerCase() : path;
  return { label, method, path: compared, audience, window, keys: new CounterKeys(`${audience}|${label}|`) };
}
