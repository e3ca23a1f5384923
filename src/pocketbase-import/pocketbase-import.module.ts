import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { ImportTarget } from './import-target.js';
import { ImportedFiles } from './imported-files.js';
import { ImportedRecords } from './imported-records.js';
import { ImportedSettings } from './imported-settings.js';
import { PocketBaseImportService } from './pocketbase-import.service.js';

/** Moving from PocketBase: fills an empty data directory from one of PocketBase's (OPS-165). */
@Module({
  imports: [CollectionsModule, SettingsModule],
  providers: [ImportTarget, ImportedFiles, ImportedRecords, ImportedSettings, PocketBaseImportService],
  exports: [PocketBaseImportService],
})
export class PocketBaseImportModule {}
