import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { replaceable } from '../config/replaceable.js';
import { BackupActivity } from './backup-activity.js';
import { BackupStorage } from './backup-storage.js';
import { CollectionFilesHooks } from './collection-files.hooks.js';
import { FileRemovals } from './file-removals.js';
import { FILE_STORAGE } from './file-storage.js';
import { PendingFileJournal } from './pending-file-journal.js';
import { RecordFileNames } from './record-file-names.js';
import { StorageCopy } from './storage-copy.js';
import { StorageTestController } from './storage-test.controller.js';
import { StorageTestService } from './storage-test.service.js';
import { StorageService } from './storage.service.js';
import { TransactionalFiles } from './transactional-files.js';
import { Uploads } from './uploads.js';

/** Where files are kept (chapter 05 D). */
@Module({
  imports: [CollectionsModule],
  controllers: [StorageTestController],
  providers: [
    ...replaceable(FILE_STORAGE, StorageService),
    BackupActivity,
    BackupStorage,
    CollectionFilesHooks,
    FileRemovals,
    PendingFileJournal,
    RecordFileNames,
    StorageCopy,
    StorageTestService,
    TransactionalFiles,
    Uploads,
  ],
  exports: [
    FILE_STORAGE,
    StorageService,
    BackupActivity,
    BackupStorage,
    FileRemovals,
    StorageCopy,
    TransactionalFiles,
    Uploads,
  ],
})
export class StorageModule {}
