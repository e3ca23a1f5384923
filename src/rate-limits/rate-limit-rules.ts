import type { RateLimitRule } from '../settings/settings.js';
import type { RateLimitWindow } from './rate-limit-store.js';

/** A rule ready to be applied. */
export interface CompiledRateLimit {
  readonly label: string;
  readonly audience: RateLimitRule['audience'];
  readonly window: RateLimitWindow;
  /** The start of its counters' keys, the same in every process. */
  readonly key: string;
}

/** The rules of the settings, arranged so that the one for a request is found without trying them all. Immutable. */
export class RateLimitRules {
  private readonly exact = new Map<string, CompiledRateLimit[]>();
  /** Rules for everything below a path, the longest label first. */
  private readonly prefixes: readonly CompiledRateLimit[];

  constructor(rules: readonly RateLimitRule[]) {
    const compiled = rules.map(compileRule);
    for (const rule of compiled) this.exact.set(rule.label, [...(this.exact.get(rule.label) ?? []), rule]);
    this.prefixes = compiled.filter((rule) => rule.label.endsWith('/')).sort((a, b) => b.label.length - a.label.length);
  }

  /** The one rule that applies to a request with these labels, in their order (OPS-22, OPS-23). */
  find(labels: readonly string[], isGuest: boolean): CompiledRateLimit | undefined {
    for (const label of labels) {
      const rule = this.exact.get(label)?.find((candidate) => fits(candidate, isGuest)) ?? this.above(label, isGuest);
      if (rule) return rule;
    }
    return undefined;
  }

  private above(label: string, isGuest: boolean): CompiledRateLimit | undefined {
    // Tags have no slash, so no prefix can match them.
    if (!label.includes('/')) return undefined;
    const directory = `${label}/`;
    return this.prefixes.find((rule) => directory.startsWith(rule.label) && fits(rule, isGuest));
  }
}

function compileRule({ label, audience, duration, maxRequests }: RateLimitRule): CompiledRateLimit {
  const window = { duration: duration * 1000, tokens: maxRequests };
  return { label, audience, window, key: `${audience}|${label}|` };
}

function fits(rule: CompiledRateLimit, isGuest: boolean): boolean {
  return rule.audience === '' || (rule.audience === '@guest') === isGuest;
}
