import type { LimitedAction } from './rate-limit-labels.js';

/** So many texts are remembered; then it begins anew. */
const MAX_REMEMBERED = 20_000;

type ByIp = Map<string, string>;

/**
 * The keys of the counters of one rule: one for each address; where the endpoint has tags also for each collection and
 * action (OPS-24). They are remembered, because a text that was just put together has to be hashed and compared letter
 * by letter: most of what a check would cost.
 */
export class CounterKeys {
  private byTag = new Map<string, Map<string, ByIp>>();
  private remembered = 0;
  /** What was asked for last, and its key: many requests in a row are of the same client and endpoint. */
  private lastTags: LimitedAction['tags'] | undefined;
  private lastCollection: LimitedAction['collection'] = null;
  private lastIp = '';
  private lastKey = '';

  /** `prefix` stands for the rule, the same in every process. */
  constructor(private readonly prefix: string) {}

  of(action: LimitedAction, ip: string): string {
    const { tags, collection } = action;
    if (this.lastTags === tags && this.lastCollection === collection && this.lastIp === ip) return this.lastKey;
    this.lastTags = tags;
    this.lastCollection = collection;
    this.lastIp = ip;
    return (this.lastKey = this.known(action, ip));
  }

  private known({ tags, collection }: LimitedAction, ip: string): string {
    const tag = tags[0] ?? '';
    const id = tag === '' ? '' : (collection?.id ?? '');
    let byCollection = this.byTag.get(tag);
    if (!byCollection) this.byTag.set(tag, (byCollection = new Map<string, ByIp>()));
    let byIp = byCollection.get(id);
    if (!byIp) byCollection.set(id, (byIp = new Map<string, string>()));
    return byIp.get(ip) ?? this.remember(byIp, ip, tag === '' ? '' : `|${id}|${tag}`);
  }

  private remember(byIp: ByIp, ip: string, suffix: string): string {
    const key = this.prefix + ip + suffix;
    if (++this.remembered > MAX_REMEMBERED) {
      this.byTag = new Map();
      this.remembered = 0;
    } else byIp.set(ip, key);
    return key;
  }
}
