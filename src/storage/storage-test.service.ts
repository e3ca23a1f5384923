import { writeFile, mkdir, rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { newTempPath, tempDirOf } from '../config/temp-files.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import { BackupStorage } from './backup-storage.js';
import type { S3FileStorage } from './s3-file-storage.js';
import type { StorageTestDto } from './storage-test.dto.js';
import { StorageService } from './storage.service.js';

/** OPS-12. */
const TIMEOUT = 30_000;

/** Finds out whether the stored S3 settings work. */
@Injectable()
export class StorageTestService {
  constructor(
    private readonly files: StorageService,
    private readonly backups: BackupStorage,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /**
   * Writes a file to the bucket and deletes it again. Throws a BadRequestError with the store's own reason when it does
   * not work.
   */
  async test({ filesystem }: StorageTestDto): Promise<void> {
    const storage = filesystem === 'storage' ? this.files : this.backups;
    if (!storage.isS3) throw new BadRequestError('S3 is not enabled in the settings.');
    try {
      await withinTime(this.writeAndDelete(storage.s3), TIMEOUT);
    } catch (error) {
      throw new BadRequestError(`The S3 storage does not work: ${reasonOf(error)}`, {}, { cause: error });
    }
  }

  private async writeAndDelete(storage: S3FileStorage): Promise<void> {
    const path = newTempPath(this.config, 'test');
    const content = 'test';
    await mkdir(tempDirOf(this.config), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
    try {
      const key = `roost_settings_test_${randomText(5, LOWER_ALPHANUMERIC)}/test.txt`;
      await storage.write(key, { path, size: content.length, contentType: 'text/plain' });
      await storage.delete(key);
    } finally {
      await rm(path, { force: true });
    }
  }
}

function withinTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} seconds`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Some failures to connect have their reason in a code only. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  return message || code || name;
}
