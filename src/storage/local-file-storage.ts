import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  open as openDescriptor,
  read as readDescriptor,
  type Stats,
} from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { removeTree } from '../database/remove-tree.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import { AttributesCache } from './attributes-cache.js';
import { ContentCache, type KnownContent } from './content-cache.js';
import { ATTRIBUTES_EXTENSION, UNKNOWN_ATTRIBUTES, writeAttributes } from './file-attributes.js';
import { requireSafeFolder, requireSafeKey } from './file-keys.js';
import { FilePart } from './file-part.js';
import type { ByteRange, FileStorage, ListedFile, NewFile, OpenedFile, StoredFile } from './file-storage.js';
import { OpenedContent } from './opened-content.js';
import { StorageRoot } from './storage-root.js';

/** The hidden directory for content that cannot be moved into place at once. */
const PARTS = '.parts';

const openAside = promisify(openDescriptor);
const readAside = promisify(readDescriptor);

/** Parts older than this were left by a process that died. */
const LEFT_OVER = 24 * 60 * 60 * 1000;

/** Up to here one read is cheaper than a stream and the memory it takes does not matter. */
const READ_AT_ONCE = 64 * 1024;

/** A file that is opened must not block (a pipe) and must not be a link. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Attempts to write when a directory disappears, because its last other file was deleted. */
const WRITE_ATTEMPTS = 5;

interface OpenedDescriptor {
  readonly fd: number;
  readonly file: StoredFile;
  readonly stats: Stats;
  /** Whether a sidecar tells of which type it is. */
  readonly isDescribed: boolean;
}

/**
 * Files below a directory of this machine. Nothing outside of it can be reached: keys are checked, and so is where
 * the directories on the way really lead (FS-40 to FS-43).
 */
export class LocalFileStorage implements FileStorage {
  private readonly root: StorageRoot;
  private readonly directory: string;
  private readonly attributes = new AttributesCache();
  private readonly contents = new ContentCache();
  private partsAreClean = false;

  constructor(directory: string) {
    this.directory = resolve(directory);
    this.root = new StorageRoot(this.directory);
  }

  async write(key: string, file: NewFile): Promise<void> {
    requireFileKey(key);
    await flush(file.path);
    for (let attempt = 1; ; attempt++) {
      try {
        const target = await this.root.makeDirectories(key);
        // Before the file, so that there is never a file without its type.
        await writeAttributes(target, file);
        return await this.moveInto(target, file.path);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || attempt === WRITE_ATTEMPTS) throw error;
      }
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    const known = this.findKnown(key);
    if (known) {
      return new OpenedContent(known.file, range ? known.content.subarray(range.start, range.end + 1) : known.content);
    }
    const opened = await this.openFile(key);
    if (!opened) return undefined;
    const { fd, file, stats, isDescribed } = opened;
    const part = range ?? { start: 0, end: file.size - 1 };
    if (part.end - part.start >= READ_AT_ONCE) {
      return { file, stream: new FilePart(fd, part), path: this.pathOf(key) };
    }
    try {
      const content = await readPart(fd, part);
      // Content without a valid sidecar is not cached, because the sidecar may be there the next time.
      if (isDescribed && content.length === file.size) this.contents.keep(this.pathOf(key), stats, { file, content });
      return new OpenedContent(file, content);
    } finally {
      closeSync(fd);
    }
  }

  async stat(key: string): Promise<StoredFile | undefined> {
    const known = this.findKnown(key);
    if (known) return known.file;
    const opened = await this.openFile(key);
    if (opened) closeSync(opened.fd);
    return opened?.file;
  }

  list(folder: string): AsyncIterable<ListedFile> {
    return this.listed(folder, { deep: true });
  }

  listDirect(folder: string): AsyncIterable<ListedFile> {
    return this.listed(folder, { deep: false });
  }

  async delete(key: string): Promise<void> {
    requireFileKey(key);
    const path = await this.root.find(key);
    if (path === undefined) return;
    // The file last: who removes a folder lists files, and would not find attributes that a killed process has left.
    await unlink(path + ATTRIBUTES_EXTENSION).catch(unlessNoFile);
    await unlink(path).catch(unlessNoFile);
    await this.removeEmptyParents(key);
  }

  async deleteFolder(folder: string): Promise<void> {
    requireSafeFolder(folder);
    const path = await this.root.find(folder.slice(0, -1));
    if (path === undefined) return;
    await removeTree(path);
    await this.removeEmptyParents(folder.slice(0, -1));
  }

  async copy(from: string, to: string): Promise<void> {
    requireFileKey(to);
    const source = await this.stat(from);
    const path = await this.root.find(from);
    if (!source || path === undefined) throw new Error(`There is no file ${JSON.stringify(from)} to copy.`);
    const part = await this.copyToParts(path);
    try {
      await this.write(to, { ...source, path: part });
    } finally {
      await rm(part, { force: true });
    }
  }

  /**
   * A cached file, when it still exists unchanged. Synchronous, because the metadata of a file that was just in use are
   * in the kernel's cache.
   */
  private findKnown(key: string): KnownContent | undefined {
    const path = this.pathOf(key);
    if (!this.contents.has(path)) return undefined;
    try {
      const stats = lstatSync(path);
      return stats.isFile() && this.root.contains(key) ? this.contents.find(path, stats) : undefined;
    } catch (error) {
      return unlessNoFile(error);
    }
  }

  private async *listed(folder: string, depth: { readonly deep: boolean }): AsyncIterable<ListedFile> {
    if (folder !== '') requireSafeFolder(folder);
    const path = folder === '' ? this.directory : await this.root.find(folder.slice(0, -1));
    if (path !== undefined) yield* listDirectory(path, folder, depth);
  }

  /** The path of a key that was checked. */
  private pathOf(key: string): string {
    return this.directory + sep + key;
  }

  /**
   * Opens a file asynchronously, because that may wait for the disk. What follows is synchronous: the metadata are in
   * the kernel's cache by then, and another thread would cost ten times as much.
   */
  private async openFile(key: string): Promise<OpenedDescriptor | undefined> {
    requireSafeKey(key);
    if (key.endsWith(ATTRIBUTES_EXTENSION)) return undefined;
    const path = this.pathOf(key);
    const fd = await openAside(path, READ_ONLY).catch(unlessNoFile);
    if (fd === undefined) return undefined;
    try {
      const stats = fstatSync(fd);
      if (stats.isFile() && this.root.contains(key)) {
        const attributes = await this.attributes.read(path, stats);
        const isDescribed = attributes !== UNKNOWN_ATTRIBUTES;
        return { fd, stats, file: { ...listedFile(key, stats), ...attributes }, isDescribed };
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  private async moveInto(target: string, source: string): Promise<void> {
    try {
      await rename(source, target);
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error;
      // The storage is on another file system, so the content is first copied there: the final rename is then atomic.
      const part = await this.copyToParts(source);
      await flush(part);
      await rename(part, target);
      await unlink(source);
    }
  }

  private async copyToParts(source: string): Promise<string> {
    const parts = join(this.directory, PARTS);
    await mkdir(parts, { recursive: true, mode: 0o700 });
    if (!this.partsAreClean) await removeLeftOvers(parts);
    this.partsAreClean = true;
    const part = join(parts, randomText(20, LOWER_ALPHANUMERIC));
    await copyFile(source, part, constants.COPYFILE_EXCL);
    return part;
  }

  /** Removes directories that have become empty. */
  private async removeEmptyParents(key: string): Promise<void> {
    const parts = key.split('/');
    for (let length = parts.length - 1; length > 0; length--) {
      const path = await this.root.find(parts.slice(0, length).join('/'));
      if (path === undefined) continue;
      try {
        await rmdir(path);
      } catch {
        return;
      }
    }
  }
}

/** Like `requireSafeKey`, and the key must not belong to a sidecar. */
function requireFileKey(key: string): void {
  requireSafeKey(key);
  if (key.endsWith(ATTRIBUTES_EXTENSION)) throw new Error(`The key ${JSON.stringify(key)} is reserved.`);
}

async function* listDirectory(
  path: string,
  folder: string,
  depth: { readonly deep: boolean },
): AsyncIterable<ListedFile> {
  const entries = (await readdir(path, { withFileTypes: true }).catch(unlessNoFile)) ?? [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name.endsWith(ATTRIBUTES_EXTENSION)) continue;
    const child = join(path, entry.name);
    if (entry.isDirectory()) {
      if (depth.deep) yield* listDirectory(child, `${folder}${entry.name}/`, depth);
    } else if (entry.isFile()) {
      const stats = await lstat(child).catch(unlessNoFile);
      if (stats) yield listedFile(folder + entry.name, stats);
    }
  }
}

function listedFile(key: string, stats: Stats): ListedFile {
  return { key, size: stats.size, modified: stats.mtime };
}

async function readPart(fd: number, { start, end }: ByteRange): Promise<Buffer> {
  // Not from Node's pool, because a small cached buffer would keep the whole pool alive.
  const content = Buffer.allocUnsafeSlow(end - start + 1);
  let length = 0;
  while (length < content.length) {
    const { bytesRead } = await readAside(fd, content, length, content.length - length, start + length);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    length += bytesRead;
  }
  return content;
}

/** Flushes the content to disk, because a rename may survive a power cut that the content does not. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function removeLeftOvers(parts: string): Promise<void> {
  const oldest = Date.now() - LEFT_OVER;
  for await (const { key, modified } of listDirectory(parts, '', { deep: true })) {
    if (modified.getTime() < oldest) await rm(join(parts, basename(key)), { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** A missing file, or something else than a file, counts as nothing. */
function unlessNoFile(error: unknown): undefined {
  const missing = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'ENAMETOOLONG'];
  if (!missing.includes(codeOf(error) ?? '')) throw error;
}
