import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { thrownText } from '../../kernel/errors/message-of.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AuthRecords } from '../../records/auth-records.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { MINIMUM_DURATION } from '../minimum-duration.js';
import { AuthMails } from './auth-mails.js';
import { MailFailures } from './mail-failures.js';

/** What is remembered of an account while its mail waits. */
export type AccountKey = Pick<RecordModel, 'collection' | 'id'>;

interface KnownAccount extends AccountKey {
  /** How many it had. */
  readonly characters: number;
}

/** A mail that the answer does not wait for. Its functions must not keep the account. */
export interface BackgroundMail {
  /** What it is, for the log. */
  readonly what: string;
  /** Whose mail it is. */
  readonly account: RecordModel;
  readonly send: (account: RecordModel) => Promise<void>;
  /** What follows when it was accepted. */
  readonly sent?: (account: RecordModel) => Promise<void>;
  /** Undoes what assumed that the mail would be sent. */
  readonly undo: (account: AccountKey) => unknown;
}

/** Milliseconds: the answer has left by then. */
const AFTER_ANSWER = MINIMUM_DURATION + 20;
const SPREAD = 50;

/** How long a stop waits for mails on their way. */
const STOP_TIME = 2_000;

/**
 * Sends mails after the answer. They begin a moment after it has left, never at the same time: the duration of an
 * answer must not tell whether a mail is sent, and so whether there is an account (AUTH-1503).
 */
@Injectable()
export class BackgroundMails implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Auth');
  private readonly stopping = new AbortController();
  private readonly pending = new Set<Promise<void>>();
  readonly failures = new MailFailures();

  constructor(
    private readonly authRecords: AuthRecords,
    private readonly mails: AuthMails,
  ) {
    // Every mail that has not begun listens.
    setMaxListeners(0, this.stopping.signal);
  }

  /** Never fails; a failure is logged. An account that is gone when its mail begins gets none. */
  send({ account: { collection, id, stored }, ...mail }: BackgroundMail): void {
    // Read again then: an account may be large, and very many of them may be asked about in that moment (OPS-39).
    const work = this.deliver(mail, { collection, id, characters: stored.characters }).finally(() =>
      this.pending.delete(work),
    );
    this.pending.add(work);
  }

  /** Sends the waiting mails at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.race([Promise.all(this.pending), sleep(STOP_TIME, undefined, { ref: false })]);
    this.failures.tellAll();
  }

  private async deliver({ what, send, sent, undo }: Omit<BackgroundMail, 'account'>, key: KnownAccount): Promise<void> {
    await sleep(AFTER_ANSWER + randomInt(SPREAD), undefined, { signal: this.stopping.signal }).catch(() => {});
    await new EventLoopTurn().next();
    let account: RecordModel | undefined;
    try {
      this.mails.requireRoom(key.characters);
      account = (await this.authRecords.findById(key.collection, key.id))?.snapshot();
      if (!account) return;
      await send(account);
    } catch (error) {
      this.failures.add(what, error);
      await this.attempt(what, () => undo(key));
      return;
    }
    await sent?.(account);
  }

  private async attempt(what: string, undo: () => unknown): Promise<void> {
    try {
      await undo();
    } catch (error) {
      this.logger.error(`What was done for the ${what} mail could not be undone: ${thrownText(error)}`);
    }
  }
}
