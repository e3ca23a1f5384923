/** A file that goes with a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly content: Uint8Array | Blob | string;
  /** `image/png`; what its name says when absent. */
  readonly type?: string;
  /** For pictures within the HTML: what `<img src="cid:logo">` calls it. */
  readonly cid?: string;
}
