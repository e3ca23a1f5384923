import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Entry } from 'yauzl';
import { type Archive, type BackupMetadata, METADATA_ENTRY, withArchive } from './archive.js';
import { ArchiveSource } from './archive-source.js';
import type { SwapRoom } from './data-swap.js';
import { EntryCheck } from './entry-check.js';

/** Left free on the disk whatever the archive holds. */
const SPARE_BYTES = 16 * 1024 * 1024;

/** Up to here an entry is read at once, and several are written at once. */
const READ_AT_ONCE = 128 * 1024;
const WRITES_AT_ONCE = 16;

/** Nothing else of an archive reaches the data directory. */
const WANTED = /^(?:data\.db|auxiliary\.db|roost\.json|storage\/.+)$/;

const DATABASES: ReadonlySet<string> = new Set(['data.db', 'auxiliary.db']);
const FILES = 'storage/';

/** How far unpacking is: files that are complete, and bytes that were written. */
export interface UnpackProgress {
  readonly files: number;
  readonly bytes: number;
}

/** What is known of an archive without unpacking it. */
export interface ArchiveSummary {
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
): Promise<ArchiveSummary> {
  return withArchive(source, async (archive) => {
    const check = new EntryCheck(archive.zip);
    let databaseSize: number | undefined;
    let metadata: BackupMetadata = {};
    await archive.forEachEntry((entry) => {
      check.require(entry);
      if (entry.fileName === 'data.db') {
        databaseSize = entry.uncompressedSize;
        if (databaseSize <= most) return archive.pipe(entry, createWriteStream(database, { flags: 'wx', mode: 0o600 }));
      }
      if (entry.fileName === METADATA_ENTRY) return archive.metadata(entry).then((read) => void (metadata = read));
      return undefined;
    }, entries);
    if (databaseSize === undefined && archive.zip.entryCount <= entries) throw noDatabase();
    return { migration: metadata.migration, databaseSize };
  });
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
  private metadata: BackupMetadata = {};

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
    for (const [name, expected] of Object.entries(this.metadata.sha256 ?? {})) {
      if (this.hashes.get(name) !== expected) throw new Error(`${name} is not what ${METADATA_ENTRY} says.`);
    }
  }

  private async unpack(entry: Entry): Promise<void> {
    const { fileName: name, compressedSize, uncompressedSize } = entry;
    if (!WANTED.test(name) || isDirectory(entry)) return;
    if (name === METADATA_ENTRY) {
      this.metadata = await this.archive.metadata(entry);
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
