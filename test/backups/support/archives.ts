import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { type Entry, open, type ZipFile as Unzipped } from 'yauzl';
import { ZipFile } from 'yazl';

/** All files of an archive by their names. */
export async function entriesOf(path: string): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const zip = await new Promise<Unzipped>((resolve, reject) =>
    open(path, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  await new Promise<void>((resolve, reject) => {
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.on('entry', (entry: Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          entries.set(entry.fileName, Buffer.concat(chunks));
          zip.readEntry();
        });
      });
    });
    zip.readEntry();
  });
  return entries;
}

/** Writes an archive with these files; a name that ends in a slash is a directory. `mode` says what the files are. */
export async function writeArchive(
  path: string,
  entries: Iterable<readonly [name: string, content: Buffer | string]>,
  mode = 0o100644,
): Promise<void> {
  const zip = new ZipFile();
  for (const [name, content] of entries) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else zip.addBuffer(Buffer.from(content), name, { mode });
  }
  zip.end();
  await pipeline(zip.outputStream as Readable, createWriteStream(path));
}

/**
 * The bytes of an archive, with an end that claims to be that of one with so many entries (APPNOTE 4.3.14 to 4.3.16).
 */
export function claimingEntries(archive: Buffer, count: number): Buffer {
  const at = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const [size, offset] = [archive.readUInt32LE(at + 12), archive.readUInt32LE(at + 16)];
  const large = Buffer.alloc(56);
  large.write('PK\x06\x06', 'latin1');
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  for (const [value, position] of [
    [count, 24],
    [count, 32],
    [size, 40],
    [offset, 48],
  ] as const) {
    large.writeBigUInt64LE(BigInt(value), position);
  }
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(at), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.from(archive.subarray(at));
  // What does not fit is in the larger record.
  end.fill(0xff, 8, 20);
  return Buffer.concat([archive.subarray(0, at), large, locator, end]);
}
