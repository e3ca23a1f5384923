import { requestPath } from '../http/adapter/request-path.js';
import type { RateLimitRule } from '../settings/settings.js';
import { type CompiledRateLimit, compileRule } from './compiled-rate-limit.js';
import { type LimitedAction, tagLabels } from './rate-limit-labels.js';

const COLLECTIONS = '/api/collections/';

/**
 * The rules for one audience. There are a handful, so they are tried one after another. Of several with the same label
 * the first one counts.
 */
export class RateLimitRules {
  /** The rules for paths by method, those with the longest path first. */
  private readonly byMethod: ReadonlyMap<string, readonly CompiledRateLimit[]>;
  /** False when no rule is for a tag. */
  private readonly nameTags: boolean;
  private readonly nameCollections: boolean;

  private constructor(private readonly rules: readonly CompiledRateLimit[]) {
    const ofPaths = rules.filter(({ path }) => path.startsWith('/'));
    // The sort is stable: of several rules for the same path the first one counts.
    ofPaths.sort((one, other) => other.path.length - one.path.length);
    const methods = new Set(ofPaths.map(({ method }) => method));
    this.byMethod = new Map([...methods].map((name) => [name, ofPaths.filter(({ method }) => method === name)]));
    this.nameTags = rules.some(({ path }) => !path.startsWith('/'));
    this.nameCollections = rules.some(({ path }) => path.startsWith(COLLECTIONS));
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
    const found = this.nameTags && tags.length > 0 ? this.withLabel(tagLabels(tags, collection?.name)) : undefined;
    if (found || this.byMethod.size === 0) return found;
    const path = requestPath(url).toLowerCase();
    const of = (name: string) => this.ofPath(this.byMethod.get(name) ?? [], path, collection);
    return of(method) ?? (method === 'HEAD' ? of('GET') : undefined) ?? of('');
  }

  /** A collection has an id and a name; whichever stands in the URL, the closest rule for either holds. */
  private ofPath(
    rules: readonly CompiledRateLimit[],
    path: string,
    collection: LimitedAction['collection'],
  ): CompiledRateLimit | undefined {
    const found = closest(rules, path);
    if (!collection || !this.nameCollections) return found;
    const other = closest(rules, otherSpelling(path, collection));
    return other && other.path.length > (found?.path.length ?? -1) ? other : found;
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

/**
 * Of rules whose longest paths come first: the one for exactly this path, else the one for the closest directory that
 * it is or lies in (OPS-22).
 */
function closest(rules: readonly CompiledRateLimit[], path: string): CompiledRateLimit | undefined {
  const equal = rules.find((rule) => rule.path === path);
  return equal ?? rules.find((rule) => rule.path.endsWith('/') && `${path}/`.startsWith(rule.path));
}

/** A path with the name of its collection for the id, or the other way round. */
function otherSpelling(path: string, { id, name }: NonNullable<LimitedAction['collection']>): string {
  if (!path.startsWith(COLLECTIONS)) return path;
  const [used = '', ...rest] = path.slice(COLLECTIONS.length).split('/');
  const other = used === name.toLowerCase() ? id : name;
  return COLLECTIONS + [other.toLowerCase(), ...rest].join('/');
}
