import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataDirectory } from '../database/data-directory.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';

/** Bytes beyond which the journal is written anew, with what is still pending only. */
const REWRITE_AT = 1 << 20;

/**
 * A journal of the files that are stored for transactions that have not ended. After a process was killed, the next one
 * checks them, because no record may name them (FS-96). There is no journal while nothing is pending.
 *
 * When the journal cannot be written, this is only logged: it matters only after a kill.
 */
@Injectable()
export class PendingFileJournal {
  private readonly logger = new Logger('Storage');
  private readonly file: string;
  private readonly pending = new Set<string>();
  private fresh: string[] = [];
  private isOpen = false;
  private descriptor: number | undefined;
  private size = 0;
  private limit = REWRITE_AT;
  private isFailing = false;
  /** The journals of processes that have ended. */
  private earlier: readonly string[] = [];

  constructor(
    private readonly directory: DataDirectory,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {
    this.file = directory.pendingFilesOf(link.id);
  }

  /**
   * Begins to keep the journal, and resolves with what earlier processes left in theirs; that stays there until
   * `compact`. Processes that serve together have one each.
   */
  async open(): Promise<readonly string[]> {
    this.isOpen = true;
    this.earlier = await this.ended();
    return namesIn(this.earlier);
  }

  /** What is pending in other processes that serve beside this one. */
  async ofOthers(): Promise<readonly string[]> {
    if (this.link.isAlone && !this.directory.users) return [];
    return namesIn((await this.journals()).filter((file) => file !== this.file));
  }

  /** Passes the pending files of another instance that has ended to `use`, and then removes its journal. */
  async adopt(id: string, use: (names: readonly string[]) => Promise<void>): Promise<void> {
    const files = this.directory.users ? await this.ended() : [this.directory.pendingFilesOf(id)];
    await use(await namesIn(files));
    for (const file of files) await rm(file, { force: true });
  }

  /** A file is pending until `remove`. It is in the journal in the next microtask, before it can be stored. */
  add(name: string): void {
    if (!this.isOpen) return;
    this.pending.add(name);
    // The files of a batch are written together.
    if (this.fresh.push(name) === 1) queueMicrotask(() => this.attempt(() => this.write()));
  }

  remove(name: string): void {
    if (this.pending.delete(name) && this.pending.size === 0) this.compact();
  }

  /** Leaves in the journal only what is pending now. */
  compact(): void {
    this.attempt(() => this.rewrite());
  }

  /** Removes the journals of earlier processes. */
  async forgetEarlier(): Promise<void> {
    for (const file of this.earlier) if (file !== this.file) await rm(file, { force: true });
  }

  private async journals(): Promise<string[]> {
    const folder = dirname(this.file);
    const names = await readdir(folder).catch((): string[] => []);
    return names.filter((each) => this.directory.isPendingFiles(each)).map((each) => join(folder, each));
  }

  /** The journals of processes that have ended. */
  private async ended(): Promise<string[]> {
    const { users } = this.directory;
    if (!users) return this.link.isJoining ? [] : this.journals();
    const files: string[] = [];
    for (const file of await this.journals()) if (!(await users.isInUse(file))) files.push(file);
    return files;
  }

  private write(): void {
    const text = this.fresh.splice(0).map(lineOf).join('');
    if (this.pending.size === 0) return;
    if (this.size + text.length > this.limit) return this.rewrite();
    this.descriptor ??= this.openFile();
    writeSync(this.descriptor, text);
    this.size += text.length;
  }

  private rewrite(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
    this.size = 0;
    this.limit = REWRITE_AT;
    this.fresh = [];
    if (this.pending.size === 0) return rmSync(this.file, { force: true });
    const text = [...this.pending].map(lineOf).join('');
    writeFileSync(`${this.file}.new`, text, { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
    this.size = text.length;
    this.limit = Math.max(REWRITE_AT, 2 * this.size);
  }

  private openFile(): number {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    return openSync(this.file, 'a', 0o600);
  }

  private attempt(work: () => void): void {
    try {
      work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`The journal of pending files cannot be written: ${String(error)}`);
      this.isFailing = true;
    }
  }
}

async function namesIn(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return [...new Set(texts.flatMap((text) => text.split('\n').flatMap(parseName)))];
}

/** Begins with a line break, in case that the one before it was written in part. */
function lineOf(name: string): string {
  return `\n${JSON.stringify(name)}`;
}

function parseName(line: string): string[] {
  try {
    const name: unknown = JSON.parse(line);
    return typeof name === 'string' ? [name] : [];
  } catch {
    return [];
  }
}
