import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { CollectionStore } from '../collections/collection-store.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { DataDirectory } from '../database/data-directory.js';
import { DatabaseCheck } from '../database/database-check.js';
import { TrafficGate } from '../http/adapter/traffic-gate.js';
import type { Clock } from '../kernel/clock.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { formatDateTime } from '../kernel/date-time.js';
import { SettingsService } from '../settings/settings.service.js';
import { SseHub } from '../sse/sse-hub.js';
import { BackupActivity } from '../storage/backup-activity.js';
import { FileRemovals } from '../storage/file-removals.js';
import { LOGS } from '../transfer/copied-table.js';
import { vacuumFilled } from '../transfer/vacuum-filled.js';
import { unpackArchive, type UnpackProgress } from './archive-reader.js';
import { DataSwap, type SwapRoom } from './data-swap.js';
import { DatabaseExchange } from './database-exchange.js';

/** How long requests that are running may take before their data changes under them (OPS-105). */
const DRAIN_TIME = 10_000;

interface RestoreOptions {
  /** The name of the backup, for whoever asks how it ended. */
  readonly backup: string;
  readonly onProgress?: (progress: UnpackProgress) => void;
}

/**
 * Puts the content of a backup in the place of the present one (OPS-105). Whatever fails, and whenever the process is
 * killed, the old content is what remains.
 */
@Injectable()
export class BackupRestorer {
  private readonly logger = new Logger('Backups');

  constructor(
    private readonly directory: DataDirectory,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly check: DatabaseCheck,
    private readonly swap: DataSwap,
    private readonly databaseExchange: DatabaseExchange,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
    private readonly removals: FileRemovals,
    private readonly gate: TrafficGate,
    private readonly streams: SseHub,
    private readonly activity: BackupActivity,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Restores an archive. `fetch` puts it where it is told to; it is removed afterwards. */
  async restore(fetch: (path: string) => Promise<void>, { backup, onProgress }: RestoreOptions): Promise<void> {
    const { users } = this.directory;
    const door = await users?.keepOut();
    const archive = this.directory.newTempPath('restore', '.zip');
    let isOver = false;
    const end = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      await rm(archive, { force: true });
      await this.swap.clear();
      await door?.release();
    };
    try {
      // The others of this server end before the data are replaced, and not yet.
      if (this.link.isAlone) await users?.requireAlone();
      const room = await this.swap.prepare();
      await fetch(archive);
      await unpackArchive(archive, room, onProgress);
      await this.check.require(join(room.databases, 'data.db'));
      // Other processes must not see the data change.
      await this.link.runAlone(async () => {
        await users?.requireAlone();
        try {
          await this.replace(backup, room);
        } finally {
          // Before the others of this server come back into the directory.
          await end();
        }
      });
    } finally {
      await end();
    }
    // Requests are answered again meanwhile.
    await vacuumFilled(this.database, [...this.collections.catalog.tables(), LOGS.name]);
  }

  /** Brings back what a process left that was killed in the middle of a restore. Before anything is opened. */
  async recover(): Promise<void> {
    const begun = await this.swap.begun();
    if (begun) {
      const isDone = await this.databaseExchange.recover();
      const state = isDone ? 'the data is that of the backup' : 'the data is as it was before';
      this.logger.warn(`A restore was interrupted; ${state}.`);
      this.activity.lastRestore = {
        time: formatDateTime(this.clock.now()),
        backup: begun.backup ?? '',
        outcome: isDone ? 'restored' : 'failed',
        reason: isDone ? '' : `The process ended before the restore was complete; ${state}.`,
      };
    }
    await this.swap.clear();
  }

  private async replace(backup: string, room: SwapRoom): Promise<void> {
    this.gate.close();
    try {
      await this.streams.close();
      await this.gate.drain(DRAIN_TIME);
      // Pending removals belong to the old database and must not affect the restored files.
      const release = await this.removals.pause();
      await this.exchange(backup, room).finally(release);
    } finally {
      this.streams.reopen();
      this.gate.open();
    }
  }

  private async exchange(backup: string, room: SwapRoom): Promise<void> {
    if (this.databaseExchange.isNeeded) {
      await this.whileClosed(() => this.databaseExchange.run(room, backup));
      return this.requireReadable();
    }
    try {
      await this.whileClosed(() => this.swap.swapIn(backup));
      await this.requireReadable();
    } catch (error) {
      await this.whileClosed(async () => {
        await this.swap.rollback();
      });
      throw error;
    }
    await this.swap.commit();
  }

  /** Afterwards everything that is kept in memory is read again. */
  private whileClosed(work: () => Promise<void>): Promise<void> {
    return this.database.lifecycle.whileClosed(() => this.auxiliary.lifecycle.whileClosed(work));
  }

  /** Reads settings and definitions once more, because failures while reloading are only logged. */
  private async requireReadable(): Promise<void> {
    await this.settings.load();
    await this.collections.load();
  }
}
