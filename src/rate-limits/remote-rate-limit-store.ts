import type { RequestAnswers, RequestChannel } from '../instances/request-channel.js';
import type { RateLimitStore, RateLimitWindow } from './rate-limit-store.js';

const TAKE = 'rate-limits.take';
const CLEAR = 'rate-limits.clear';

/** Windows in another process, the same for all that ask it. */
export class RemoteRateLimitStore implements RateLimitStore {
  constructor(private readonly channel: RequestChannel) {}

  take(key: string, window: RateLimitWindow): Promise<number> {
    return this.channel.request(TAKE, [key, window]) as Promise<number>;
  }

  async clear(): Promise<void> {
    await this.channel.request(CLEAR, null);
  }

  /** There, the least recently used go by themselves. */
  prune(): void {}
}

/** What answers the remote stores of other processes out of the store of this one. */
export function rateLimitAnswers(store: RateLimitStore): RequestAnswers {
  return {
    [TAKE]: (payload) => store.take(...(payload as [string, RateLimitWindow]), performance.now()),
    [CLEAR]: () => store.clear(),
  };
}
