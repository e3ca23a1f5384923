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

/** Writes an archive with these files; `mode` marks one as something else than a plain file. */
export async function writeArchive(
  path: string,
  entries: Iterable<readonly [name: string, content: Buffer | string]>,
  mode = 0o100644,
): Promise<void> {
  const zip = new ZipFile();
  for (const [name, content] of entries) zip.addBuffer(Buffer.from(content), name, { mode });
  zip.end();
  await pipeline(zip.outputStream as Readable, createWriteStream(path));
}
