import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataDirectory, flushDirectory } from '../database/data-directory.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';

const JOURNAL = 'restore.json';

/** What a backup stands for, and so what gives way to one. */
const OWN = /^(?:(?:data|auxiliary)\.db(?:-wal|-shm|-journal)?|storage)$/;

/** A swap that has begun: where the old content is kept, and the names it had. */
interface Journal {
  readonly old: string;
  readonly names: readonly string[];
}

/**
 * Puts other content in the place of the databases and files, in a way that can be taken back at any moment, also by
 * the next process: a journal is on disk before the first file is moved. Only while the databases are closed.
 */
@Injectable()
export class DataSwap {
  constructor(private readonly directory: DataDirectory) {}

  /** Moves the present content aside and that of a directory in. After `takeBack` everything is as before. */
  async moveIn(content: string): Promise<void> {
    const old = join(this.directory.temp, `old_${randomText(10, LOWER_ALPHANUMERIC)}`);
    await mkdir(old, { mode: 0o700 });
    const names = await this.present();
    await this.writeJournal({ old, names });
    for (const name of names) await rename(join(this.directory.path, name), join(old, name));
    for (const name of await readdir(content)) {
      if (OWN.test(name)) await rename(join(content, name), join(this.directory.path, name));
    }
    await flushDirectory(this.directory.path);
  }

  /** Brings the old content back when a swap was begun and not settled; true when there was one. */
  async takeBack(): Promise<boolean> {
    const journal = await this.readJournal();
    if (!journal) return false;
    const kept = new Set(await readdir(journal.old).catch(() => []));
    for (const name of await this.present()) {
      // What was there before and has not been kept aside was never moved.
      if (kept.has(name) || !journal.names.includes(name)) {
        await rm(join(this.directory.path, name), { recursive: true, force: true });
      }
    }
    for (const name of kept) await rename(join(journal.old, name), join(this.directory.path, name));
    await flushDirectory(this.directory.path);
    await this.forgetJournal();
    await rm(journal.old, { recursive: true, force: true });
    return true;
  }

  /** Makes the new content the only one. */
  async settle(): Promise<void> {
    const journal = await this.readJournal();
    await this.forgetJournal();
    if (journal) await rm(journal.old, { recursive: true, force: true });
  }

  private async present(): Promise<string[]> {
    return (await readdir(this.directory.path)).filter((name) => OWN.test(name));
  }

  private async writeJournal(journal: Journal): Promise<void> {
    const path = join(this.directory.temp, JOURNAL);
    await writeFile(`${path}.new`, JSON.stringify(journal), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    await flushDirectory(this.directory.temp);
  }

  private async readJournal(): Promise<Journal | undefined> {
    try {
      return JSON.parse(await readFile(join(this.directory.temp, JOURNAL), 'utf8')) as Journal;
    } catch (error) {
      // Where `.temp` is no directory, the start makes it one after this.
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return undefined;
      throw error;
    }
  }

  private async forgetJournal(): Promise<void> {
    await rm(join(this.directory.temp, JOURNAL), { force: true });
    await flushDirectory(this.directory.temp);
  }
}
