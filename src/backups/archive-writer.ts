import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Content that is compressed already; trying again would only cost time. */
const COMPRESSED =
  /\.(?:jpe?g|png|gif|webp|avif|heic|mp[34]|m4[av]|mov|webm|mkv|og[gv]|flac|zip|gz|xz|zst|7z|rar|pdf)$/i;

const FASTEST = 1;
const STORED = 0;

/** How far an archive is: files that are complete, and bytes that were read. */
export interface ArchiveProgress {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes a zip, one file after the other as the disk takes them, so that its size does not matter for the memory.
 * Finish with `end`, or `abort`.
 */
export class ArchiveWriter {
  private readonly zip = new ZipFile();
  private readonly written: Promise<void>;
  private failure: unknown;
  private current: Transform | undefined;
  private files = 0;
  private bytes = 0;

  constructor(
    path: string,
    private readonly onProgress?: (progress: ArchiveProgress) => void,
  ) {
    const sink = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.written = pipeline(this.zip.outputStream as Readable, sink);
    this.written.catch((error: unknown) => this.fail(error));
    this.zip.on('error', (error) => this.fail(error));
  }

  /** Adds a file and gives the SHA-256 of what was written; undefined when it is gone or is no plain file. */
  async addFile(path: string, name: string): Promise<string | undefined> {
    const handle = await openPlainFile(path);
    if (!handle) return undefined;
    const { size, mtime } = await handle.stat();
    const hash = createHash('sha256');
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        this.bytes += chunk.length;
        this.tell();
        done(null, chunk);
      },
    });
    const compress = size > 0 && !COMPRESSED.test(name);
    this.zip.addReadStream(counted, name, { mtime, mode: 0o100600, compressionLevel: compress ? FASTEST : STORED });
    this.current = counted;
    await pipeline(handle.createReadStream({ highWaterMark: 1024 * 1024 }), counted);
    this.requireFine();
    this.files++;
    this.tell();
    return hash.digest('hex');
  }

  /** Adds all plain files below a directory; links and names beginning with a dot are left out. */
  async addDirectory(path: string, name: string): Promise<void> {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(unlessMissing)) {
      if (entry.name.startsWith('.') || entry.name === 'lost+found') continue;
      if (entry.isDirectory()) await this.addDirectory(join(path, entry.name), `${name}/${entry.name}`);
      else if (entry.isFile()) await this.addFile(join(path, entry.name), `${name}/${entry.name}`);
    }
  }

  addText(text: string, name: string): void {
    this.zip.addBuffer(Buffer.from(text), name, { mode: 0o100600 });
  }

  /** Resolves when the archive is complete on disk. */
  async end(): Promise<void> {
    this.zip.end();
    await this.written;
    this.requireFine();
  }

  /** Gives up and lets go of the file. */
  async abort(): Promise<void> {
    this.fail(new Error('The archive was given up.'));
    await this.written.catch(() => undefined);
  }

  private tell(): void {
    this.onProgress?.({ files: this.files, bytes: this.bytes });
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.current?.destroy(error as Error);
    (this.zip.outputStream as PassThrough).destroy(error as Error);
  }

  private requireFine(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

async function openPlainFile(path: string): Promise<FileHandle | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
