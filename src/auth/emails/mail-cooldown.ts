import { Inject, Injectable } from '@nestjs/common';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';
import { EphemeralValues } from '../../ephemeral/ephemeral-values.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { AccountKey } from './background-mails.js';

/** Kinds of mail that anybody can request for any address. */
export type ThrottledMail = 'verification' | 'password reset';

const PAUSE = 120_000;

/** Sends the same kind of mail to a record once in two minutes (AUTH-1102). */
@Injectable()
export class MailCooldown {
  private readonly sent: EphemeralValues<true>;

  constructor(@Inject(EPHEMERAL_STORE) store: EphemeralStore) {
    this.sent = new EphemeralValues(store, 'mail-sent');
  }

  /** True when the mail may go out now; from this moment on the next one may not. */
  begin(kind: ThrottledMail, record: RecordModel): Promise<boolean> {
    return this.sent.setIfAbsent(keyOf(kind, record), true, PAUSE);
  }

  /** To be called when the mail was not sent or has served its purpose, so that the next one may be sent at once. */
  end(kind: ThrottledMail, record: AccountKey): Promise<void> {
    return this.sent.delete(keyOf(kind, record));
  }
}

function keyOf(kind: ThrottledMail, record: AccountKey): string {
  return `${kind}|${record.collection.id}|${record.id}`;
}
