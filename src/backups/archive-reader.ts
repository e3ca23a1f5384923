import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Entry, open, type Options, type ZipFile } from 'yauzl';

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

const openZip = promisify<string, Options, ZipFile>(open);

/** How far unpacking is: files that are complete, and bytes that were written. */
export interface UnpackProgress {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Unpacks a backup into an empty directory. Throws, with what is wrong, for an archive that cannot be read, has a path
 * that leads out of the directory, a link, too many entries, more content than the disk takes, no `data.db`, or
 * databases that are not what `roost.json` says.
 */
export async function unpackArchive(
  path: string,
  target: string,
  onProgress?: (progress: UnpackProgress) => void,
): Promise<void> {
  await requireFits(path, target);
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
    hashes.set(entry.fileName, await write(stream, join(target, entry.fileName), tell));
    files++;
    tell(0);
  });
  if (!hashes.has('data.db')) throw new Error('The archive holds no data.db.');
  if (facts.length > 0) requireHashes(Buffer.concat(facts).toString('utf8'), hashes);
}

/** Looks at all entries before the first byte is written. */
async function requireFits(path: string, target: string): Promise<void> {
  let bytes = 0;
  await forEachEntry(path, (zip, entry) => {
    if (zip.entryCount >= MOST_ENTRIES) throw new Error(`The archive has ${zip.entryCount} entries.`);
    requirePlain(entry);
    if (WANTED.test(entry.fileName)) bytes += entry.uncompressedSize;
    return Promise.resolve();
  });
  const { bavail, bsize } = await statfs(target);
  if (bytes + SPARE_BYTES > bavail * bsize) throw new Error(`The disk has no room for ${bytes} bytes.`);
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
  await pipeline(stream, hashing, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return hash.digest('hex');
}

function requireHashes(text: string, hashes: ReadonlyMap<string, string>): void {
  const { sha256 = {} } = JSON.parse(text) as { sha256?: Record<string, string> };
  for (const [name, expected] of Object.entries(sha256)) {
    if (hashes.get(name) !== expected) throw new Error(`${name} is not what ${FACTS} says.`);
  }
}
