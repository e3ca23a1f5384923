/** DI token of the MailTransport. */
export const MAIL_TRANSPORT = Symbol('MAIL_TRANSPORT');

/** Somebody who sends or gets mail. `name` may be empty. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A mail ready to leave: complete, one recipient, nothing in it that could break out of a header. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** With its angle brackets. */
  readonly messageId: string;
}

/** Hands mails over to whoever delivers them. */
export interface MailTransport {
  /** Resolves when the mail was accepted; rejects with the other side's reason. */
  send(mail: Mail): Promise<void>;
}
