import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { MailModule } from '../mail/mail.module.js';
import { RecordsModule } from '../records/records.module.js';
import { SseModule } from '../sse/sse.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TransferModule } from '../transfer/transfer.module.js';
import { AutoBackupCron } from './auto-backup.cron.js';
import { BackupBodyLimit } from './backup-body-limit.js';
import { BackupDownloadService } from './backup-download.service.js';
import { BackupInspection } from './backup-inspection.js';
import { BackupMaker } from './backup-maker.js';
import { BackupRestorer } from './backup-restorer.js';
import { BackupsController } from './backups.controller.js';
import { BackupsService, RESTORE_DELAY } from './backups.service.js';
import { DataReplacement } from './data-replacement.js';
import { DataSwap } from './data-swap.js';
import { DatabaseExchange } from './database-exchange.js';

/** Backups and their restoration (chapter 06 E). */
@Module({
  imports: [CollectionsModule, MailModule, RecordsModule, SseModule, StorageModule, TransferModule],
  controllers: [BackupsController],
  providers: [
    AutoBackupCron,
    BackupBodyLimit,
    BackupDownloadService,
    BackupInspection,
    BackupMaker,
    BackupRestorer,
    BackupsService,
    DataReplacement,
    DataSwap,
    DatabaseExchange,
    { provide: RESTORE_DELAY, useValue: 1_000 },
  ],
  exports: [BackupsService, BackupRestorer],
})
export class BackupsModule {}
