import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { messageOf, thrownText } from '../kernel/errors/message-of.js';
import { MailService } from '../mail/mail.service.js';
import { RecordsService } from '../records/records.service.js';
import { SettingsCron } from '../settings/settings-cron.decorator.js';
import { SettingsService } from '../settings/settings.service.js';
import { BackupActivity } from '../storage/backup-activity.js';
import { AUTO_PREFIX, backupName } from './backup-names.js';
import { BackupsService } from './backups.service.js';

/** Installations with more superusers get no more mails than this. */
const MOST_MAILS = 1_000;

/** Makes backups by the schedule of the settings and lets go of the oldest of them (OPS-107). */
@Injectable()
export class AutoBackupCron {
  private readonly logger = new Logger('Backups');

  constructor(
    private readonly backups: BackupsService,
    private readonly activity: BackupActivity,
    private readonly settings: SettingsService,
    private readonly records: RecordsService,
    private readonly mails: MailService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @SettingsCron('__pbAutoBackup__', ({ backups }) => backups.cron)
  async run(): Promise<void> {
    if (this.activity.isRunning) {
      this.logger.warn('The automatic backup was skipped because another backup or restore is running.');
      return;
    }
    const { meta } = this.settings.get();
    const key = backupName(AUTO_PREFIX, meta.appName, this.clock.now());
    try {
      await this.backups.make(key);
      await this.deleteOldest();
    } catch (error) {
      this.logger.error(`The automatic backup ${key} failed: ${thrownText(error)}`, (error as Error).stack);
      await this.tellSuperusers(key, error);
    }
  }

  private async deleteOldest(): Promise<void> {
    const { cronMaxKeep } = this.settings.get().backups;
    if (cronMaxKeep < 1) return;
    const own = (await this.backups.list()).filter(({ key }) => key.startsWith(AUTO_PREFIX));
    // The application may have been renamed in between, so the names alone do not tell the age.
    const age = ({ key, modified }: { key: string; modified: string }) => /_(\d{14})\.zip$/.exec(key)?.[1] ?? modified;
    const newestFirst = own.sort((one, other) => (age(one) > age(other) ? -1 : 1));
    for (const { key } of newestFirst.slice(cronMaxKeep)) await this.backups.delete(key);
  }

  private async tellSuperusers(key: string, error: unknown): Promise<void> {
    const { appName } = this.settings.get().meta;
    const subject = `The automatic backup of ${appName} failed`;
    const text = `The backup ${key} could not be made:\n\n${messageOf(error)}\n`;
    const { items } = await this.records.find('_superusers', { perPage: MOST_MAILS, skipTotal: true });
    for (const superuser of items) {
      try {
        await this.mails.send({ kind: 'backup', record: superuser, to: String(superuser.get('email')), subject, text });
      } catch (failure) {
        this.logger.error(`A superuser could not be told of the failed backup: ${String(failure)}`);
      }
    }
  }
}
