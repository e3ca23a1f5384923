import { createHook } from '../hooks/create-hook.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { MailAddress, MailAttachment } from './mail-transport.js';

/** What a mail is about: one of Roost's own, `own` for one of a module's, or whatever word the module gave it. */
export type MailKind =
  | 'verification'
  | 'passwordReset'
  | 'emailChange'
  | 'otp'
  | 'alert'
  | 'backup'
  | 'own'
  | (string & Record<never, never>);

/** A mail about to be sent. Everything but its kind and its record may be changed; a throw refuses it. */
export interface MailSendEvent {
  readonly kind: MailKind;
  /** The record the mail is about, whose collection handlers may name; null for one that is about none. */
  readonly record: RecordModel | null;
  from: MailAddress;
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  bcc: readonly MailAddress[];
  replyTo: readonly MailAddress[];
  subject: string;
  html: string;
  text: string;
  headers: Readonly<Record<string, string>>;
  attachments: readonly MailAttachment[];
}

/** Before a mail is handed to the transport, whoever sends it. Handlers may rewrite it; a throw refuses it. */
export const BeforeMailSend = createHook<MailSendEvent>('BeforeMailSend');
