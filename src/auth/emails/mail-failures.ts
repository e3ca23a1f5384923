import { Logger } from '@nestjs/common';
import { thrownText } from '../../kernel/errors/message-of.js';

/** Milliseconds between two lines about the same kind. */
const PAUSE = 60_000;

/**
 * Logs mails that could not be sent. Guests can have that happen as often as they like, so of one kind the first is
 * logged, and what follows within a minute is counted (OPS-39).
 */
export class MailFailures {
  private readonly logger = new Logger('Auth');
  /** How many of a kind came since the last line about it. */
  private readonly counts = new Map<string, { more: number; last: unknown; readonly timer: NodeJS.Timeout }>();

  /** `what` is one of a few: the kind of mail. */
  add(what: string, error: unknown): void {
    const known = this.counts.get(what);
    if (known) {
      known.more += 1;
      known.last = error;
      return;
    }
    this.logger.error(`The ${what} mail could not be sent: ${thrownText(error)}`);
    const timer = setTimeout(() => this.tell(what), PAUSE).unref();
    this.counts.set(what, { more: 0, last: undefined, timer });
  }

  /** Logs what was counted so far. */
  tellAll(): void {
    for (const what of this.counts.keys()) this.tell(what);
  }

  private tell(what: string): void {
    const { more, last, timer } = this.counts.get(what)!;
    clearTimeout(timer);
    this.counts.delete(what);
    if (more === 0) return;
    const times = more === 1 ? 'once more' : `${more} more times`;
    this.logger.error(`The ${what} mail could not be sent ${times}, the last time: ${thrownText(last)}`);
  }
}
