import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { Subscription } from 'rxjs';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { SettingsService } from '../settings/settings.service.js';
import type { SettingsChanged } from '../settings/settings-changed.event.js';
import { LogRows } from './log-rows.js';
import { LogsService } from './logs.service.js';

const DAY = 24 * 60 * 60 * 1000;

/** Deletes entries that the settings do not keep any more (OPS-82, OPS-83). */
@Injectable()
export class LogRetention implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Logs');
  private readonly changes: Subscription;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly rows: LogRows,
    private readonly logs: LogsService,
    private readonly settings: SettingsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.changes = settings.changes.subscribe((change) => this.follow(change));
  }

  onModuleDestroy(): void {
    this.changes.unsubscribe();
  }

  /** Waits for running deletions before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  @Cron('0 */6 * * *', { name: '__pbLogsCleanup__', timeZone: 'UTC' })
  async deleteOld(): Promise<void> {
    const { maxDays } = this.settings.get().logs;
    if (maxDays > 0) await this.rows.delete({ before: this.oldest(maxDays) });
  }

  /** Resolves when the deletions of all changes so far are done. */
  idle(): Promise<void> {
    return this.running;
  }

  /** When the oldest entry that is kept may have been made. */
  private oldest(maxDays: number): string {
    return formatDateTime(Math.max(0, this.clock.now() - maxDays * DAY));
  }

  /** Runs one deletion after another, so that the order of changes is the order of their effects. */
  private follow({ before, after }: SettingsChanged): void {
    const { maxDays, minLevel } = after.logs;
    if (before.logs.maxDays === maxDays && before.logs.minLevel === minLevel) return;
    const work = async () => {
      if (maxDays === 0) await this.logs.deleteAll();
      else await this.rows.delete({ before: this.oldest(maxDays), belowLevel: minLevel });
    };
    this.running = this.running.then(work).catch((error: unknown) => {
      this.logger.warn(`Old log entries could not be deleted: ${String(error)}`);
    });
  }
}
