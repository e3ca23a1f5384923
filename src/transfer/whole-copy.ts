import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { StartError } from '../config/start.error.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { DATABASE_FILES, DataDirectory } from '../database/data-directory.js';
import { type DatabasePlace, type OtherDatabase, OtherDatabases } from '../database/other-databases.js';
import { UNFINISHED_TABLE } from '../database/own-tables.js';
import { SchemaSync } from '../database/schema-sync.js';
import type { CopyOptions, CopyReport } from './copy-run.js';
import { LOGS } from './copied-table.js';
import { type CopiedLogs, DatabaseCopy } from './database-copy.js';
import { requireFreeNames } from './free-names.js';
import { vacuumFilled } from './vacuum-filled.js';

/** How everything is copied. */
export interface WholeCopyOptions extends Pick<
  CopyOptions,
  'onProgress' | 'onCollection' | 'offThread' | 'mayBreakViews'
> {
  /** Whether the log comes along. */
  readonly logs: boolean;
  /** Called before each table that is vacuumed, when everything has been copied. */
  readonly onVacuum?: (table: string) => void;
}

/** What was copied, the log included unless it was left out. */
export interface WholeCopyReport extends CopyReport {
  /** Where everything is now. */
  readonly place: string;
  readonly logs: CopiedLogs | undefined;
}

/** What a data directory may hold that is to be filled: files of records can be there before their records. */
const NOTHING = /^(?:roost\.lock|storage|lost\+found|\.temp|\.processes)$/;

/** Copies everything of the application into an empty database elsewhere (SCALE-14). */
@Injectable()
export class WholeCopy {
  constructor(
    private readonly copy: DatabaseCopy,
    private readonly others: OtherDatabases,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly directory: DataDirectory,
  ) {}

  /**
   * Can be repeated after an interruption: the target is marked from before its first table until the commit, and a
   * marked one is only used by the next copy. After a failure it is empty again.
   */
  async to(place: DatabasePlace, options: WholeCopyOptions): Promise<WholeCopyReport> {
    if (this.others.isOwn(place)) throw new StartError('Source and target are the same database.');
    const target = this.others.at(place);
    const { source } = this;
    const isDirectory = 'dir' in place;
    try {
      if (isDirectory) {
        await requireFree(place.dir);
        await target.lock.acquire();
      }
      await target.data.lifecycle.open({ fills: true });
      const report = await this.fill(source, target, options, async () => {
        if (isDirectory) await removeDatabases(place.dir);
      });
      const filled = report.collections.map(({ name }) => name);
      await vacuumFilled(target.data, report.logs ? [...filled, LOGS.name] : filled, options.onVacuum);
      return report;
    } finally {
      await source.close();
      await target.close();
      await target.lock.release();
    }
  }

  /** Connections of its own, so that a long copy takes none from the pool of the requests. */
  private get source(): Pick<OtherDatabase, 'data' | 'logs' | 'close'> {
    if (!this.directory.holdsData) return this.others.own();
    return { data: this.database, logs: this.auxiliary, close: () => Promise.resolve() };
  }

  private async fill(
    source: Pick<OtherDatabase, 'data' | 'logs'>,
    target: OtherDatabase,
    options: WholeCopyOptions,
    removeFiles: () => Promise<void>,
  ): Promise<WholeCopyReport> {
    try {
      // Before the log, which may be long.
      await requireFreeNames(source.data, target.data);
      await target.logs.lifecycle.open({ fills: true });
      const logs = options.logs ? await this.copy.runLogs(source.logs, target.logs, options) : undefined;
      const schema = new SchemaSync(target.data);
      const beforeCommit = (): Promise<void> => schema.apply([{ kind: 'dropTable', table: UNFINISHED_TABLE }]);
      const report = await this.copy.run(source.data, target.data, { ...options, beforeCommit });
      await target.data.upkeep.optimize();
      return { ...report, place: target.place, logs };
    } catch (error) {
      await target.logs.lifecycle.close();
      // When the database is away, the mark stays.
      await target.data.lifecycle.discard().catch(() => undefined);
      await removeFiles();
      throw error;
    }
  }
}

/** Whether an existing database is empty is checked when it is opened. */
async function requireFree(path: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw new StartError(`The data directory ${path} cannot be read: ${error.message}`);
  });
  if (names.includes('data.db') || names.every((name) => NOTHING.test(name))) return;
  throw new StartError(`The data directory ${path} is not empty: nothing was copied. Name a new one.`);
}

async function removeDatabases(path: string): Promise<void> {
  for (const name of await readdir(path)) if (DATABASE_FILES.test(name)) await rm(join(path, name), { force: true });
}
