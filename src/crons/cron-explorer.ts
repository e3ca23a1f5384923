import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob, type CronJobParams } from 'cron';
import { type ProviderMethod, ProviderMethods } from '../config/provider-methods.js';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { CronExpression } from '../kernel/cron-expression.js';
import { SETTINGS_CRON, type SettingsCronMetadata } from '../settings/settings-cron.decorator.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ScheduledJob } from './cron-job.js';
import { CronSchedule, type CronScheduleOptions } from './cron-schedule.js';
import { type CronMetadata, SCHEDULE_METADATA, type TimerMetadata } from './schedule-metadata.js';

const { cron: CRON, interval: INTERVAL, timeout: TIMEOUT, name: NAME } = SCHEDULE_METADATA;
const KEYS = [CRON, INTERVAL, TIMEOUT, SETTINGS_CRON];

/**
 * Finds the scheduled methods: those marked with `@Cron`, `@Interval` and `@Timeout` of @nestjs/schedule, and with
 * `@SettingsCron`. The package's own explorer would start them in every command, not only in `serve`.
 */
@Injectable()
export class CronExplorer {
  constructor(
    private readonly methods: ProviderMethods,
    private readonly reflector: Reflector,
    private readonly registry: SchedulerRegistry,
    private readonly settings: SettingsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** All of them. Throws when two have the same id. */
  explore(): ScheduledJob[] {
    const jobs = this.methods.marked(KEYS, 'scheduled jobs').flatMap(({ instance, method, label }) => {
      const job = this.job(method, label);
      return job ? [{ ...job, work: () => method.call(instance) }] : [];
    });
    const ids = new Set<string>();
    for (const { id } of jobs) {
      if (ids.has(id))
        throw new Error(
          `Two scheduled jobs have the name ${id}: give one of them another, as the "name" of its decorator.`,
        );
      ids.add(id);
    }
    return jobs;
  }

  private job(method: ProviderMethod['method'], fallback: string): Omit<ScheduledJob, 'work'> | undefined {
    const id = this.reflector.get<string | undefined>(NAME, method) ?? fallback;
    const settingsCron = this.reflector.get<SettingsCronMetadata | undefined>(SETTINGS_CRON, method);
    if (settingsCron) return this.bySettings(settingsCron);
    const cron = this.reflector.get<CronMetadata | undefined>(CRON, method);
    if (cron) return this.byCron(id, cron);
    const interval = this.reflector.get<TimerMetadata | undefined>(INTERVAL, method);
    if (interval) return this.byInterval(id, interval.timeout);
    const timeout = this.reflector.get<TimerMetadata | undefined>(TIMEOUT, method);
    return timeout && this.byTimeout(id, timeout.timeout);
  }

  private byCron(id: string, metadata: CronMetadata): Omit<ScheduledJob, 'work'> {
    const { cronTime, disabled, name: _name, initialDelay: _initialDelay, ...options } = metadata;
    // Times are UTC unless the decorator says otherwise.
    const zone = options.timeZone === undefined && options.utcOffset === undefined ? { timeZone: 'UTC' } : {};
    const params = { ...options, ...zone, cronTime };
    const planned = new CronSchedule([cronTime, params.timeZone, params.utcOffset] as CronScheduleOptions);
    return {
      id,
      expression: () => (typeof cronTime === 'string' ? cronTime : String(cronTime)),
      mount: (onTick) => {
        const job = CronJob.from({ ...params, onTick, start: !disabled } as CronJobParams);
        this.registry.addCronJob(id, job);
      },
      next: (after) => (disabled ? undefined : planned.next(after)),
    };
  }

  /** Checks the settings every minute, so that nothing has to react when they change. */
  private bySettings({ name, schedule }: SettingsCronMetadata): Omit<ScheduledJob, 'work'> {
    const expression = () => schedule(this.settings.get());
    return {
      id: name,
      expression,
      mount: (run) => {
        const onTick = () => {
          if (CronExpression.parse(expression())?.matches(this.clock.now())) run();
        };
        this.registry.addCronJob(name, CronJob.from({ cronTime: '0 * * * * *', onTick, timeZone: 'UTC', start: true }));
      },
      next: (after) => CronExpression.parse(expression())?.next(after),
    };
  }

  private byInterval(id: string, milliseconds: number): Omit<ScheduledJob, 'work'> {
    return {
      id,
      expression: () => `@every ${milliseconds}ms`,
      mount: (run) => this.registry.addInterval(id, setInterval(run, milliseconds)),
      next: (after, began) => began + (Math.floor((after - began) / milliseconds) + 1) * milliseconds,
    };
  }

  /** Runs once after the start and is no schedule, so it is not listed. */
  private byTimeout(id: string, milliseconds: number): Omit<ScheduledJob, 'work'> {
    return {
      id,
      expression: () => '',
      mount: (run) => this.registry.addTimeout(id, setTimeout(run, milliseconds)),
      next: (after, began) => (began + milliseconds > after ? began + milliseconds : undefined),
    };
  }
}
