import type { RateLimitRule } from '../settings/settings.js';
import { type CompiledRateLimit, compileRule } from './compiled-rate-limit.js';
import { PathTree } from './path-tree.js';
import { type LimitedAction, tagLabels } from './rate-limit-labels.js';
import { RulesByAudience } from './rules-by-audience.js';

/** The rules of the settings, arranged so that the one for a request is found without trying them all. Immutable. */
export class RateLimitRules {
  private readonly rules: readonly CompiledRateLimit[];
  private readonly paths: PathTree;
  private readonly pathsOfMethod: ReadonlyMap<string, PathTree>;
  /** False when no rule is for tags, or for methods: then there is nothing to find by them. */
  private readonly nameTags: boolean;
  private readonly nameMethods: boolean;
  /** What tags have in store for requests, by collection; endpoints have the same list of tags all the time. */
  private readonly byTags = new WeakMap<readonly string[], Map<string | undefined, RulesByAudience>>();

  constructor(rules: readonly RateLimitRule[]) {
    this.rules = rules.map(compileRule);
    const ofMethod = (wanted: string) =>
      new PathTree(this.rules.filter(({ method, path }) => method === wanted && path.startsWith('/')));
    const methods = new Set(this.rules.map(({ method }) => method).filter((method) => method !== ''));
    this.nameTags = this.rules.some(({ path }) => !path.startsWith('/'));
    this.nameMethods = methods.size > 0;
    this.paths = ofMethod('');
    this.pathsOfMethod = new Map([...methods].map((method) => [method, ofMethod(method)]));
  }

  /**
   * The one rule that applies to a request (OPS-21 to OPS-23): by its tags, by method and path, by its path. What names
   * GET names HEAD too, which is the same endpoint.
   */
  find({ tags, collection, method, path }: LimitedAction, isGuest: boolean): CompiledRateLimit | undefined {
    return (
      (this.nameTags && tags.length > 0 ? this.ofTags(tags, collection?.name).of(isGuest) : undefined) ??
      (this.nameMethods ? this.ofMethod(method, path, isGuest) : undefined) ??
      this.paths.find(path, isGuest)
    );
  }

  private ofMethod(method: string, path: string, isGuest: boolean): CompiledRateLimit | undefined {
    return (
      this.pathsOfMethod.get(method)?.find(path, isGuest) ??
      (method === 'HEAD' ? this.pathsOfMethod.get('GET')?.find(path, isGuest) : undefined)
    );
  }

  private ofTags(tags: readonly string[], collection: string | undefined): RulesByAudience {
    let known = this.byTags.get(tags);
    if (!known) this.byTags.set(tags, (known = new Map<string | undefined, RulesByAudience>()));
    let rules = known.get(collection);
    if (!rules) {
      const found = tagLabels(tags, collection).flatMap((label) => this.rules.filter((rule) => rule.label === label));
      known.set(collection, (rules = new RulesByAudience(found)));
    }
    return rules;
  }
}
