import type { RateLimitRule } from '../settings/settings.js';
import type { LimitedAction } from './rate-limit-labels.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A label that names a method before its path. */
const WITH_METHOD = /^([A-Z]+) (.*)$/;

/** A rule ready to be applied: its label taken apart, in milliseconds. */
export interface CompiledRateLimit {
  readonly label: string;
  /** The method its label names, or ''. */
  readonly method: string;
  /** What its label says beside that; a tag when it does not begin with a slash, else in lower case. */
  readonly path: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  /** What its counters' keys begin with: the rule, the same in every process. */
  readonly key: string;
}

/** Makes a rule of the settings ready. */
export function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const [, method = '', path = label] = WITH_METHOD.exec(label) ?? [];
  const window = { duration: duration * 1000, tokens: maxRequests };
  // Names of collections mean the same in any letter case, and so do paths with them.
  const compared = path.startsWith('/') ? path.toLowerCase() : path;
  return { label, method, path: compared, audience, window, key: `${audience}|${label}|` };
}

/** The key of a counter: one for each address, where the endpoint has tags also for each collection and action (OPS-24). */
export function counterKey({ key }: CompiledRateLimit, { tags, collection }: LimitedAction, ip: string): string {
  const [tag] = tags;
  return tag === undefined ? key + ip : `${key}${ip}|${collection?.id ?? ''}|${tag}`;
}
