import { Inject, Injectable } from '@nestjs/common';
import { BackupRestorer } from '../backups/backup-restorer.js';
import { DataDirectory } from '../database/data-directory.js';
import { DataDirLock } from '../database/sqlite/data-dir-lock.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';

/** Takes the data directory for a command: for itself, or beside whoever serves from it. */
@Injectable()
export class DirectoryAccess {
  constructor(
    private readonly directory: DataDirectory,
    private readonly directoryLock: DataDirLock,
    private readonly restorer: BackupRestorer,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {}

  /**
   * Takes the directory for this process, or enters it where several may serve from it, and removes what ended
   * processes have left. Throws a DataDirectoryError while another process has it for itself.
   */
  async lock(): Promise<void> {
    const { users } = this.directory;
    if (users) {
      await this.directory.prepare();
      return users.enter(() => this.tidyUp());
    }
    await this.directoryLock.acquire();
    // The other workers of this server use the directory.
    if (this.link.isJoining) await this.directory.requireFinished();
    else await this.tidyUp();
  }

  /** Works beside whoever serves. A directory of somebody else's, or none, may do where the data are elsewhere. */
  async share(): Promise<void> {
    const { users } = this.directory;
    await this.directory.requireFinished();
    if (users && (await this.directory.isWritable())) await users.enter();
  }

  private async tidyUp(): Promise<void> {
    await this.directory.requireFinished();
    await this.restorer.recover();
    await this.directory.emptyTemp();
  }
}
