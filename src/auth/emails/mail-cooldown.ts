import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { ExpiringMap } from '../../kernel/throttling/expiring-map.js';

/** Mails that anybody can have sent to anybody's address. */
export type CooledMail = 'verification' | 'password reset';

const PAUSE = 120_000;
const MAX_RECORDS = 50_000;

/** Sends the same kind of mail to a record once in two minutes (AUTH-1102). */
@Injectable()
export class MailCooldown {
  private readonly sent: ExpiringMap<true>;

  constructor(@Inject(MONOTONIC_CLOCK) clock: Clock) {
    this.sent = new ExpiringMap(clock, MAX_RECORDS);
  }

  /** True when the mail may go out now; from this moment on the next one may not. */
  begin(kind: CooledMail, record: RecordModel): boolean {
    const key = keyOf(kind, record);
    if (this.sent.get(key)) return false;
    this.sent.set(key, true, PAUSE);
    return true;
  }

  /** The mail did not go out, or has done what it was for: the next one may go at once. */
  end(kind: CooledMail, record: RecordModel): void {
    this.sent.delete(keyOf(kind, record));
  }
}

function keyOf(kind: CooledMail, record: RecordModel): string {
  return `${kind}|${record.collection.id}|${record.id}`;
}
