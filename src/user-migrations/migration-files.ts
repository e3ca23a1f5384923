import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { makeDirectory } from '../database/make-directory.js';
import type { Clock } from '../kernel/clock.js';
import { unlessMissing } from '../kernel/files/missing-file.js';
import type { MigrationApp } from './migration-app.js';
import { prepareForTypeScript } from './typescript-files.js';

const FILE = /^\d+_.+(?<!\.d)\.[jt]s$/;

/** How much of what a file is about stands in its name: a collection may have a longer name than a file. */
const LONGEST_NAME = 200;

/** How loading a migration of PocketBase fails: it calls a function of PocketBase's own engine. */
const NOT_A_MODULE = 'migrate is not defined';

const WRITTEN_FOR_POCKETBASE =
  'It is written for PocketBase, which runs migrations in another way. ' +
  'Import the collections instead, and have them written as a migration by `roost migrate collections`.';

/** What a migration file exports. */
export interface MigrationModule {
  /**
   * Foreign keys are not enforced while this migration, and those applied with it, run; they are checked at the end.
   */
  readonly withoutForeignKeys?: boolean;
  readonly up?: (app: MigrationApp) => unknown;
  readonly down?: (app: MigrationApp) => unknown;
}

/** The name of a migration without its extension: the same migration may be TypeScript here and compiled elsewhere. */
export function stemOf(file: string): string {
  return file.replace(/\.[jt]s$/, '');
}

/** The files of the user migrations (OPS-185). */
@Injectable()
export class MigrationFiles {
  /** The timestamp of the last written file, so that the next one is later. */
  private lastStamp = 0;

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Their names in the order in which they are applied; of one in TypeScript and JavaScript, the JavaScript. */
  async list(): Promise<string[]> {
    const names = (await readdir(this.config.migrationsDir).catch(unlessMissing)) ?? [];
    const files = names.filter((name) => FILE.test(name));
    const compiled = new Set(files.filter((name) => name.endsWith('.js')).map(stemOf));
    return files.filter((name) => name.endsWith('.js') || !compiled.has(stemOf(name))).sort();
  }

  /** Throws a StartError when the folder was named by somebody, and there is none. */
  async requireFolder(): Promise<void> {
    const { migrationsDir, migrationsDirGiven } = this.config;
    if (!migrationsDirGiven) return;
    const found = await stat(migrationsDir).catch(() => undefined);
    if (!found?.isDirectory()) throw new StartError(`The folder of the migrations does not exist: ${migrationsDir}`);
  }

  /** Throws what the file throws when it cannot be loaded, in plain words when it is a migration of PocketBase. */
  async load(file: string): Promise<MigrationModule> {
    try {
      if (file.endsWith('.ts')) prepareForTypeScript(this.path(file));
      return (await import(pathToFileURL(this.path(file)).href)) as MigrationModule;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== NOT_A_MODULE) throw error;
      throw new Error(WRITTEN_FOR_POCKETBASE, { cause: error });
    }
  }

  path(file: string): string {
    return join(this.config.migrationsDir, file);
  }

  /** Writes a file that is applied after all others, and gives its name: `{unix seconds}_{name}.js`. */
  async write(name: string, text: string): Promise<string> {
    await makeDirectory(this.config.migrationsDir);
    for (;;) {
      const stamp = await this.nextStamp();
      const file = `${stamp}_${name.slice(0, LONGEST_NAME)}.js`;
      if (await this.writeWhole(stamp, file, text)) return file;
    }
  }

  async remove(file: string): Promise<void> {
    await rm(this.path(file), { force: true });
  }

  /**
   * Writes under another name first: a file that a full disk or a kill cut short would keep every later start from
   * applying any. That name is the stamp's, so that it is taken by one process at a time: `migrate create` may write
   * beside a server. False when another one has, or had, the stamp.
   */
  private async writeWhole(stamp: number, file: string, text: string): Promise<boolean> {
    const incomplete = this.path(`.${stamp}.new`);
    try {
      await writeFile(incomplete, text, { flag: 'wx', flush: true });
      const isFree = !(await this.stamps()).includes(stamp);
      await (isFree ? rename(incomplete, this.path(file)) : rm(incomplete));
      return isFree;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      await rm(incomplete, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** The next free timestamp: two files of the same second would have no order. */
  private async nextStamp(): Promise<number> {
    const now = Math.floor(this.clock.now() / 1000);
    const first = Math.max(now, this.lastStamp + 1);
    this.lastStamp = (await this.stamps()).reduce((latest, stamp) => Math.max(latest, stamp + 1), first);
    return this.lastStamp;
  }

  private async stamps(): Promise<number[]> {
    return (await this.list()).map((file) => Number.parseInt(file, 10));
  }
}
