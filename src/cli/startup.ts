import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackupRestorer } from '../backups/backup-restorer.js';
import { CollectionStore } from '../collections/collection-store.js';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { DataDirectory } from '../database/data-directory.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { DatabaseError } from '../database/database.error.js';
import { DataDirLock } from '../database/sqlite/data-dir-lock.js';
import { Outbox } from '../events/outbox.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { LogWriter } from '../logs/log-writer.js';
import { SettingsService } from '../settings/settings.service.js';
import { RedisLink } from '../instances/redis-link.js';
import { FileRemovals } from '../storage/file-removals.js';
import { UserMigrationsService } from '../user-migrations/user-migrations.service.js';
import { DefinitionCheck } from './definition-check.js';
import type { Opening } from './opens.decorator.js';
import { BeforeServe } from './serve.hooks.js';
import { Terminal } from './terminal.js';

/** Opens the data directory for a command: locked or beside a running instance, migrated and with caches filled. */
@Injectable()
export class Startup {
  private readonly logger = new Logger('Logs');

  /** True once the process serves: it then lives until it is told to stop. */
  serving = false;

  constructor(
    private readonly directory: DataDirectory,
    private readonly lock: DataDirLock,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
    private readonly logs: LogWriter,
    private readonly migrations: UserMigrationsService,
    private readonly restorer: BackupRestorer,
    private readonly removals: FileRemovals,
    private readonly hooks: HookRegistry,
    private readonly terminal: Terminal,
    private readonly definitions: DefinitionCheck,
    @Inject(RedisLink) private readonly redis: RedisLink | null,
    private readonly outbox: Outbox,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** Runs before the action of every command. */
  async prepare(opening: Opening): Promise<void> {
    if (opening === 'nothing') return;
    if (opening === 'lock') return this.lockDirectory();
    if (opening === 'serving') await this.redis?.open();
    if (opening === 'existing') await this.directory.requireDataFile();
    await this.open(opening === 'exclusive' || opening === 'serving');
    if (opening === 'serving') await this.beginServing();
  }

  /**
   * Opens everything in the order of OPS-190. With `exclusive` it throws when another instance holds the directory;
   * without, it works beside that instance.
   */
  async open(exclusive: boolean): Promise<void> {
    await this.database.lifecycle.probe();
    if (exclusive) await this.lockDirectory();
    else await this.useDirectory();
    await this.directory.requireData();
    await this.database.lifecycle.open();
    if (exclusive) await this.openLogs();
    this.logs.begin();
    await this.outbox.begin();
    await this.settings.load();
    await this.collections.load();
    if (exclusive) await this.removals.begin();
  }

  /** Only warns: a missing folder may be intended. */
  async warnOfMissingMigrations(): Promise<void> {
    if (this.config.automigrate) return;
    try {
      await this.migrations.requireFolder();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.terminal.warn(error.message);
    }
  }

  /** Unreadable logs do not stop the start; they are set aside, and nothing else is lost (OPS-80). */
  private async openLogs(): Promise<void> {
    try {
      await this.auxiliary.lifecycle.open();
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof DatabaseError) || cause.kind !== 'corrupt') throw error;
      const aside = await this.directory.setAside(this.directory.auxiliary);
      this.logger.warn(`The logs are damaged and begin anew. What there was is now ${aside}.`);
      await this.auxiliary.lifecycle.open();
    }
  }

  private async beginServing(): Promise<void> {
    await this.migrations.up();
    this.definitions.requireFieldTypes();
    try {
      await this.hooks.run(BeforeServe, { config: this.config });
    } catch (error) {
      // The message for clients hides the reason, which the operator needs.
      throw (error as Error).cause ?? error;
    }
    this.definitions.warnOfIdleHooks();
  }

  private async lockDirectory(): Promise<void> {
    const { users } = this.directory;
    if (users) {
      await this.directory.prepare();
      return users.enter(() => this.tidyUp());
    }
    await this.lock.acquire();
    // The other workers of this server use the directory.
    if (this.link.isJoining) await this.directory.requireFinished();
    else await this.tidyUp();
  }

  private async tidyUp(): Promise<void> {
    await this.directory.requireFinished();
    await this.restorer.recover();
    await this.directory.emptyTemp();
  }

  /** Works beside whoever serves. A directory of somebody else's, or none, may do where the data are elsewhere. */
  private async useDirectory(): Promise<void> {
    const { users } = this.directory;
    await this.directory.requireFinished();
    if (users && (await this.directory.isWritable())) await users.enter();
  }
}
