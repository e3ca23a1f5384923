import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries, whose memory grows as it fills. An LRUCache with `max` takes it for all of them when
 * it is made: 2 ms and 180 KiB for 10,000.
 */
export function lruCache<Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
