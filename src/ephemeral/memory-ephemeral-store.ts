import type { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.js';
import type { CountedWindow, EphemeralStore, EphemeralValue } from './ephemeral-store.js';
import { lruCache } from '../kernel/lru-cache.js';

/** Keys of a space, beyond which the least recently used one is dropped. */
const MAX_KEYS = 50_000;

interface Entry {
  value: EphemeralValue;
  readonly ends: number;
}

/**
 * The memory of one process. `clock` never goes back: what it measures would last as long as the clock was set back by.
 * It has no decorators, because the parent of several workers keeps one without an application around it.
 */
export class MemoryEphemeralStore implements EphemeralStore {
  private readonly spaces = new Map<string, LRUCache<string, Entry>>();

  constructor(
    private readonly clock: Clock,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  get(key: string): EphemeralValue | undefined {
    return this.find(key)?.value;
  }

  set(key: string, value: EphemeralValue, milliseconds: number): void {
    this.space(key).set(key, { value, ends: this.clock.now() + milliseconds });
  }

  setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): boolean {
    if (this.find(key)) return false;
    this.set(key, value, milliseconds);
    return true;
  }

  take(key: string): EphemeralValue | undefined {
    const value = this.get(key);
    this.delete(key);
    return value;
  }

  delete(key: string): void {
    this.space(key).delete(key);
  }

  count(key: string, milliseconds: number): CountedWindow {
    const entry = this.find(key);
    if (entry === undefined) {
      this.set(key, 1, milliseconds);
      return { count: 1, left: milliseconds };
    }
    const count = (entry.value as number) + 1;
    entry.value = count;
    return { count, left: entry.ends - this.clock.now() };
  }

  read(key: string): CountedWindow | undefined {
    const entry = this.find(key);
    return entry && { count: entry.value as number, left: entry.ends - this.clock.now() };
  }

  private find(key: string): Entry | undefined {
    const space = this.space(key);
    const entry = space.get(key);
    if (entry === undefined || this.clock.now() < entry.ends) return entry;
    space.delete(key);
    return undefined;
  }

  /** Each space has its own limit, so that a flood in one does not push others out. */
  private space(key: string): LRUCache<string, Entry> {
    const name = key.slice(0, key.indexOf(':'));
    let space = this.spaces.get(name);
    if (!space) this.spaces.set(name, (space = lruCache(this.maxKeys)));
    return space;
  }
}
