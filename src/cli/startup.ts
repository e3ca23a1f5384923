import { Inject, Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { DataDirectory } from '../database/data-directory.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { DatabaseError } from '../database/database.error.js';
import { Outbox } from '../events/outbox.js';
import { RedisLink } from '../instances/redis-link.js';
import { LogWriter } from '../logs/log-writer.js';
import { SettingsService } from '../settings/settings.service.js';
import { FileRemovals } from '../storage/file-removals.js';
import { DirectoryAccess } from './directory-access.js';
import type { Opening } from './opens.decorator.js';
import { ServingPreparation } from './serving-preparation.js';

/** Opens the data directory for a command: locked or beside a running instance, migrated and with caches filled. */
@Injectable()
export class Startup {
  private readonly logger = new Logger('Logs');

  /** True once the process serves: it then lives until it is told to stop. */
  serving = false;

  constructor(
    private readonly access: DirectoryAccess,
    private readonly directory: DataDirectory,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
    private readonly logs: LogWriter,
    private readonly removals: FileRemovals,
    private readonly outbox: Outbox,
    private readonly preparation: ServingPreparation,
    @Inject(RedisLink) private readonly redis: RedisLink | null,
  ) {}

  /** Runs before the action of every command. Throws a DataDirectoryError where it needs data and there are none. */
  async prepare(opening: Opening, { needsData = false } = {}): Promise<void> {
    if (needsData) await this.directory.requireUsed();
    if (opening === 'nothing') return;
    if (opening === 'lock') return this.access.lock();
    if (opening === 'serving') await this.redis?.open();
    await this.open(opening === 'exclusive' || opening === 'serving', { needsData });
    if (opening === 'serving') await this.preparation.run();
  }

  /**
   * Opens everything in the order of OPS-190. With `exclusive` it throws when another instance holds the directory;
   * without, it works beside that instance.
   */
  async open(exclusive: boolean, { needsData = false } = {}): Promise<void> {
    await this.database.lifecycle.probe();
    if (exclusive) await this.access.lock();
    else await this.access.share();
    await this.directory.requireData();
    if (needsData) await this.directory.requireDataFile();
    await this.database.lifecycle.open();
    if (exclusive) await this.openLogs();
    this.logs.begin();
    await this.outbox.begin();
    await this.settings.load();
    await this.collections.load();
    if (exclusive) await this.removals.begin();
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
}
