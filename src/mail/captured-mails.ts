import type { Mail, MailTransport } from './mail-transport.js';

/** A mail transport that keeps what it is given. */
export class CapturedMails implements MailTransport {
  readonly all: Mail[] = [];

  send(mail: Mail): Promise<void> {
    this.all.push(mail);
    return Promise.resolve();
  }
}
