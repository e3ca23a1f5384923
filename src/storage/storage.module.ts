import { Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { BackupActivity } from './backup-activity.js';
import { BackupStorage } from './backup-storage.js';
import { FileRemovals } from './file-removals.js';
import { FILE_STORAGE } from './file-storage.js';
import { StagedFiles } from './staged-files.js';
import { StorageCopy } from './storage-copy.js';
import { StorageTestController } from './storage-test.controller.js';
import { StorageTestService } from './storage-test.service.js';
import { StorageService } from './storage.service.js';
import { UnsettledFiles } from './unsettled-files.js';
import { Uploads } from './uploads.js';

/** Where files are kept (chapter 05 D). */
@Module({
  controllers: [StorageTestController],
  providers: [
    ...replaceable(FILE_STORAGE, StorageService),
    BackupActivity,
    BackupStorage,
    FileRemovals,
    StagedFiles,
    StorageCopy,
    StorageTestService,
    UnsettledFiles,
    Uploads,
  ],
  exports: [
    FILE_STORAGE,
    StorageService,
    BackupActivity,
    BackupStorage,
    FileRemovals,
    StagedFiles,
    StorageCopy,
    UnsettledFiles,
    Uploads,
  ],
})
export class StorageModule {}
