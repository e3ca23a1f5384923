import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AttemptWindow } from '../../kernel/throttling/attempt-window.js';

const MINUTE = 60_000;
const MAX_KEYS = 50_000;

/** Keeps mails about a change of address from becoming a flood: to one address, and from one account (OPS-39). */
@Injectable()
export class EmailChangePauses {
  private readonly addresses: AttemptWindow;
  private readonly accounts: AttemptWindow;

  constructor(@Inject(MONOTONIC_CLOCK) clock: Clock) {
    this.addresses = new AttemptWindow(clock, { attempts: 1, window: 2 * MINUTE, maxKeys: MAX_KEYS });
    this.accounts = new AttemptWindow(clock, { attempts: 5, window: 10 * MINUTE, maxKeys: MAX_KEYS });
  }

  /** Throws 429 when a mail may not go out now; from this moment on the next one to the address may not. */
  begin(record: RecordModel, newEmail: string): void {
    const account = `${record.collection.id}/${record.id}`;
    this.accounts.require(account);
    this.addresses.take(keyOf(newEmail));
    this.accounts.count(account);
  }

  /** The mail did not go out, or has done what it was for: the next one may go at once. */
  end(newEmail: string): void {
    this.addresses.forget(keyOf(newEmail));
  }
}

/** Upper and lower case reach the same mailbox nearly everywhere. */
function keyOf(newEmail: string): string {
  return newEmail.toLowerCase();
}
