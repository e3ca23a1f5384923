import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { BackupsModule } from '../backups/backups.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CronsModule } from '../crons/crons.module.js';
import { LogsModule } from '../logs/logs.module.js';
import { PocketBaseImportModule } from '../pocketbase-import/pocketbase-import.module.js';
import { RecordsModule } from '../records/records.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TransferModule } from '../transfer/transfer.module.js';
import { UserMigrationsModule } from '../user-migrations/user-migrations.module.js';
import { BackupCreateCommand, BackupRestoreCommand } from './backup-subcommands.js';
import { BackupCommand } from './backup.command.js';
import { CommandClasses } from './command-classes.js';
import { CommandLine } from './command-line.js';
import { CommandNames } from './command-names.js';
import { DbCommand, DbCopyCommand } from './db.command.js';
import { DefinitionCheck } from './definition-check.js';
import { DirectoryAccess } from './directory-access.js';
import { FilesCommand, FilesCopyCommand } from './files.command.js';
import { ImportPocketBaseCommand } from './import-pocketbase.command.js';
import {
  MigrateCollectionsCommand,
  MigrateCreateCommand,
  MigrateDownCommand,
  MigrateHistorySyncCommand,
  MigrateUpCommand,
} from './migrate-subcommands.js';
import { MigrateCommand } from './migrate.command.js';
import { PeerCheck } from './peer-check.js';
import { ServeCommand } from './serve.command.js';
import { ServingPreparation } from './serving-preparation.js';
import { Startup } from './startup.js';
import {
  SuperuserCreateCommand,
  SuperuserDeleteCommand,
  SuperuserIpsCommand,
  SuperuserOtpCommand,
  SuperuserUpdateCommand,
  SuperuserUpsertCommand,
} from './superuser-subcommands.js';
import { SuperuserCommand } from './superuser.command.js';
import { Terminal } from './terminal.js';
import { TlsListener } from './tls-listener.js';
import { TypesCommand } from './types.command.js';

/** What one can do with the application from the command line. */
@Module({
  imports: [
    DiscoveryModule,
    CollectionsModule,
    AuthModule,
    LogsModule,
    CronsModule,
    RecordsModule,
    StorageModule,
    UserMigrationsModule,
    BackupsModule,
    PocketBaseImportModule,
    TransferModule,
  ],
  providers: [
    CommandLine,
    CommandClasses,
    CommandNames,
    DefinitionCheck,
    DirectoryAccess,
    ServingPreparation,
    Startup,
    Terminal,
    TlsListener,
    PeerCheck,
    ServeCommand,
    SuperuserCommand,
    SuperuserCreateCommand,
    SuperuserUpdateCommand,
    SuperuserUpsertCommand,
    SuperuserDeleteCommand,
    SuperuserOtpCommand,
    SuperuserIpsCommand,
    TypesCommand,
    FilesCommand,
    FilesCopyCommand,
    DbCommand,
    DbCopyCommand,
    ImportPocketBaseCommand,
    MigrateCommand,
    MigrateUpCommand,
    MigrateDownCommand,
    MigrateCreateCommand,
    MigrateCollectionsCommand,
    MigrateHistorySyncCommand,
    BackupCommand,
    BackupCreateCommand,
    BackupRestoreCommand,
  ],
  exports: [CommandLine, Startup, Terminal],
})
export class CliModule {}
