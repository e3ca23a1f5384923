import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTH_ORIGINS } from '../collections/account-collections.js';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RecordsService } from '../records/records.service.js';
import { AuthMails } from './emails/auth-mails.js';

const MAX_ORIGINS = 5;
const MAIL_TIME_LIMIT = 3_000;
const USER_AGENT_LENGTH = 200;

/** Tells people of sign-ins from places they have not signed in from before (AUTH-705). */
@Injectable()
export class AuthAlerts {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly database: Database,
    private readonly records: RecordsService,
    private readonly mails: AuthMails,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Remembers where the sign-in came from and mails the owner when it is new. Never fails, takes 3 s at most. */
  async notice(record: RecordModel, caller: Caller): Promise<void> {
    if (!record.collection.auth!.authAlert.enabled) return;
    try {
      await this.remember(record, caller);
    } catch (error) {
      // The origin was not stored: the next sign-in from there tries again (AUTH-706).
      this.logger.warn(`The sign-in alert of ${record.collection.name}/${record.id} failed: ${thrownText(error)}`);
    }
  }

  private async remember(record: RecordModel, caller: Caller): Promise<void> {
    const fingerprint = fingerprintOf(record, caller);
    const origins = await this.originsOf(record);
    const known = origins.find((origin) => origin.get('fingerprint') === fingerprint);
    if (known) {
      await this.records.update(AUTH_ORIGINS, known.id, {});
      return;
    }
    if (origins.length > 0 && record.get('email')) await this.alert(record, caller);
    await this.records.transaction(async () => {
      await this.database.lock(`origins of ${record.collection.id} ${record.id}`);
      await this.add(record, fingerprint);
    });
  }

  private async add(record: RecordModel, fingerprint: string): Promise<void> {
    await this.records.create(AUTH_ORIGINS, {
      collectionRef: record.collection.id,
      recordRef: record.id,
      fingerprint,
    });
    const origins = await this.originsOf(record);
    for (const surplus of origins.slice(0, -MAX_ORIGINS)) await this.records.delete(AUTH_ORIGINS, surplus.id);
  }

  /** The oldest first. */
  private async originsOf(record: RecordModel): Promise<readonly RecordModel[]> {
    const { items } = await this.records.find(AUTH_ORIGINS, {
      filter: 'collectionRef = {:collection} && recordRef = {:record}',
      params: { collection: record.collection.id, record: record.id },
      sort: 'created,@rowid',
      perPage: 100,
      skipTotal: true,
    });
    return items;
  }

  private async alert(record: RecordModel, caller: Caller): Promise<void> {
    const userAgent = userAgentOf(caller);
    const info = `${formatDateTime(this.clock.now())} - ${caller.ip} ${userAgent}`;
    const timer = new AbortController();
    const late = sleep(MAIL_TIME_LIMIT, undefined, { signal: timer.signal }).then(() => {
      throw new Error('The mail took too long.');
    });
    try {
      await Promise.race([this.mails.sendAlert(record, info.trim()), late]);
    } finally {
      late.catch(() => {});
      timer.abort();
    }
  }
}

function userAgentOf(caller: Caller): string {
  return (caller.request.headers['user_agent'] ?? '').slice(0, USER_AGENT_LENGTH);
}

/** Differs from record to record, so that origins of different people cannot be compared. */
function fingerprintOf(record: RecordModel, caller: Caller): string {
  const parts = [record.collection.id, record.id, caller.ip, userAgentOf(caller)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
