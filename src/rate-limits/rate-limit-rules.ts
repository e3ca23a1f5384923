import type { RateLimitRule } from '../settings/settings.js';
import { type CompiledRateLimit, compileRule } from './compiled-rate-limit.js';
import { type LimitedAction, tagLabels } from './rate-limit-labels.js';
import { PathRules } from './path-rules.js';

/** A label that names a method before its path. */
const WITH_METHOD = /^([A-Z]+) (.*)$/;

/** The rules of the settings, arranged so that the one for a request is found without trying them all. Immutable. */
export class RateLimitRules {
  private readonly rules: readonly CompiledRateLimit[];
  private readonly paths: PathRules;
  private readonly pathsOfMethod: ReadonlyMap<string, PathRules>;
  /** False when no rule is for tags: then there is nothing to find by them. */
  private readonly nameTags: boolean;
  /** What tags have in store for requests, by collection; endpoints have the same list of tags all the time. */
  private readonly byTags = new WeakMap<readonly string[], Map<string | undefined, readonly CompiledRateLimit[]>>();

  constructor(rules: readonly RateLimitRule[]) {
    this.rules = rules.map(compileRule);
    const paths = this.rules.map((rule) => {
      const [, method = '', path = rule.label] = WITH_METHOD.exec(rule.label) ?? [];
      return { method, path, rule };
    });
    const ofMethod = (wanted: string) => new PathRules(paths.filter(({ method }) => method === wanted));
    this.nameTags = paths.some(({ path }) => !path.startsWith('/'));
    this.paths = ofMethod('');
    const methods = new Set(paths.map(({ method }) => method).filter((method) => method !== ''));
    this.pathsOfMethod = new Map([...methods].map((method) => [method, ofMethod(method)]));
  }

  /**
   * The one rule that applies to a request (OPS-21 to OPS-23): by its tags, by method and path, by its path. What names
   * GET names HEAD too, which is the same endpoint.
   */
  find({ tags, collection, method, path }: LimitedAction, isGuest: boolean): CompiledRateLimit | undefined {
    const fits = isGuest ? fitsGuest : fitsIdentity;
    return (
      (tags.length === 0 || !this.nameTags ? undefined : this.ofTags(tags, collection?.name).find(fits)) ??
      this.pathsOfMethod.get(method)?.find(path, fits) ??
      (method === 'HEAD' ? this.pathsOfMethod.get('GET')?.find(path, fits) : undefined) ??
      this.paths.find(path, fits)
    );
  }

  private ofTags(tags: readonly string[], collection: string | undefined): readonly CompiledRateLimit[] {
    let known = this.byTags.get(tags);
    if (!known) this.byTags.set(tags, (known = new Map<string | undefined, readonly CompiledRateLimit[]>()));
    let rules = known.get(collection);
    if (!rules) {
      rules = tagLabels(tags, collection).flatMap((label) => this.rules.filter((rule) => rule.label === label));
      known.set(collection, rules);
    }
    return rules;
  }
}

function fitsGuest({ audience }: CompiledRateLimit): boolean {
  return audience !== '@auth';
}

function fitsIdentity({ audience }: CompiledRateLimit): boolean {
  return audience !== '@guest';
}
