import { thumbsFolder } from './file-keys.js';
import type { FileStorage } from './file-storage.js';

/** The deletion of one folder, which leaves alone what was spared before or while it runs. */
export class FolderRemoval {
  private readonly spared: Set<string>;
  private wiping: Promise<void> | undefined;

  /** `expected` are the files that are being written at the moment; of those the ones in the folder are spared. */
  constructor(
    private readonly folder: string,
    private readonly storage: FileStorage,
    expected: Iterable<string>,
  ) {
    this.spared = new Set([...expected].filter((key) => key.startsWith(folder)));
  }

  async run(): Promise<void> {
    if (this.spared.size === 0) {
      this.wiping = this.storage.deleteFolder(this.folder);
      await this.wiping;
      return;
    }
    for await (const { key } of this.storage.list(this.folder)) {
      if (!this.isSpared(key)) await this.storage.delete(key);
    }
  }

  /** Keeps a file, and its thumbnails, from being deleted. Resolves when it is safe to write it. */
  async spare(key: string): Promise<void> {
    this.spared.add(key);
    await this.wiping?.catch(() => undefined);
  }

  private isSpared(key: string): boolean {
    if (this.spared.has(key)) return true;
    return [...this.spared].some((file) => key.startsWith(thumbsFolder(file)));
  }
}
