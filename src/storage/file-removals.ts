import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { thumbsFolder } from './file-keys.js';
import { FILE_STORAGE, type FileStorage } from './file-storage.js';
import { FolderRemoval } from './folder-removal.js';
import { type Removal, RemovalQueue } from './removal-queue.js';
import { UnsettledFiles } from './unsettled-files.js';

/**
 * Deletes files in the background, a bounded number at once (FS-36). A failure is logged and reaches nobody (FS-35);
 * the next start tries again, when it is clear which of the files a record names by then.
 *
 * Folders are deleted when their record is, by its id, and another record may get the same id while that waits: what
 * `expect` announced survives.
 */
@Injectable()
export class FileRemovals implements OnApplicationShutdown {
  private readonly logger = new Logger('Storage');
  private readonly waiting = new RemovalQueue();
  private readonly folders = new Map<string, Set<FolderRemoval>>();
  private readonly expected = new Set<string>();
  private readonly maxWorkers: number;
  private workers = 0;
  private holds = 0;
  private idleListeners: (() => void)[] = [];

  constructor(
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    private readonly unsettled: UnsettledFiles,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.maxWorkers = config.filesDeleteMaxWorkers;
  }

  /** Deletes a file and its thumbnails. */
  removeFile(key: string): void {
    this.add({ name: key, run: () => this.deleteFile(key) });
  }

  /** Deletes a folder as it is now: without files that are expected there, and those announced from now on. */
  removeFolder(folder: string): void {
    const removal = new FolderRemoval(folder, this.storage, this.expected);
    const removals = this.folders.get(folder) ?? new Set();
    this.folders.set(folder, removals.add(removal));
    const run = async () => {
      try {
        await removal.run();
      } finally {
        removals.delete(removal);
        if (removals.size === 0) this.folders.delete(folder);
      }
    };
    this.add({ name: folder, run });
  }

  /** Deletes a file and its thumbnails now. */
  async deleteFile(key: string): Promise<void> {
    await this.storage.delete(key);
    await this.storage.deleteFolder(thumbsFolder(key));
  }

  /** Announces a file that is about to be written, until `settle`. Resolves when nothing can take it along any more. */
  async expect(key: string): Promise<void> {
    this.expected.add(key);
    const removals = foldersOf(key).flatMap((folder) => [...(this.folders.get(folder) ?? [])]);
    await Promise.all(removals.map((removal) => removal.spare(key)));
  }

  /** The fate of an announced file is decided: its record names it, or it is gone again. */
  settle(key: string): void {
    this.expected.delete(key);
  }

  /** Puts deletions off until the returned function is called, for as long as a backup reads the files (FS-38). */
  hold(): () => void {
    this.holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.holds--;
      isHeld = false;
      this.work();
    };
  }

  /** Resolves when nothing is left to delete. */
  idle(): Promise<void> {
    if (this.workers === 0 && this.waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  /** What is waiting is done before the process ends; nothing would remember it. */
  async onApplicationShutdown(): Promise<void> {
    this.holds = 0;
    this.work();
    await this.idle();
  }

  private add(removal: Removal): void {
    this.unsettled.add(removal.name);
    this.waiting.push(removal);
    this.work();
  }

  private work(): void {
    while (this.holds === 0 && this.workers < this.maxWorkers && this.waiting.size > 0) {
      this.workers++;
      void this.workOff();
    }
  }

  private async workOff(): Promise<void> {
    for (let removal = this.next(); removal; removal = this.next()) {
      try {
        await removal.run();
        this.unsettled.remove(removal.name);
      } catch (error) {
        this.logger.warn(`${removal.name} could not be deleted: ${String(error)}`);
        this.unsettled.leave(removal.name);
      }
    }
    this.workers--;
    if (this.workers > 0 || this.waiting.size > 0) return;
    for (const listener of this.idleListeners.splice(0)) listener();
  }

  private next(): Removal | undefined {
    return this.holds === 0 ? this.waiting.shift() : undefined;
  }
}

/** The folders a file is in, the inner ones last. */
function foldersOf(key: string): string[] {
  const parts = key.split('/');
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}
