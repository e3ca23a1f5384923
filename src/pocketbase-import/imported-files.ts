import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';
import { unlessMissing } from '../kernel/files/missing-file.js';
import { ImportTarget } from './import-target.js';
import type { PocketBaseSource } from './pocketbase-source.js';

/** What was copied of the files of a collection. */
export interface CopiedFiles {
  readonly count: number;
  readonly notCarriedOver: readonly string[];
}

/** Copies the files of records beside the new storage, and moves them there as a whole at the end. */
@Injectable()
export class ImportedFiles {
  constructor(private readonly target: ImportTarget) {}

  /** `named` are the files the records name. Thumbnails are left out: they are made again when they are asked for. */
  async copy(collection: Collection, source: PocketBaseSource, named: readonly string[]): Promise<CopiedFiles> {
    const from = join(source.path, 'storage', collection.id);
    const to = join(this.staged, collection.id);
    const notCarriedOver: string[] = [];
    const missing = new Set(named);
    let count = 0;
    for (const record of await list(from)) {
      if (!record.isDirectory()) continue;
      for (const file of await list(join(from, record.name))) {
        if (file.isDirectory() && file.name.startsWith('thumbs_')) continue;
        const name = `${record.name}/${file.name}`;
        if (!file.isFile()) {
          notCarriedOver.push(`collection ${collection.name}: ${name} is not an ordinary file`);
          continue;
        }
        const isSidecar = file.name.endsWith('.attrs');
        if (!missing.delete(name) && !isSidecar) {
          notCarriedOver.push(`collection ${collection.name}: file ${name}, which no record names`);
          continue;
        }
        await copyChecked(join(from, name), join(to, name));
        if (!isSidecar) count += 1;
      }
    }
    for (const name of missing) notCarriedOver.push(`collection ${collection.name}: file ${name}, which is missing`);
    return { count, notCarriedOver };
  }

  /** Puts everything that was copied in its place, in one step. */
  async finish(): Promise<void> {
    await mkdir(this.staged, { recursive: true, mode: 0o700 });
    await rename(this.staged, this.target.storage);
  }

  private get staged(): string {
    return join(this.target.workshop, 'storage');
  }
}

async function list(folder: string) {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessMissing)) ?? [];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws when what was written does not read back the same. */
async function copyChecked(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from), hashing, createWriteStream(to, { mode: 0o600, flags: 'wx' }));
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const written = createHash('sha256');
  await pipeline(createReadStream(to), written);
  const same = written.digest('hex') === hash.digest('hex') && (await stat(from)).size === (await stat(to)).size;
  if (!same) throw new Error(`The file ${from} did not arrive as it was.`);
}
