import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, type InputType, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Entry, fromRandomAccessReader, type Options, type ZipFile } from 'yauzl';
import { ATTRIBUTES_EXTENSION } from '../storage/file-attributes.js';
import { ArchiveSource } from './archive-source.js';
import type { SwapRoom } from './data-swap.js';

/** Files of records an archive may hold, not counting the sidecar that each of them may have. */
export const MOST_FILES = 1_000_000;

/** Entries that are no file of a record: the two databases, `roost.json`. */
const OTHER_ENTRIES = 3;

/** The least an entry takes in the directory of an archive. */
const ENTRY_BYTES = 46;

/** Left free on the disk whatever the archive holds. */
const SPARE_BYTES = 16 * 1024 * 1024;

const FILE_TYPE = 0o170000;
const PLAIN_FILE = 0o100000;
const DIRECTORY = 0o040000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** Up to here an entry is read at once, and several are written at once. */
const READ_AT_ONCE = 128 * 1024;
const WRITES_AT_ONCE = 16;

/** The entry with metadata of the backup, which not every archive has. */
const FACTS = 'roost.json';

/** Nothing else of an archive reaches the data directory. */
const WANTED = /^(?:data\.db|auxiliary\.db|roost\.json|storage\/.+)$/;

const DATABASES: ReadonlySet<string> = new Set(['data.db', 'auxiliary.db']);
const FILES = 'storage/';

const openZip = promisify<ArchiveSource, number, Options, ZipFile>(fromRandomAccessReader);
const inflated = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** How far unpacking is: files that are complete, and bytes that were written. */
export interface UnpackProgress {
  readonly files: number;
  readonly bytes: number;
}

/** The metadata of an archive, and the size of its database. */
export interface ArchiveFacts {
  /** The last system migration; undefined when the archive does not say it. */
  readonly migration: string | undefined;
  /** Bytes of `data.db`; undefined when it was not found among the first entries of a large archive. */
  readonly databaseSize: number | undefined;
}

/**
 * Unpacks a backup where there is room for it. Throws, with what is wrong, for an archive that cannot be read, has a
 * path that leads out of there, a link, too many files, more content than the disk takes, content that is not what its
 * checksum says, no `data.db`, or databases that are not what `roost.json` says.
 */
export async function unpackArchive(
  path: string,
  room: SwapRoom,
  onProgress?: (progress: UnpackProgress) => void,
): Promise<void> {
  await withArchive(await ArchiveSource.open(path), (archive) => requireFits(archive, room));
  await withArchive(await ArchiveSource.open(path), (archive) => new Unpacking(archive, room, onProgress).run());
}

/**
 * What the first entries of an archive tell. Throws, with what is wrong, as `unpackArchive` does. `database` is where
 * `data.db` is put, if it has no more than `most` bytes.
 */
export async function inspectArchive(
  source: ArchiveSource,
  { entries, database, most }: { readonly entries: number; readonly database: string; readonly most: number },
): Promise<ArchiveFacts> {
  return withArchive(source, async (archive) => {
    const check = new EntryCheck(archive.zip);
    let databaseSize: number | undefined;
    let facts: Facts = {};
    await archive.forEachEntry((entry) => {
      check.require(entry);
      if (entry.fileName === 'data.db') {
        databaseSize = entry.uncompressedSize;
        if (databaseSize <= most) return archive.pipe(entry, createWriteStream(database, { flags: 'wx', mode: 0o600 }));
      }
      if (entry.fileName === FACTS) return archive.facts(entry).then((read) => void (facts = read));
      return undefined;
    }, entries);
    if (databaseSize === undefined && archive.zip.entryCount <= entries) throw noDatabase();
    return { migration: facts.migration, databaseSize };
  });
}

interface Facts {
  readonly migration?: string;
  readonly sha256?: Readonly<Record<string, string>>;
}

/** An open archive. */
class Archive {
  constructor(
    private readonly source: ArchiveSource,
    readonly zip: ZipFile,
  ) {}

  /** Visits the entries one after the other, without keeping any. */
  forEachEntry(visit: (entry: Entry) => Promise<void> | undefined, most = Infinity): Promise<void> {
    const { zip } = this;
    return new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        const goOn = () => (zip.entriesRead >= most ? resolve() : zip.readEntry());
        // A visit may throw before its first await.
        void (async () => visit(entry))().then(goOn, reject);
      });
      zip.readEntry();
    });
  }

  /** All content of a small entry. */
  async content(entry: Entry): Promise<Buffer> {
    const { fileName, compressionMethod: method, compressedSize, uncompressedSize } = entry;
    if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw new Error(`${fileName} is encrypted.`);
    if (method !== STORED && method !== DEFLATED) throw new Error(`${fileName} is compressed in an unknown way.`);
    const { fileDataStart } = await this.zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const bytes = await this.source.bytes(fileDataStart, compressedSize);
    const content = method === STORED ? bytes : await inflated(bytes, { maxOutputLength: uncompressedSize || 1 });
    if (content.length !== uncompressedSize || crc32(content) !== entry.crc32) throw damaged(entry);
    return content;
  }

  /** Writes all content of an entry of any size, which is looked at as it passes. */
  async pipe(entry: Entry, to: Writable, look?: (piece: Buffer) => void): Promise<void> {
    const stream = await this.zip.openReadStreamPromise(entry);
    let crc = 0;
    const looked = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of pieces) {
        crc = crc32(piece, crc);
        look?.(piece);
        yield piece;
      }
      if (crc !== entry.crc32) throw damaged(entry);
    };
    await pipeline(stream, looked, to);
  }

  async facts(entry: Entry): Promise<Facts> {
    return JSON.parse((await this.content(entry)).toString('utf8')) as Facts;
  }
}

/** Looks at entries before anything of them is written. */
class EntryCheck {
  private files = 0;

  constructor({ entryCount, fileSize, readEntryCursor }: ZipFile) {
    if (entryCount * ENTRY_BYTES > fileSize - Number(readEntryCursor)) {
      throw new Error(`The archive is damaged: it says that it has ${entryCount} entries.`);
    }
    if (entryCount > 2 * MOST_FILES + OTHER_ENTRIES) throw new Error(`The archive has ${entryCount} entries.`);
  }

  /** yauzl itself refuses absolute paths, `..` and backslashes. */
  require({ fileName, externalFileAttributes, uncompressedSize }: Entry): void {
    const type = (externalFileAttributes >>> 16) & FILE_TYPE;
    if (type !== 0 && type !== PLAIN_FILE && type !== DIRECTORY) throw new Error(`${fileName} is not a plain file.`);
    if (fileName.includes('\0')) throw new Error('The archive has a name that no file can have.');
    if (fileName === FACTS && uncompressedSize > 1024 * 1024) throw new Error(`${fileName} is too large.`);
    if (!fileName.endsWith(ATTRIBUTES_EXTENSION)) this.files++;
    if (this.files > MOST_FILES + OTHER_ENTRIES) throw new Error(`The archive has more than ${MOST_FILES} files.`);
  }
}

/** Looks at all entries before the first byte is written. */
async function requireFits(archive: Archive, room: SwapRoom): Promise<void> {
  const check = new EntryCheck(archive.zip);
  const bytes = { databases: 0, files: 0 };
  await archive.forEachEntry((entry) => {
    check.require(entry);
    if (WANTED.test(entry.fileName)) bytes[partOf(entry.fileName)] += entry.uncompressedSize;
    return undefined;
  });
  const [{ dev }, files] = await Promise.all([stat(room.databases), stat(room.files)]);
  if (dev === files.dev) return requireRoom(room.databases, bytes.databases + bytes.files);
  await requireRoom(room.databases, bytes.databases);
  await requireRoom(room.files, bytes.files);
}

async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes + SPARE_BYTES > bavail * bsize) throw new Error(`The disk has no room for ${bytes} bytes.`);
}

/** Brings the entries of an archive to their places. */
class Unpacking {
  private readonly hashes = new Map<string, string>();
  private writes: Promise<void>[] = [];
  private folder = '';
  private files = 0;
  private bytes = 0;
  private facts: Facts = {};

  constructor(
    private readonly archive: Archive,
    private readonly room: SwapRoom,
    private readonly onProgress: ((progress: UnpackProgress) => void) | undefined,
  ) {}

  async run(): Promise<void> {
    try {
      await this.archive.forEachEntry((entry) => this.unpack(entry));
    } finally {
      await Promise.allSettled(this.writes);
    }
    await this.settle();
    if (!this.hashes.has('data.db')) throw noDatabase();
    for (const [name, expected] of Object.entries(this.facts.sha256 ?? {})) {
      if (this.hashes.get(name) !== expected) throw new Error(`${name} is not what ${FACTS} says.`);
    }
  }

  private async unpack(entry: Entry): Promise<void> {
    const { fileName: name, compressedSize, uncompressedSize } = entry;
    if (!WANTED.test(name) || isDirectory(entry)) return;
    if (name === FACTS) {
      this.facts = await this.archive.facts(entry);
      return;
    }
    const path = pathIn(this.room, name);
    await this.makeFolder(dirname(path));
    if (DATABASES.has(name) || Math.max(compressedSize, uncompressedSize) > READ_AT_ONCE) {
      const hash = DATABASES.has(name) ? createHash('sha256') : undefined;
      await this.writeLarge(entry, path, hash);
      if (hash) this.hashes.set(name, hash.digest('hex'));
      return;
    }
    const write = this.writeSmall(await this.archive.content(entry), path);
    // A failure is thrown where all writes are awaited.
    write.catch(() => undefined);
    this.writes.push(write);
    if (this.writes.length >= WRITES_AT_ONCE) await this.settle();
  }

  private async writeLarge(entry: Entry, path: string, hash: Hash | undefined): Promise<void> {
    await this.archive.pipe(entry, fileAt(path), (piece) => {
      hash?.update(piece);
      this.bytes += piece.length;
      this.tell();
    });
    this.files++;
    this.tell();
  }

  private async writeSmall(content: Buffer, path: string): Promise<void> {
    const file = fileAt(path);
    await new Promise<void>((resolve, reject) => {
      file.on('close', resolve).on('error', reject);
      file.end(content);
    });
    this.bytes += content.length;
    this.files++;
    this.tell();
  }

  private async settle(): Promise<void> {
    await Promise.all(this.writes);
    this.writes = [];
  }

  private async makeFolder(path: string): Promise<void> {
    if (path === this.folder) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.folder = path;
  }

  private tell(): void {
    this.onProgress?.({ files: this.files, bytes: this.bytes });
  }
}

async function withArchive<T>(source: ArchiveSource, work: (archive: Archive) => Promise<T>): Promise<T> {
  const zip = await openZip(source, source.size, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
    source.close(() => undefined);
    throw error;
  });
  try {
    return await work(new Archive(source, zip));
  } finally {
    zip.close();
  }
}

/** The file is flushed to disk, because the original is deleted soon after. */
function fileAt(path: string): Writable {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
}

function partOf(name: string): keyof SwapRoom {
  return name.startsWith(FILES) ? 'files' : 'databases';
}

function pathIn(room: SwapRoom, name: string): string {
  return name.startsWith(FILES) ? join(room.files, name.slice(FILES.length)) : join(room.databases, name);
}

function isDirectory({ fileName }: Entry): boolean {
  return fileName.endsWith('/');
}

function noDatabase(): Error {
  return new Error('The archive holds no data.db.');
}

function damaged({ fileName }: Entry): Error {
  return new Error(`${fileName} is damaged in the archive.`);
}
