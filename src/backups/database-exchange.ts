import { Injectable, Logger } from '@nestjs/common';
import { DataDirectory } from '../database/data-directory.js';
import { Database } from '../database/database.js';
import { type OtherDatabase, OtherDatabases } from '../database/other-databases.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import { column, compare, param, table } from '../kernel/sql/sql.js';
import { SettingsService } from '../settings/settings.service.js';
import { DatabaseCopy } from '../transfer/database-copy.js';
import { DataSwap, type SwapRoom } from './data-swap.js';

const PARAMS = '_params';
/** A row written in the transaction of a restore: it exists exactly when the transaction was committed. */
const ROW = 'restore';
const IS_ROW = compare(column(PARAMS, 'id'), '=', param(ROW));

/**
 * Replaces the databases on a server by those of a backup (SCALE-15): their content is copied in one transaction, and
 * right before its commit the files of records are swapped. After an interruption the database decides which of both is
 * valid.
 */
@Injectable()
export class DatabaseExchange {
  private readonly logger = new Logger('Backups');

  constructor(
    private readonly directory: DataDirectory,
    private readonly database: Database,
    private readonly others: OtherDatabases,
    private readonly copy: DatabaseCopy,
    private readonly settings: SettingsService,
    private readonly swap: DataSwap,
  ) {}

  /** Whether databases are exchanged like this, and not as files. */
  get isNeeded(): boolean {
    return !this.directory.holdsData;
  }

  /** Runs while nobody uses the present content. When it throws, nothing has changed. */
  async run(room: SwapRoom, backup: string): Promise<void> {
    const [archive, own] = [this.others.at({ dir: room.databases }), this.others.own()];
    const token = randomText(20, LOWER_ALPHANUMERIC);
    try {
      await this.requireSettings(archive);
      const { leftOut } = await this.copy.run(archive.data, own.data, {
        beforeCommit: async () => {
          const rows = [[param(ROW), param(token)]];
          await own.data.run({ kind: 'insert', into: PARAMS, columns: ['id', 'value'], rows });
          // Makes the transaction one that is not repeated after a conflict.
          own.data.afterRollback(() => undefined);
          await this.swap.swapIn(backup, token);
        },
      });
      for (const name of leftOut)
        this.logger.warn(`The table ${name} of the backup, which is no collection's, was left out.`);
      await this.settle(own.data);
      await this.restoreLogs(archive, own);
    } catch (error) {
      const isDone = await this.recover(own.data).catch((failure: Error) => {
        this.logger.error(`Whether the restore was committed is found out at the next start: ${failure.message}`);
        return false;
      });
      if (!isDone) throw error;
    } finally {
      await archive.close();
      await own.close();
    }
  }

  /** Completes a committed exchange, and undoes one that was not; true for a committed one. */
  async recover(database = this.database): Promise<boolean> {
    const token = (await this.swap.begun())?.token;
    if (token !== undefined && (await this.committed(database)) === token) {
      await this.settle(database);
      return true;
    }
    await this.swap.rollback();
    return false;
  }

  private async committed(database: Database): Promise<string | undefined> {
    const columns = [{ value: column(PARAMS, 'value'), as: 'value' }];
    return (await database.get<{ value: string }>({ kind: 'select', columns, from: table(PARAMS), where: IS_ROW }))
      ?.value;
  }

  private async settle(database: Database): Promise<void> {
    await this.swap.commit();
    await database.run({ kind: 'delete', from: PARAMS, where: IS_ROW });
  }

  /**
   * Checks that the settings can be decrypted, or nothing would start. Secrets of collections are checked while
   * copying.
   */
  private async requireSettings({ data }: OtherDatabase): Promise<void> {
    const columns = [{ value: column(PARAMS, 'value'), as: 'value' }];
    const where = compare(column(PARAMS, 'id'), '=', param('settings'));
    const row = await data.get<{ value: string }>({ kind: 'select', columns, from: table(PARAMS), where });
    if (row) this.settings.requireReadable(row.value);
  }

  /** A failure is only logged, because the data are restored already and logs are all that is lost. */
  private async restoreLogs(archive: OtherDatabase, own: OtherDatabase): Promise<void> {
    try {
      await this.copy.runLogs(archive.logs, own.logs);
    } catch (error) {
      this.logger.warn(`The log of the backup was not restored: ${(error as Error).message}`);
    }
  }
}
