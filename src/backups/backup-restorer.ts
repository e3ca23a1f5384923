import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { DataDirectory } from '../database/data-directory.js';
import { DatabaseCheck } from '../database/database-check.js';
import type { Clock } from '../kernel/clock.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { formatDateTime } from '../kernel/date-time.js';
import { BackupActivity } from '../storage/backup-activity.js';
import { unpackArchive, type UnpackProgress } from './archive-reader.js';
import { DataReplacement } from './data-replacement.js';
import { DataSwap } from './data-swap.js';
import { DatabaseExchange } from './database-exchange.js';

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
    private readonly check: DatabaseCheck,
    private readonly swap: DataSwap,
    private readonly replacement: DataReplacement,
    private readonly databaseExchange: DatabaseExchange,
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
          await this.replacement.run(room, backup);
        } finally {
          // Before the others of this server come back into the directory.
          await end();
        }
      });
    } finally {
      await end();
    }
    await this.replacement.vacuum();
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
}
