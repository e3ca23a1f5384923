import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Entry, open, type Options, type ZipFile } from 'yauzl';
import type { SwapRoom } from './data-swap.js';

const MOST_ENTRIES = 1_000_000;

/** Left free on the disk whatever the archive holds. */
const SPARE_BYTES = 16 * 1024 * 1024;

const FILE_TYPE = 0o170000;
const PLAIN_FILE = 0o100000;
const DIRECTORY = 0o040000;

/** What an archive says about itself in `roost.json`; not every archive does. */
const FACTS = 'roost.json';

/** Nothing else of an archive reaches the data directory. */
const WANTED = /^(?:data\.db|auxiliary\.db|roost\.json|storage\/.+)$/;

const FILES = 'storage/';

const openZip = promisify<string, Options, ZipFile>(open);

/** How far unpacking is: files that are complete, and bytes that were written. */
export interface UnpackProgress {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Unpacks a backup where there is room for it. Throws, with what is wrong, for an archive that cannot be read, has a
 * path that leads out of there, a link, too many entries, more content than the disk takes, no `data.db`, or databases
 * that are not what `roost.json` says.
 */
export async function unpackArchive(
  path: string,
  room: SwapRoom,
  onProgress?: (progress: UnpackProgress) => void,
): Promise<void> {
  await requireFits(path, room);
  const hashes = new Map<string, string>();
  const facts: Buffer[] = [];
  let files = 0;
  let bytes = 0;
  await forEachEntry(path, async (zip, entry) => {
    if (!WANTED.test(entry.fileName) || isDirectory(entry)) return;
    const stream = await readStream(zip, entry);
    if (entry.fileName === FACTS) {
      for await (const chunk of stream) facts.push(chunk as Buffer);
      return;
    }
    const tell = (length: number) => onProgress?.({ files, bytes: (bytes += length) });
    hashes.set(entry.fileName, await write(stream, pathIn(room, entry.fileName), tell));
    files++;
    tell(0);
  });
  if (!hashes.has('data.db')) throw new Error('The archive holds no data.db.');
  if (facts.length > 0) requireHashes(Buffer.concat(facts).toString('utf8'), hashes);
}

/** Looks at all entries before the first byte is written. */
async function requireFits(path: string, room: SwapRoom): Promise<void> {
  const bytes = { databases: 0, files: 0 };
  await forEachEntry(path, (zip, entry) => {
    if (zip.entryCount >= MOST_ENTRIES) throw new Error(`The archive has ${zip.entryCount} entries.`);
    requirePlain(entry);
    if (WANTED.test(entry.fileName)) bytes[partOf(entry.fileName)] += entry.uncompressedSize;
    return Promise.resolve();
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

function partOf(name: string): keyof SwapRoom {
  return name.startsWith(FILES) ? 'files' : 'databases';
}

function pathIn(room: SwapRoom, name: string): string {
  return name.startsWith(FILES) ? join(room.files, name.slice(FILES.length)) : join(room.databases, name);
}

/** yauzl itself refuses absolute paths, `..` and backslashes. */
function requirePlain({ fileName, externalFileAttributes, uncompressedSize }: Entry): void {
  const type = (externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== PLAIN_FILE && type !== DIRECTORY) throw new Error(`${fileName} is not a plain file.`);
  if (fileName.includes('\0')) throw new Error('The archive has a name that no file can have.');
  if (fileName === FACTS && uncompressedSize > 1024 * 1024) throw new Error(`${fileName} is too large.`);
}

function isDirectory({ fileName }: Entry): boolean {
  return fileName.endsWith('/');
}

async function forEachEntry(path: string, visit: (zip: ZipFile, entry: Entry) => Promise<void>): Promise<void> {
  const zip = await openZip(path, { lazyEntries: true, autoClose: false });
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        // A visit may throw before its first await.
        void (async () => visit(zip, entry))().then(() => zip.readEntry(), reject);
      });
      zip.readEntry();
    });
  } finally {
    zip.close();
  }
}

function readStream(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}

async function write(stream: Readable, path: string, onBytes: (length: number) => void): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  // Soon it is all there is: a power cut must not find it in memory only.
  await pipeline(stream, hashing, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return hash.digest('hex');
}

function requireHashes(text: string, hashes: ReadonlyMap<string, string>): void {
  const { sha256 = {} } = JSON.parse(text) as { sha256?: Record<string, string> };
  for (const [name, expected] of Object.entries(sha256)) {
    if (hashes.get(name) !== expected) throw new Error(`${name} is not what ${FACTS} says.`);
  }
}
