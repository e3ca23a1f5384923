/** DI token of the MailTransport. */
export const MAIL_TRANSPORT = Symbol('MAIL_TRANSPORT');

/** Somebody who sends or gets mail. `name` may be empty. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A file of a mail that is ready to leave. */
export interface AttachedFile {
  readonly name: string;
  readonly content: Uint8Array;
  /** `image/png`; '' for what its name says. */
  readonly type: string;
  /** What the HTML calls it, as in `<img src="cid:logo">`; '' for a file beside the text. */
  readonly cid: string;
}

/** A mail ready to leave: complete, with a recipient, nothing in it that could break out of a header. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  /** Told to nobody but whoever delivers the mail. */
  readonly bcc: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  readonly subject: string;
  /** '' for a mail of text alone. */
  readonly html: string;
  readonly text: string;
  /** Further headers; none of those that the other properties stand for. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachedFile[];
  /** With its angle brackets. */
  readonly messageId: string;
}

/** Hands mails over to whoever delivers them. */
export interface MailTransport {
  /** Resolves when the mail was accepted; rejects with the other side's reason. */
  send(mail: Mail): Promise<void>;
}

/** A file that goes with a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly content: Uint8Array | Blob | string;
  /** `image/png`; what its name says when absent. */
  readonly type?: string;
  /** For pictures within the HTML: what `<img src="cid:logo">` calls it. */
  readonly cid?: string;
}
