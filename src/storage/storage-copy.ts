import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { newTempPath, tempDirOf, type TempPlace } from '../config/temp-files.js';
import { messageOf } from '../kernel/errors/message-of.js';
import type { FileStorage, ListedFile, StoredFile } from './file-storage.js';
import { SettingsService } from '../settings/settings.service.js';
import { StorageService } from './storage.service.js';
import { untilClosed } from './until-closed.js';

/** Where files are copied to; the other one is where they come from. */
export type CopyTarget = 'local' | 's3';

/** How far a copy is: files by what became of them, and the bytes that went over. */
export interface StorageCopyProgress {
  readonly copied: number;
  /** Those that were there already. */
  readonly present: number;
  readonly bytes: number;
  /** Keys that could not be copied, with the reason. */
  readonly failures: readonly { readonly key: string; readonly reason: string }[];
}

export interface StorageCopyOptions {
  /** Called after each file. */
  readonly onProgress?: (progress: StorageCopyProgress) => void;
  /** Stops before the next file. */
  readonly signal?: AbortSignal;
}

const FILES_AT_ONCE = 8;

/**
 * Copies every file from one storage to the other (FS-50). It may run while requests are served, be interrupted and be
 * run again: what is there already, of the same size and content, is not copied twice.
 */
@Injectable()
export class StorageCopy {
  constructor(
    private readonly storage: StorageService,
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /**
   * Copies everything. A file that cannot be copied does not stop the others; it is among the failures. The bucket is
   * that of the settings, which need not be enabled yet. Throws when they name none.
   */
  async run(to: CopyTarget, options: StorageCopyOptions = {}): Promise<StorageCopyProgress> {
    const { bucket, endpoint, accessKey, secret } = this.settings.get().s3;
    if ([bucket, endpoint, accessKey, secret].includes(''))
      throw new Error('The S3 settings are not complete: fill them in under Settings / Files storage.');
    const { local, s3 } = this.storage;
    return copyAll(to === 's3' ? local : s3, to === 's3' ? s3 : local, this.config, options);
  }
}

/** Copies between any two storages, through temporary files of this machine. */
export async function copyAll(
  from: FileStorage,
  to: FileStorage,
  place: TempPlace,
  { onProgress, signal }: StorageCopyOptions = {},
): Promise<StorageCopyProgress> {
  await mkdir(tempDirOf(place), { recursive: true, mode: 0o700 });
  const failures: { key: string; reason: string }[] = [];
  const progress = { copied: 0, present: 0, bytes: 0, failures };
  const files = from.list('')[Symbol.asyncIterator]();
  const worker = async () => {
    for (let next = await files.next(); !next.done; next = await files.next()) {
      signal?.throwIfAborted();
      const { key, size } = next.value;
      try {
        const outcome = await copyOne(from, to, next.value, place);
        if (outcome === 'copied') progress.bytes += size;
        if (outcome !== 'gone') progress[outcome]++;
      } catch (error) {
        failures.push({ key, reason: messageOf(error) });
      }
      onProgress?.(progress);
    }
  };
  // All workers are awaited before the first failure is thrown, so that nothing is being written after that.
  const ended = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, worker));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return progress;
}

async function copyOne(
  from: FileStorage,
  to: FileStorage,
  { key, size }: ListedFile,
  place: TempPlace,
): Promise<'copied' | 'present' | 'gone'> {
  const present = await to.stat(key);
  if (present?.size === size && (await holdsSame(from, to, present))) return 'present';
  const path = newTempPath(place, 'copy');
  try {
    const fetched = await fetchFile(from, key, path);
    // Deleted since it was listed: the copy runs beside a server.
    if (!fetched) return 'gone';
    await to.write(key, fetched);
    if (!(await holds(to, key, fetched.md5))) throw new Error('The copy is not what was sent.');
    return 'copied';
  } finally {
    await rm(path, { force: true });
  }
}

/** Whether the target has the file: the same key and size, unless both sides know different checksums. */
async function holdsSame(from: FileStorage, to: FileStorage, present: StoredFile): Promise<boolean> {
  const source = await from.stat(present.key);
  if (!source?.md5 || !present.md5 || source.md5 === present.md5) return true;
  return (await md5Of(to, present.key)) === source.md5;
}

/** Whether this content is stored under the key. What the storage says settles it only when it agrees. */
async function holds(storage: FileStorage, key: string, md5: string): Promise<boolean> {
  return (await storage.stat(key))?.md5 === md5 || (await md5Of(storage, key)) === md5;
}

/** Puts a file on this machine; its MD5 is that of the bytes that arrived. */
async function fetchFile(
  from: FileStorage,
  key: string,
  path: string,
): Promise<(StoredFile & { path: string; md5: string }) | undefined> {
  const opened = await from.open(key);
  if (!opened) return undefined;
  const { file, stream } = opened;
  const hash = createHash('md5');
  stream.on('data', (chunk: Buffer) => hash.update(chunk));
  const sink = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await untilClosed(sink, pipeline(stream, sink));
  if (sink.bytesWritten !== file.size) throw new Error(`Only ${sink.bytesWritten} of ${file.size} bytes arrived.`);
  return { ...file, path, md5: hash.digest('base64') };
}

async function md5Of(storage: FileStorage, key: string): Promise<string> {
  const opened = await storage.open(key);
  if (!opened) throw new Error('The file is gone.');
  const hash = createHash('md5');
  await pipeline(opened.stream, hash);
  return hash.digest('base64');
}
