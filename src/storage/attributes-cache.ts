import type { Stats } from 'node:fs';
import { type FileIdentity, identityOf, isSameFile } from './file-identity.js';
import { type FileAttributes, readAttributes, UNKNOWN_ATTRIBUTES } from './file-attributes.js';
import { lruCache } from '../kernel/lru-cache.js';

/** Sidecars that are remembered: some 300 bytes each. */
const MOST = 10_000;

/**
 * Caches sidecars. An entry is valid as long as the file itself is the same: writing a file replaces its sidecar first
 * and then the file.
 */
export class AttributesCache {
  private readonly known = lruCache<string, { readonly of: FileIdentity; readonly attributes: FileAttributes }>(MOST);

  /** The attributes of the file at a path, which has these stats; UNKNOWN_ATTRIBUTES itself where nothing tells. */
  async read(path: string, stats: Stats): Promise<FileAttributes> {
    const known = this.known.get(path);
    if (known && isSameFile(known.of, stats)) return known.attributes;
    const attributes = await readAttributes(path);
    // A missing, damaged or unreadable sidecar is not cached, because it may be there the next time.
    if (attributes === UNKNOWN_ATTRIBUTES) return attributes;
    this.known.set(path, { of: identityOf(stats), attributes });
    return attributes;
  }
}
