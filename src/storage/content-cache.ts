import { LRUCache } from 'lru-cache';
import { type FileIdentity, identityOf, isSameFile } from './file-identity.js';
import type { StoredFile } from './file-storage.js';

/** Bytes of content and of what is kept beside it. */
const MOST = 8 * 1024 * 1024;
const OVERHEAD = 1024;

/** File systems have coarse timestamps: a file this young could change again without getting another one. */
const SETTLED_AFTER = 2000;

/** A small file that was read before. */
export interface KnownContent {
  readonly of: FileIdentity;
  readonly file: StoredFile;
  readonly content: Buffer;
}

/** Caches small files. The caller has to check that the file still exists. */
export class ContentCache {
  private readonly known = new LRUCache<string, KnownContent>({
    maxSize: MOST,
    sizeCalculation: ({ content }) => content.length + OVERHEAD,
  });

  has(path: string): boolean {
    return this.known.has(path);
  }

  /** What was read from the file at a path, which is in this state. */
  find(path: string, state: FileIdentity): KnownContent | undefined {
    const known = this.known.get(path);
    if (!known || isSameFile(known.of, state)) return known;
    this.known.delete(path);
    return undefined;
  }

  keep(path: string, state: FileIdentity, { file, content }: Pick<KnownContent, 'file' | 'content'>): void {
    if (Date.now() - state.ctimeMs < SETTLED_AFTER) return;
    this.known.set(path, { of: identityOf(state), file, content });
  }
}
