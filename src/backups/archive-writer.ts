import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, open as openCallback, read as readCallback, type Stats } from 'node:fs';
import { type FileHandle, open, opendir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ATTRIBUTES_EXTENSION } from '../storage/file-attributes.js';
import { AppendedFile } from './appended-file.js';
import { type ZipEntry, ZipWriter } from './zip-writer.js';

/** Types whose content is compressed already. */
const COMPRESSED =
  /\.(?:jpe?g|png|gif|webp|avif|heic|mp[34]|m4[av]|mov|webm|mkv|og[gv]|flac|zip|gz|xz|zst|7z|rar|pdf)$/i;

/** Less than this is not worth compressing: most such files are sidecars. */
const WORTH_COMPRESSING = 512;

/** Up to here a file is read at once, and several are. */
const READ_AT_ONCE = 256 * 1024;
const READS_AT_ONCE = 16;

/** A file must not block (a pipe) and must not be a link. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Levels of a storage that hold as many folders as there are collections and records; below are a record's files. */
const LARGE_LEVELS = 2;

const openFile = promisify(openCallback);
const readFile = promisify(readCallback);

/** How far an archive is: files that are complete, and bytes that were read. */
export interface ArchiveProgress {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes files into a zip. Neither their number nor their size matters for the memory. Finish with `end`, or `abort`.
 */
export class ArchiveWriter {
  private files = 0;
  private bytes = 0;

  private constructor(
    private readonly path: string,
    private readonly zip: ZipWriter,
    private readonly onProgress: ((progress: ArchiveProgress) => void) | undefined,
  ) {}

  static async create(path: string, onProgress?: (progress: ArchiveProgress) => void): Promise<ArchiveWriter> {
    return new ArchiveWriter(path, await ZipWriter.create(path), onProgress);
  }

  /** Adds a file and gives the SHA-256 of what was written. Throws when there is none. */
  async addHashed(path: string, name: string): Promise<string> {
    const hash = createHash('sha256');
    const handle = await open(path, READ_ONLY);
    await this.addStream(handle, name, (piece) => hash.update(piece));
    return hash.digest('hex');
  }

  /**
   * Adds all plain files that are below a directory when this begins; links and names beginning with a dot are left
   * out. What comes while it runs is not waited for, so that it ends. Gives their number, sidecars not counted.
   */
  async addDirectory(path: string, name: string): Promise<number> {
    const listPath = `${this.path}.files`;
    const list = await AppendedFile.create(listPath);
    let count = 0;
    try {
      for await (const file of filesBelow(path, '')) {
        await list.append(Buffer.from(`${file}\0`));
        if (!file.endsWith(ATTRIBUTES_EXTENSION)) count++;
      }
      for await (const group of groupsOf(list)) await this.addGroup(path, name, group);
      return count;
    } finally {
      await list.close();
      await rm(listPath, { force: true });
    }
  }

  async addText(text: string, name: string): Promise<void> {
    await this.zip.add({ name, modified: new Date(), compress: true }, Buffer.from(text));
  }

  /** Resolves when the archive is complete on disk. */
  end(): Promise<void> {
    return this.zip.end();
  }

  /** Gives up and closes the file. */
  abort(): Promise<void> {
    return this.zip.abort();
  }

  private async addGroup(path: string, name: string, files: readonly string[]): Promise<void> {
    const found = await Promise.all(files.map((file) => readSmall(join(path, file))));
    for (const [index, file] of files.entries()) {
      const entryName = `${name}/${file}`;
      const small = found[index];
      if (small === 'large') {
        const handle = await open(join(path, file), READ_ONLY).catch(unlessNoFile);
        if (handle) await this.addStream(handle, entryName);
      } else if (small) {
        await this.zip.add(entryOf(entryName, small.stats), small.content);
        this.bytes += small.content.length;
        this.countFile();
      }
    }
  }

  private async addStream(handle: FileHandle, name: string, look?: (piece: Buffer) => void): Promise<void> {
    try {
      const stats = await handle.stat();
      const pieces = handle.createReadStream({ highWaterMark: 512 * 1024, autoClose: false });
      const counted = async function* (this: ArchiveWriter): AsyncGenerator<Buffer> {
        for await (const piece of pieces as AsyncIterable<Buffer>) {
          look?.(piece);
          this.bytes += piece.length;
          this.tell();
          yield piece;
        }
      }.bind(this);
      await this.zip.addStream(entryOf(name, stats), counted(), stats.size);
    } finally {
      await handle.close();
    }
    this.countFile();
  }

  private countFile(): void {
    this.files++;
    this.tell();
  }

  private tell(): void {
    this.onProgress?.({ files: this.files, bytes: this.bytes });
  }
}

function entryOf(name: string, { mtime, size }: Stats): ZipEntry {
  return { name, modified: mtime, compress: size >= WORTH_COMPRESSING && !COMPRESSED.test(name) };
}

/** The paths of the plain files below a directory. Large directories are not read as a whole. */
async function* filesBelow(path: string, prefix: string, level = 1): AsyncGenerator<string> {
  const entries = level > LARGE_LEVELS ? await readdir(path, { withFileTypes: true }).catch(unlessNoFile) : undefined;
  for await (const entry of entries ?? (await opendir(path, { bufferSize: 256 }).catch(unlessNoFile)) ?? []) {
    if (entry.name.startsWith('.') || entry.name === 'lost+found') continue;
    if (entry.isDirectory()) yield* filesBelow(join(path, entry.name), `${prefix}${entry.name}/`, level + 1);
    else if (entry.isFile()) yield prefix + entry.name;
  }
}

/** The names of a list, as many at a time as are read at once. */
async function* groupsOf(list: AppendedFile): AsyncGenerator<string[]> {
  let names: string[] = [];
  let rest = Buffer.alloc(0);
  for await (const piece of list.read()) {
    const bytes = Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      names.push(bytes.toString('utf8', start, end));
      start = end + 1;
      if (names.length < READS_AT_ONCE) continue;
      yield names;
      names = [];
    }
    rest = Buffer.from(bytes.subarray(start));
  }
  if (names.length > 0) yield names;
}

/** A small file; undefined when it is gone or is no plain file. */
async function readSmall(path: string): Promise<{ stats: Stats; content: Buffer } | 'large' | undefined> {
  const descriptor = await openFile(path, READ_ONLY).catch(unlessNoFile);
  if (descriptor === undefined) return undefined;
  try {
    // Asked here: of a file that has just been opened this is in memory.
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    if (stats.size > READ_AT_ONCE) return 'large';
    const content = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < content.length) {
      const { bytesRead } = await readFile(descriptor, content, length, content.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return { stats, content: content.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}

/** What has gone in the meantime, or is something else than a file. */
function unlessNoFile(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
