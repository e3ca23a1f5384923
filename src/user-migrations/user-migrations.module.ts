import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { Automigrate } from './automigrate.js';
import { EntityDifferencesFinder } from './entity-differences.js';
import { MigrationApp, MigrationCollections } from './migration-app.js';
import { MigrationFiles } from './migration-files.js';
import { MigrationHistory } from './migration-history.js';
import { UserMigrationsService } from './user-migrations.service.js';

/** The migrations of the people who use Roost (chapter 06 K). */
@Module({
  imports: [CollectionsModule, RecordsModule],
  providers: [
    EntityDifferencesFinder,
    MigrationFiles,
    MigrationHistory,
    MigrationCollections,
    MigrationApp,
    UserMigrationsService,
    Automigrate,
  ],
  exports: [UserMigrationsService],
})
export class UserMigrationsModule {}
