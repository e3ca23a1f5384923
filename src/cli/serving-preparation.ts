import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { CronsService } from '../crons/crons.service.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { UserMigrationsService } from '../user-migrations/user-migrations.service.js';
import { DefinitionCheck } from './definition-check.js';
import { BeforeServe } from './serve.hooks.js';
import { Terminal } from './terminal.js';

/** What is done before a server listens, once the data directory is open: migrations, checks, hooks. */
@Injectable()
export class ServingPreparation {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly definitions: DefinitionCheck,
    private readonly crons: CronsService,
    private readonly hooks: HookRegistry,
    private readonly terminal: Terminal,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** Throws whatever keeps the server from starting. */
  async run(): Promise<void> {
    await this.migrations.up();
    this.definitions.requireFieldTypes();
    this.crons.requireSchedules();
    try {
      await this.hooks.run(BeforeServe, { config: this.config });
    } catch (error) {
      // The message for clients hides the reason, which the operator needs.
      throw (error as Error).cause ?? error;
    }
    this.definitions.warnOfIdleHooks();
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
}
