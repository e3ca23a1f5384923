import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, type InputType, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Entry, fromRandomAccessReader, type Options, type ZipFile } from 'yauzl';
import { untilClosed } from '../storage/until-closed.js';
import type { ArchiveSource } from './archive-source.js';

const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** The entry with metadata of the backup, which not every archive has. */
export const METADATA_ENTRY = 'roost.json';

const openZip = promisify<ArchiveSource, number, Options, ZipFile>(fromRandomAccessReader);
const inflated = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** What `roost.json` says of the backup. */
export interface BackupMetadata {
  readonly migration?: string;
  readonly sha256?: Readonly<Record<string, string>>;
}

/** An archive that is open to be read. */
export class Archive {
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
    await untilClosed(to, pipeline(stream, looked, to));
  }

  async metadata(entry: Entry): Promise<BackupMetadata> {
    return JSON.parse((await this.content(entry)).toString('utf8')) as BackupMetadata;
  }
}

/** Opens an archive for some work, and closes it and its source afterwards. */
export async function withArchive<T>(source: ArchiveSource, work: (archive: Archive) => Promise<T>): Promise<T> {
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

function damaged({ fileName }: Entry): Error {
  return new Error(`${fileName} is damaged in the archive.`);
}
