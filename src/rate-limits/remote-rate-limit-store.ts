import type { RequestAnswers, RequestChannel } from '../instances/instance-link.js';
import type { RateLimitStore, RateLimitWindow } from './rate-limit-store.js';

const TAKE = 'rate-limits.take';
const CLEAR = 'rate-limits.clear';

/** Windows in another process, shared by all that use it. */
export class RemoteRateLimitStore implements RateLimitStore {
  constructor(private readonly channel: RequestChannel) {}

  take(key: string, window: RateLimitWindow): Promise<number> {
    return this.channel.request(TAKE, [key, window]) as Promise<number>;
  }

  async clear(): Promise<void> {
    await this.channel.request(CLEAR, null);
  }

  /** There, the least recently used are dropped by themselves. */
  prune(): void {}
}

/** Handlers in this process for the remote stores of others. */
export function rateLimitAnswers(store: RateLimitStore): RequestAnswers {
  return {
    [TAKE]: (payload) => store.take(...(payload as [string, RateLimitWindow]), performance.now()),
    [CLEAR]: () => store.clear(),
  };
}
