import { existsSync } from 'node:fs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { Upload } from '../kernel/files/upload.js';
import { FileRemovals } from './file-removals.js';
import { FILE_STORAGE, type FileStorage } from './file-storage.js';
import { forEachOf } from './for-each-of.js';
import { PendingFileJournal } from './pending-file-journal.js';

/** An upload and the key it is to be stored under. */
export interface StagedFile {
  readonly key: string;
  readonly upload: Upload;
}

/** Files of one call that are stored at once. */
const WRITES_AT_ONCE = 4;

/**
 * Ties files to database transactions: written at once and removed again when the transaction does not commit, deleted
 * only when it has (FS-34).
 */
@Injectable()
export class TransactionalFiles {
  private readonly logger = new Logger('Storage');
  private readonly writes = new Map<Upload, Promise<void>>();

  constructor(
    private readonly database: Database,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    private readonly removals: FileRemovals,
    private readonly journal: PendingFileJournal,
  ) {}

  /**
   * Stores files. Inside a transaction they are removed again when it is rolled back; outside of one the caller must
   * `discard` them, or stage the same files again inside the transaction that needs them, which stores nothing twice.
   * When one cannot be stored, all of this call are removed and the storage's fault is thrown.
   */
  async stage(files: readonly StagedFile[]): Promise<void> {
    if (files.length === 0) return;
    if (this.database.inTransaction) {
      this.database.afterRollback(() => this.discard(files));
      this.database.afterCommit(() => this.forget(files));
    }
    try {
      await forEachOf(files, WRITES_AT_ONCE, (file) => this.write(file));
    } catch (error) {
      await this.discard(files);
      throw error;
    }
  }

  /** Removes staged files and their thumbnails at once. Those that were not staged are left alone. */
  async discard(files: readonly StagedFile[]): Promise<void> {
    await forEachOf(files, WRITES_AT_ONCE, async ({ key, upload }) => {
      const write = this.writes.get(upload);
      if (!write) return;
      try {
        await write.catch(() => undefined);
        await this.removals.deleteFile(key);
        this.journal.remove(key);
      } catch (error) {
        this.logger.warn(`${key} could not be deleted: ${thrownText(error)}`);
        this.deleteLater(key);
      }
      this.writes.delete(upload);
      this.removals.unprotect(key);
    });
  }

  /** Deletes in the background: the transaction around the caller, which is going to fail, may block the writer. */
  private deleteLater(key: string): void {
    const adding = this.database.runOutside(() => this.removals.add([key]));
    adding.then(
      () => this.journal.remove(key),
      // The file stays in the journal, which the next start checks.
      () => undefined,
    );
  }

  /** One write for each upload, however often it is staged. */
  private write(file: StagedFile): Promise<void> {
    let write = this.writes.get(file.upload);
    if (!write) {
      this.journal.add(file.key);
      write = this.store(file);
      this.writes.set(file.upload, write);
    }
    return write;
  }

  private async store({ key, upload }: StagedFile): Promise<void> {
    const { path, size, mimeType, originalName, md5 } = upload;
    await this.removals.protect(key);
    try {
      await this.storage.write(key, { path, size, contentType: mimeType, originalName: cut(originalName), md5 });
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(path);
      throw isGone ? goneUpload(originalName, error) : error;
    }
  }

  private forget(files: readonly StagedFile[]): void {
    for (const { key, upload } of files) {
      if (this.writes.delete(upload)) this.journal.remove(key);
      this.removals.unprotect(key);
    }
  }
}

/** The error for a temporary file that is gone: it was used by an earlier attempt, or kept too long. */
function goneUpload(name: string, cause: unknown): Error {
  const message = `The content of the upload "${name}" is gone: an upload is stored once. Make another for another try.`;
  return new Error(message, { cause });
}

/** FS-27. */
function cut(originalName: string): string {
  return [...originalName].slice(0, 255).join('');
}
