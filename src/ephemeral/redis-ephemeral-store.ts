import type { RedisLink } from '../instances/redis-link.js';
import type { CountedWindow, EphemeralStore, EphemeralValue } from './ephemeral-store.js';
import { countInRedis, readFromRedis, wholeMilliseconds } from './redis-count.js';

/** A store in Redis: each method is one command or one script, and time goes by its clock. */
export class RedisEphemeralStore implements EphemeralStore {
  constructor(private readonly redis: RedisLink) {}

  async get(key: string): Promise<EphemeralValue | undefined> {
    return valueOf(await this.redis.run<string | null>('GET', this.keyOf(key)));
  }

  async set(key: string, value: EphemeralValue, milliseconds: number): Promise<void> {
    await this.redis.run('SET', this.keyOf(key), JSON.stringify(value), 'PX', wholeMilliseconds(milliseconds));
  }

  async setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): Promise<boolean> {
    const time = wholeMilliseconds(milliseconds);
    const done = await this.redis.run<string | null>('SET', this.keyOf(key), JSON.stringify(value), 'PX', time, 'NX');
    return done !== null;
  }

  async take(key: string): Promise<EphemeralValue | undefined> {
    return valueOf(await this.redis.run<string | null>('GETDEL', this.keyOf(key)));
  }

  async delete(key: string): Promise<void> {
    await this.redis.run('UNLINK', this.keyOf(key));
  }

  count(key: string, milliseconds: number): Promise<CountedWindow> {
    return countInRedis(this.redis, this.keyOf(key), milliseconds);
  }

  read(key: string): Promise<CountedWindow | undefined> {
    return readFromRedis(this.redis, this.keyOf(key));
  }

  private keyOf(key: string): string {
    return this.redis.nameOf(`short:${key}`);
  }
}

function valueOf(text: string | null): EphemeralValue | undefined {
  return text === null ? undefined : (JSON.parse(text) as EphemeralValue);
}
