import type { Stats } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { type FileAttributes, readAttributes, UNKNOWN_ATTRIBUTES } from './file-attributes.js';

/** Sidecars that are remembered: some 300 bytes each. */
const MOST = 10_000;

/** What tells one state of a file on disk from any other; a change of content or name changes one of these. */
interface Identity {
  readonly ino: number;
  readonly size: number;
  readonly ctimeMs: number;
}

/**
 * Sidecars that were read before. One holds for as long as the file beside it is the same: writing a file puts its
 * sidecar in place first and then another file.
 */
export class AttributesCache {
  private readonly known = new LRUCache<string, { readonly of: Identity; readonly attributes: FileAttributes }>({
    max: MOST,
  });

  /** The attributes of the file at a path, which has these stats. */
  async read(path: string, stats: Stats): Promise<FileAttributes> {
    const known = this.known.get(path);
    if (known && isSame(known.of, stats)) return known.attributes;
    const attributes = await readAttributes(path);
    // One that is missing, damaged or could not be read may be better next time.
    if (attributes.contentType === UNKNOWN_ATTRIBUTES.contentType) return attributes;
    const { ino, size, ctimeMs } = stats;
    this.known.set(path, { of: { ino, size, ctimeMs }, attributes });
    return attributes;
  }
}

function isSame(one: Identity, other: Identity): boolean {
  return one.ino === other.ino && one.size === other.size && one.ctimeMs === other.ctimeMs;
}
