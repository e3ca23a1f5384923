import { copyFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpException, Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { messageOf } from '../kernel/errors/message-of.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { Upload } from '../kernel/files/upload.js';
import type { Caller } from '../kernel/records/caller.js';
import { SettingsService } from '../settings/settings.service.js';
import { BackupActivity, type RestoreOutcome } from '../storage/backup-activity.js';
import { BackupStorage } from '../storage/backup-storage.js';
import type { ByteRange, ListedFile, OpenedFile, StoredFile } from '../storage/file-storage.js';
import { untilClosed } from '../storage/until-closed.js';
import type { ArchiveProgress } from './archive-writer.js';
import type { UnpackProgress } from './archive-reader.js';
import type { ListedBackup } from './backup.dto.js';
import { BackupInspection } from './backup-inspection.js';
import { BackupMaker } from './backup-maker.js';
import { backupName, isPlainName, requireBackupName, requireUploadName } from './backup-names.js';
import { BackupRestorer } from './backup-restorer.js';
import { AfterBackup, AfterRestore, BeforeBackup, BeforeRestore } from './backup.hooks.js';

/** How a backup is made. */
export interface BackupOptions {
  readonly onProgress?: (progress: ArchiveProgress) => void;
  /** For hooks: who asked for it. */
  readonly caller?: Caller | null;
}

const ZIP = 'application/zip';

/** Injects the milliseconds from the answer to a restore, which is on its way then, to its beginning. */
export const RESTORE_DELAY = Symbol('RESTORE_DELAY');

const BUSY = 'Another backup or restore is running.';

/** Backups: made, kept, fetched and restored (chapter 06 E). */
@Injectable()
export class BackupsService implements OnApplicationShutdown {
  private readonly logger = new Logger('Backups');
  private restoring: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: BackupStorage,
    private readonly activity: BackupActivity,
    private readonly maker: BackupMaker,
    private readonly restorer: BackupRestorer,
    private readonly inspection: BackupInspection,
    private readonly settings: SettingsService,
    private readonly hooks: HookRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(RESTORE_DELAY) private readonly restoreDelay: number,
  ) {}

  /** All backups by key. Throws a BadRequestError when the storage cannot be asked. */
  async list(): Promise<ListedBackup[]> {
    const files = await this.withReason(() => this.files());
    return files.map(({ key, size, modified }) => ({ key, size, modified: formatDateTime(modified.getTime()) }));
  }

  /**
   * Makes a backup and resolves with its key when it is complete. Throws a ValidationError for a name that cannot be
   * given, a BadRequestError while another one is running.
   */
  async create(name = '', options: BackupOptions = {}): Promise<string> {
    if (name !== '') requireBackupName(name);
    const key = name || backupName('roost_backup_', this.settings.get().meta.appName, this.clock.now());
    if (await this.withReason(() => this.storage.stat(key))) {
      throw new ValidationError({ name: fieldError('validation_backup_name_exists') });
    }
    await this.withReason(() => this.make(key, options), 'The backup could not be made');
    return key;
  }

  /** Makes a backup under a key that is known to be good. Throws a BadRequestError while another one is running. */
  async make(key: string, { onProgress, caller = null }: BackupOptions = {}): Promise<void> {
    const end = await this.activity.tryBegin(key);
    if (!end) throw new BadRequestError(BUSY);
    try {
      await this.hooks.run(BeforeBackup, { key, caller });
      const size = await this.maker.make(async (made) => {
        await this.storage.write(key, { ...made, contentType: ZIP });
        return made.size;
      }, onProgress);
      this.logger.log(`Made the backup ${key} of ${size} bytes.`);
      await this.hooks.runAfter(AfterBackup, { key, size, caller });
    } finally {
      end();
    }
  }

  /** Keeps a backup that was made elsewhere. Throws a ValidationError at `file`. */
  async upload(file: Upload | undefined): Promise<void> {
    if (!file) throw new ValidationError({ file: fieldError('validation_required') });
    requireUploadName(file.originalName);
    if (file.mimeType !== ZIP) throw new ValidationError({ file: fieldError('validation_invalid_mime_type') });
    if (await this.withReason(() => this.storage.stat(file.originalName))) {
      throw new ValidationError({ file: fieldError('validation_backup_name_exists') });
    }
    const { path, size, md5, originalName } = file;
    await this.withReason(() => this.storage.write(originalName, { path, size, md5, contentType: ZIP }));
  }

  /** Throws a NotFoundError when there is no such backup. */
  async stat(key: string): Promise<StoredFile> {
    const file = isPlainName(key) ? await this.storage.stat(key) : undefined;
    if (!file) throw new NotFoundError();
    return file;
  }

  /** Opens a backup for reading. Throws a NotFoundError when there is none. */
  async open(key: string, range?: ByteRange): Promise<OpenedFile> {
    const opened = isPlainName(key) ? await this.storage.open(key, range) : undefined;
    if (!opened) throw new NotFoundError();
    return opened;
  }

  /** Throws a BadRequestError when there is no such backup, or it is the one that is being made or restored. */
  async delete(key: string): Promise<void> {
    await this.require(key);
    if (this.activity.key === key) throw new BadRequestError('The backup is in use.');
    await this.withReason(() => this.storage.delete(key));
  }

  /**
   * Begins to restore a backup; the outcome is in the log and in `BackupActivity`. Throws a BadRequestError when that
   * is not possible, or when a first look at the archive tells that it could not be restored (OPS-104a).
   */
  async startRestore(key: string, caller: Caller | null = null): Promise<void> {
    await this.require(key);
    const end = await this.activity.tryBegin(key);
    if (!end) throw new BadRequestError(BUSY);
    try {
      await this.withReason(() => this.inspection.require(key), `The backup ${key} cannot be restored`);
      await this.hooks.run(BeforeRestore, { key, caller });
    } catch (error) {
      end();
      throw error;
    }
    this.restoring = this.restoreLater(key, caller).finally(end);
  }

  /** Restores an archive of this machine, now. Rejects with what is wrong; then nothing has changed. */
  async restoreFile(path: string, onProgress?: (progress: UnpackProgress) => void): Promise<void> {
    const end = await this.activity.tryBegin(path);
    if (!end) throw new BadRequestError(BUSY);
    const event = { key: basename(path), caller: null };
    try {
      await this.hooks.run(BeforeRestore, event);
      await this.restorer.restore((target) => copyFile(path, target), { backup: event.key, onProgress });
      await this.hooks.runAfter(AfterRestore, event);
    } finally {
      end();
    }
  }

  /** Resolves when no restore is running any more. */
  idle(): Promise<void> {
    return this.restoring;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.restoring;
  }

  private async restoreLater(key: string, caller: Caller | null): Promise<void> {
    await sleep(this.restoreDelay);
    try {
      await this.restorer.restore((path) => this.fetch(key, path), { backup: key });
      this.noteOutcome(key, 'restored');
      this.logger.log(`Restored the backup ${key}.`);
      await this.hooks.runAfter(AfterRestore, { key, caller });
    } catch (error) {
      const { message, stack } = error as Error;
      this.noteOutcome(key, 'failed', message);
      this.logger.error(`The backup ${key} was not restored, all data is as before: ${message}`, stack);
    }
  }

  private noteOutcome(backup: string, outcome: RestoreOutcome['outcome'], reason = ''): void {
    this.activity.lastRestore = { time: formatDateTime(this.clock.now()), backup, outcome, reason };
  }

  private async fetch(key: string, path: string): Promise<void> {
    const { stream } = await this.open(key);
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await untilClosed(file, pipeline(stream, file));
  }

  private async files(): Promise<ListedFile[]> {
    const files: ListedFile[] = [];
    for await (const file of this.storage.listDirect('')) if (isPlainName(file.key)) files.push(file);
    return files.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  private async require(key: string): Promise<void> {
    const exists = isPlainName(key) && (await this.withReason(() => this.storage.stat(key)));
    if (!exists) throw new BadRequestError('There is no such backup.');
  }

  /** Passes the reason of a failure on, because only the operator can see it, and needs it. */
  private async withReason<T>(work: () => Promise<T>, failed = 'The storage of backups does not work'): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What a hook of a team says is the answer (EXT-32).
      if (error instanceof ApiError || error instanceof HttpException) throw error;
      throw new BadRequestError(`${failed}: ${messageOf(error)}`, {}, { cause: error });
    }
  }
}
