import { Inject, Injectable } from '@nestjs/common';
import { AttemptWindow } from '../../ephemeral/attempt-window.js';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

const MINUTE = 60_000;

/** Keeps mails about a change of address from becoming a flood: to one address, and from one account (OPS-39). */
@Injectable()
export class EmailChangePauses {
  private readonly addresses: AttemptWindow;
  private readonly accounts: AttemptWindow;

  constructor(@Inject(EPHEMERAL_STORE) store: EphemeralStore) {
    this.addresses = new AttemptWindow(store, { space: 'email-change-to', attempts: 1, window: 2 * MINUTE });
    this.accounts = new AttemptWindow(store, { space: 'email-change-of', attempts: 5, window: 10 * MINUTE });
  }

  /** Throws 429 when a mail may not go out now; from this moment on the next one to the address may not. */
  async begin(record: RecordModel, newEmail: string): Promise<void> {
    const account = `${record.collection.id}/${record.id}`;
    await this.accounts.require(account);
    await this.addresses.take(keyOf(newEmail));
    try {
      await this.accounts.take(account);
    } catch (error) {
      // Concurrent requests have used up the limit of the account, so no mail is sent to this address.
      await this.end(newEmail);
      throw error;
    }
  }

  /** To be called when the mail was not sent or has served its purpose, so that the next one may be sent at once. */
  end(newEmail: string): Promise<void> {
    return this.addresses.forget(keyOf(newEmail));
  }
}

/** Letter case hardly ever tells mailboxes apart. */
function keyOf(newEmail: string): string {
  return newEmail.toLowerCase();
}
