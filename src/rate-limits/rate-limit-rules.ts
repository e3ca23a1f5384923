import type { RateLimitRule } from '../settings/settings.js';
import { type CompiledRateLimit, compileRule } from './compiled-rate-limit.js';
import { PathTree } from './path-tree.js';
import { type LimitedAction, tagLabels } from './rate-limit-labels.js';

type ByCollection = Map<string | undefined, CompiledRateLimit | undefined>;

/**
 * The rules for one audience, arranged so that the one for a request is found without trying them all. Of several with
 * the same label the first one counts.
 */
export class RateLimitRules {
  private readonly paths: PathTree;
  private readonly pathsOfMethod: ReadonlyMap<string, PathTree>;
  /** False when no rule is for tags, or for methods: then there is nothing to find by them. */
  private readonly nameTags: boolean;
  private readonly nameMethods: boolean;
  /** What tags have in store for requests, by collection; endpoints have the same list of tags all the time. */
  private readonly byTags = new WeakMap<readonly string[], ByCollection>();

  private constructor(private readonly rules: readonly CompiledRateLimit[]) {
    const ofMethod = (wanted: string) =>
      new PathTree(rules.filter(({ method, path }) => method === wanted && path.startsWith('/')));
    const methods = new Set(rules.map(({ method }) => method).filter((method) => method !== ''));
    this.nameTags = rules.some(({ path }) => !path.startsWith('/'));
    this.nameMethods = methods.size > 0;
    this.paths = ofMethod('');
    this.pathsOfMethod = new Map([...methods].map((method) => [method, ofMethod(method)]));
  }

  /** Those of the settings for guests, and for who is signed in (OPS-23). */
  static byAudience(stored: readonly RateLimitRule[]): { guests: RateLimitRules; identities: RateLimitRules } {
    const rules = stored.map(compileRule);
    const without = (other: RateLimitRule['audience']) =>
      new RateLimitRules(rules.filter(({ audience }) => audience !== other));
    return { guests: without('@auth'), identities: without('@guest') };
  }

  /**
   * The one rule that applies to a request (OPS-21, OPS-22): by its tags, by method and path, by its path. What names
   * GET names HEAD too, which is the same endpoint.
   */
  find({ tags, collection, method, url }: LimitedAction): CompiledRateLimit | undefined {
    return (
      (this.nameTags && tags.length > 0 ? this.ofTags(tags, collection?.name) : undefined) ??
      (this.nameMethods ? this.ofMethod(method, url) : undefined) ??
      this.paths.find(url)
    );
  }

  private ofMethod(method: string, url: string): CompiledRateLimit | undefined {
    return (
      this.pathsOfMethod.get(method)?.find(url) ??
      (method === 'HEAD' ? this.pathsOfMethod.get('GET')?.find(url) : undefined)
    );
  }

  private ofTags(tags: readonly string[], collection: string | undefined): CompiledRateLimit | undefined {
    let known = this.byTags.get(tags);
    if (!known) this.byTags.set(tags, (known = new Map() as ByCollection));
    if (!known.has(collection)) known.set(collection, this.withLabel(tagLabels(tags, collection)));
    return known.get(collection);
  }

  /** The rule of the first of these labels that has one. */
  private withLabel(labels: readonly string[]): CompiledRateLimit | undefined {
    for (const label of labels) {
      const found = this.rules.find((rule) => rule.label === label);
      if (found) return found;
    }
    return undefined;
  }
}
