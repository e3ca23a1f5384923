import type { Readable } from 'node:stream';

/** DI token of the FileStorage that holds uploaded files and their thumbnails. */
export const FILE_STORAGE = Symbol('FILE_STORAGE');

/** A file on this machine that is to be stored. */
export interface NewFile {
  /** Where the content is. It may be gone from there afterwards: local storage moves it. */
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** The name the file had when it was sent. */
  readonly originalName?: string;
  /** MD5 of the content, base64. */
  readonly md5?: string;
}

/** What a listing tells about a file. */
export interface ListedFile {
  readonly key: string;
  readonly size: number;
  readonly modified: Date;
}

/** Everything that is known about a stored file. */
export interface StoredFile extends ListedFile {
  readonly contentType: string;
  readonly originalName: string | undefined;
  /** MD5 of the content, base64, where the storage knows it. */
  readonly md5: string | undefined;
}

/** Bytes from `start` to `end`, both included, within the file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file being read. Destroying the stream lets go of everything behind it. */
export interface OpenedFile {
  readonly file: StoredFile;
  readonly stream: Readable;
  /**
   * The whole content when it is small and was read at once; then nothing has to be closed. It may be shared, so it
   * must not be changed.
   */
  readonly content?: Buffer;
  /** Where the file lies, when it is on a disk of this machine. Files are never changed, only replaced as a whole. */
  readonly path?: string;
}

/**
 * Keeps files under keys such as `{collectionId}/{recordId}/{filename}`.
 *
 * A file appears under its key only when it is complete. Keys are relative paths with `/`; one that has an empty, `.`
 * or `..` segment, a NUL or a backslash is refused by every method with an error. What is not there is undefined or
 * nothing to do, never an error; an error is a fault of the storage.
 */
export interface FileStorage {
  /** Stores a file, over one that has the key already. */
  write(key: string, file: NewFile): Promise<void>;
  /** Opens a file for reading, whole or a range that must lie within it. */
  open(key: string, range?: ByteRange): Promise<OpenedFile | undefined>;
  /** What is known about a file; undefined when there is none. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** All files below a folder, in no particular order. A folder ends in `/`; `''` is everything. */
  list(folder: string): AsyncIterable<ListedFile>;
  /** Deletes one file, if there is one. */
  delete(key: string): Promise<void>;
  /** Deletes everything below a folder, which ends in `/`. */
  deleteFolder(folder: string): Promise<void>;
  /** Copies a file within the storage, in the place of whatever is there. */
  copy(from: string, to: string): Promise<void>;
}
