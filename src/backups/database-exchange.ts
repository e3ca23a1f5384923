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
/** A row that a restore writes in its transaction: whoever finds it knows that the transaction was committed. */
const ROW = 'restore';
const IS_ROW = compare(column(PARAMS, 'id'), '=', param(ROW));

/**
 * Puts the databases of a backup in the place of those that a server has (SCALE-15): their content is copied in one
 * transaction, at the end of which, before the commit, the files of records are exchanged. Which of both holds after an
 * interruption is what the database says.
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

  /** While nobody uses the present content. Throws when the content in the room cannot take its place; then nothing has. */
  async run(room: SwapRoom, backup: string): Promise<void> {
    const [archive, own] = [this.others.at({ dir: room.databases }), this.others.own()];
    const token = randomText(20, LOWER_ALPHANUMERIC);
    try {
      await this.requireSettings(archive);
      const { leftOut } = await this.copy.run(archive.data, own.data, {
        beforeCommit: async () => {
          const rows = [[param(ROW), param(token)]];
          await own.data.run({ kind: 'insert', into: PARAMS, columns: ['id', 'value'], rows });
          // From here on the transaction must not be done again.
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

  /** Finishes what was begun and is committed, and takes everything else back. True for what is committed. */
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

  /** With another key they would keep everything from starting. Those of collections are looked at by the copy. */
  private async requireSettings({ data }: OtherDatabase): Promise<void> {
    const columns = [{ value: column(PARAMS, 'value'), as: 'value' }];
    const where = compare(column(PARAMS, 'id'), '=', param('settings'));
    const row = await data.get<{ value: string }>({ kind: 'select', columns, from: table(PARAMS), where });
    if (row) this.settings.requireReadable(row.value);
  }

  /** Losing them loses nothing else, and the data are in force already. */
  private async restoreLogs(archive: OtherDatabase, own: OtherDatabase): Promise<void> {
    try {
      await this.copy.runLogs(archive.logs, own.logs);
    } catch (error) {
      this.logger.warn(`The log of the backup was not restored: ${(error as Error).message}`);
    }
  }
}
