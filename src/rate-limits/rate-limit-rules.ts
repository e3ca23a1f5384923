import { requestPath } from '../http/request-path.js';
import type { RateLimitRule } from '../settings/settings.js';
import { type CompiledRateLimit, compileRule } from './compiled-rate-limit.js';
import { PathTree } from './path-tree.js';
import { type LimitedAction, tagLabels } from './rate-limit-labels.js';

const COLLECTIONS = '/api/collections/';

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
  private readonly nameCollections: boolean;
  /** What tags have in store for requests, by collection; endpoints have the same list of tags all the time. */
  private readonly byTags = new WeakMap<readonly string[], ByCollection>();

  private constructor(private readonly rules: readonly CompiledRateLimit[]) {
    const ofMethod = (wanted: string) =>
      new PathTree(rules.filter(({ method, path }) => method === wanted && path.startsWith('/')));
    const methods = new Set(rules.map(({ method }) => method).filter((method) => method !== ''));
    this.nameTags = rules.some(({ path }) => !path.startsWith('/'));
    this.nameCollections = rules.some(({ path }) => path.startsWith(COLLECTIONS));
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
    const found =
      (this.nameTags && tags.length > 0 ? this.ofTags(tags, collection?.name) : undefined) ??
      (this.nameMethods ? this.ofMethod(method, url, collection) : undefined);
    return found ?? this.ofPath(this.paths, url, collection);
  }

  private ofMethod(
    method: string,
    url: string,
    collection: LimitedAction['collection'],
  ): CompiledRateLimit | undefined {
    const of = (name: string): CompiledRateLimit | undefined => {
      const paths = this.pathsOfMethod.get(name);
      return paths && this.ofPath(paths, url, collection);
    };
    return of(method) ?? (method === 'HEAD' ? of('GET') : undefined);
  }

  /** A collection has an id and a name; whichever stands in the URL, the closest rule for either holds. */
  private ofPath(paths: PathTree, url: string, collection: LimitedAction['collection']): CompiledRateLimit | undefined {
    const found = paths.find(url);
    if (!collection || !this.nameCollections) return found;
    const other = paths.find(otherSpelling(url, collection));
    return other && other.path.length > (found?.path.length ?? -1) ? other : found;
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

/** The path of a URL with the name of its collection for the id, or the other way round. */
function otherSpelling(url: string, { id, name }: NonNullable<LimitedAction['collection']>): string {
  const path = requestPath(url).toLowerCase();
  if (!path.startsWith(COLLECTIONS)) return url;
  const [used = '', ...rest] = path.slice(COLLECTIONS.length).split('/');
  const other = used === name.toLowerCase() ? id : name;
  return COLLECTIONS + [encodeURIComponent(other), ...rest.map(encodeURIComponent)].join('/');
}
