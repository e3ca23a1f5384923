import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { SettingsService } from '../settings/settings.service.js';
import { ChosenStorage } from './chosen-storage.js';

/** Uploaded files and their thumbnails, where the settings want them: what FILE_STORAGE is unless it is replaced. */
@Injectable()
export class StorageService extends ChosenStorage {
  constructor(@Inject(ROOST_CONFIG) config: RoostConfig, settings: SettingsService) {
    super(join(config.dir, 'storage'), () => settings.get().s3);
  }
}
