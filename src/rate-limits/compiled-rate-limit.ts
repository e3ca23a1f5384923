import type { RateLimitRule } from '../settings/settings.js';
import type { LimitedAction } from './rate-limit-labels.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A label that names a method before its path. */
const WITH_METHOD = /^([A-Z]+) (.*)$/;

/** A parsed rule, with times in milliseconds. */
export interface CompiledRateLimit {
  readonly label: string;
  /** The method its label names, or ''. */
  readonly method: string;
  /** The rest of its label: a tag, or a path in lower case when it begins with a slash. */
  readonly path: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  /** The prefix of the keys of its counters, the same in every process. */
  readonly key: string;
}

/** Parses a rule of the settings. */
export function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const [, method = '', path = label] = WITH_METHOD.exec(label) ?? [];
  const window = { duration: duration * 1000, tokens: maxRequests };
  // Names of collections are case-insensitive, and so are paths that contain them.
  const compared = path.startsWith('/') ? path.toLowerCase() : path;
  return { label, method, path: compared, audience, window, key: `${audience}|${label}|` };
}

/**
 * The key of a counter: one for each address, where the endpoint has tags also for each collection and action (OPS-24).
 */
export function counterKey({ key }: CompiledRateLimit, { tags, collection }: LimitedAction, ip: string): string {
  const [tag] = tags;
  return tag === undefined ? key + ip : `${key}${ip}|${collection?.id ?? ''}|${tag}`;
}
