import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { MINIMUM_DURATION } from '../minimum-duration.js';

/** A mail that the answer does not wait for. */
export interface BackgroundMail {
  /** What it is, for the log. */
  readonly what: string;
  readonly send: () => Promise<void>;
  /** What follows when it was accepted. */
  readonly sent?: () => Promise<void>;
  /** Undoes what assumed that the mail would be sent. */
  readonly undo: () => unknown;
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

  /** Never fails; a failure is logged. */
  send(mail: BackgroundMail): void {
    const work = this.deliver(mail).finally(() => this.pending.delete(work));
    this.pending.add(work);
  }

  /** Sends the waiting mails at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.race([Promise.all(this.pending), sleep(STOP_TIME, undefined, { ref: false })]);
  }

  private async deliver({ what, send, sent, undo }: BackgroundMail): Promise<void> {
    await sleep(AFTER_ANSWER + randomInt(SPREAD), undefined, { signal: this.stopping.signal }).catch(() => {});
    try {
      await send();
    } catch (error) {
      this.logger.error(`The ${what} mail could not be sent: ${String(error)}`);
      await this.attempt(what, undo);
      return;
    }
    await sent?.();
  }

  private async attempt(what: string, undo: () => unknown): Promise<void> {
    try {
      await undo();
    } catch (error) {
      this.logger.error(`What was done for the ${what} mail could not be undone: ${String(error)}`);
    }
  }
}
