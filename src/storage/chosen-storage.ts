import type { S3Settings } from '../settings/settings.js';
import type { ByteRange, FileStorage, ListedFile, NewFile, OpenedFile, StoredFile } from './file-storage.js';
import { LocalFileStorage } from './local-file-storage.js';
import { S3FileStorage } from './s3-file-storage.js';

/**
 * A bucket when the settings enable one, otherwise a local directory. Each call looks at the settings of the moment;
 * switching moves nothing, and calls that run finish where they began (FS-50).
 */
export class ChosenStorage implements FileStorage {
  /** The directory, whether in force or not. */
  readonly local: LocalFileStorage;
  private bucket: { readonly settings: S3Settings; readonly storage: S3FileStorage } | undefined;

  constructor(
    directory: string,
    private readonly settings: () => S3Settings,
  ) {
    this.local = new LocalFileStorage(directory);
  }

  /** The bucket, whether in force or not. One client serves until the settings change. */
  get s3(): S3FileStorage {
    const settings = this.settings();
    if (this.bucket?.settings !== settings) this.bucket = { settings, storage: new S3FileStorage(settings) };
    return this.bucket.storage;
  }

  /** True when the bucket is in force. */
  get isS3(): boolean {
    return this.settings().enabled;
  }

  write(key: string, file: NewFile): Promise<void> {
    return this.current.write(key, file);
  }

  open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    return this.current.open(key, range);
  }

  stat(key: string): Promise<StoredFile | undefined> {
    return this.current.stat(key);
  }

  list(folder: string): AsyncIterable<ListedFile> {
    return this.current.list(folder);
  }

  /** The files of a folder itself, without those further below. */
  listDirect(folder: string): AsyncIterable<ListedFile> {
    return this.current.listDirect(folder);
  }

  delete(key: string): Promise<void> {
    return this.current.delete(key);
  }

  deleteFolder(folder: string): Promise<void> {
    return this.current.deleteFolder(folder);
  }

  copy(from: string, to: string): Promise<void> {
    return this.current.copy(from, to);
  }

  private get current(): LocalFileStorage | S3FileStorage {
    return this.isS3 ? this.s3 : this.local;
  }
}
