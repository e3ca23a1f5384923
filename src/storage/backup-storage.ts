import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { SettingsService } from '../settings/settings.service.js';
import { ChosenStorage } from './chosen-storage.js';

/** Backups, where their own settings want them (FS-51, OPS-101). */
@Injectable()
export class BackupStorage extends ChosenStorage {
  constructor(@Inject(ROOST_CONFIG) config: RoostConfig, settings: SettingsService) {
    super(join(config.dir, 'backups'), () => settings.get().backups.s3);
  }
}
