import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';

interface Entry<Value> {
  readonly value: Value;
  readonly expires: number;
}

/**
 * Values that are forgotten after a while, by a monotonic clock, and of which there are never more than `max`:
 * past that the least recently used one goes (AUTH-1505).
 */
export class ExpiringMap<Value> {
  /** Made with the first value: a cache takes all its memory at once. */
  private entries?: LRUCache<string, Entry<Value>>;

  constructor(
    private readonly clock: Clock,
    private readonly max: number,
  ) {}

  /** The value while it lasts. */
  get(key: string): Value | undefined {
    const entry = this.entries?.get(key);
    if (entry === undefined) return undefined;
    if (this.clock.now() < entry.expires) return entry.value;
    this.delete(key);
    return undefined;
  }

  set(key: string, value: Value, milliseconds: number): void {
    this.entries ??= new LRUCache({ max: this.max });
    this.entries.set(key, { value, expires: this.clock.now() + milliseconds });
  }

  delete(key: string): void {
    this.entries?.delete(key);
  }

  get size(): number {
    return this.entries?.size ?? 0;
  }
}
