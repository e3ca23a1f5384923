import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import type { Caller } from '../kernel/records/caller.js';
import { SettingsService } from '../settings/settings.service.js';
import { BackupActivity } from '../storage/backup-activity.js';
import type { Health } from './health.dto.js';

/** Milliseconds after which a database that does not answer counts as down. */
const TIMEOUT = 2_000;

/** Milliseconds for which a good result is reused, so that probes are cheap. */
const FRESH = 1_000;

/** Headers in which well-known proxies pass on the client's address. */
const PROXY_HEADERS = ['CF-Connecting-IP', 'Fly-Client-IP', 'X-Forwarded-For'];

const UNHEALTHY: Health = { code: 503, message: 'The database does not answer.', data: {} };
const ONLY_READS: Health = { code: 503, message: 'The database only reads and takes no changes.', data: {} };
const CUT_OFF: Health = { code: 503, message: 'The other instances cannot be heard.', data: {} };

@Injectable()
export class HealthService {
  /** When the last check succeeded. */
  private foundAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly backups: BackupActivity,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {}

  /** 200 when the database can be read and written, else 503 in the same shape. Superusers are told a little more. */
  async check(caller: Caller, headers: Readonly<Record<string, unknown>>): Promise<Health> {
    const fault = performance.now() - this.foundAt <= FRESH ? undefined : await this.faultOfDatabase();
    if (fault) return fault;
    if (!this.link.isUp) return CUT_OFF;
    return { code: 200, message: 'API is healthy.', data: caller.isSuperuser ? this.details(caller, headers) : {} };
  }

  private details(caller: Caller, headers: Readonly<Record<string, unknown>>): Health['data'] {
    const names = [...this.settings.get().trustedProxy.headers, ...PROXY_HEADERS];
    return {
      canBackup: !this.backups.isRunning,
      realIP: caller.ip,
      possibleProxyHeader: names.find((name) => headers[name.toLowerCase()]) ?? '',
      ...(this.backups.lastRestore && { lastRestore: this.backups.lastRestore }),
    };
  }

  private async faultOfDatabase(): Promise<Health | undefined> {
    const timer = new AbortController();
    try {
      const fault = await Promise.race([this.ask(), sleep(TIMEOUT, UNHEALTHY, { signal: timer.signal, ref: false })]);
      if (!fault) this.foundAt = performance.now();
      return fault;
    } catch {
      return UNHEALTHY;
    } finally {
      timer.abort();
    }
  }

  private async ask(): Promise<Health | undefined> {
    const isWritable = await this.database.upkeep.isWritable();
    if (isWritable !== undefined) return isWritable ? undefined : ONLY_READS;
    return (await this.database.get({ kind: 'select', columns: [] })) ? undefined : UNHEALTHY;
  }
}
