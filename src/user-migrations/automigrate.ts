import { Inject, Injectable, Logger } from '@nestjs/common';
import { CollectionEdited, type CollectionEditedEvent } from '../collections/collection.hooks.js';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { MigrationFiles } from './migration-files.js';
import { MigrationHistory } from './migration-history.js';
import { changeText } from './migration-text.js';

/** Runs after all other handlers, so that a refused change leaves no file. */
const LAST = { order: Number.MAX_SAFE_INTEGER };

/** Writes changes that people make to collections as migrations, which count as applied (OPS-188). */
@Injectable()
export class Automigrate {
  private readonly logger = new Logger('Automigrate');

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly database: Database,
    private readonly files: MigrationFiles,
    private readonly history: MigrationHistory,
  ) {}

  @CollectionEdited(LAST)
  async writeMigration({ before, after }: CollectionEditedEvent): Promise<void> {
    if (!this.config.automigrate) return;
    const text = changeText(before, after);
    if (text === undefined) return;
    const verb = before && after ? 'updated' : after ? 'created' : 'deleted';
    const file = await this.write(`${verb}_${(after ?? before)!.name}`, text);
    this.database.afterRollback(() => this.files.remove(file));
    await this.history.add([file]);
  }

  private async write(name: string, text: string): Promise<string> {
    try {
      return await this.files.write(name, text);
    } catch (error) {
      this.logger.error(`The migration ${name} could not be written: ${String(error)}`);
      throw new BadRequestError(
        'The change was refused because its migration file could not be written.',
        {},
        {
          cause: error,
        },
      );
    }
  }
}
