import { createHook } from '../hooks/create-hook.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { MailAddress } from './mail-transport.js';

/** A mail about to be sent. Everything but the record may be changed; a throw refuses it. */
export interface MailSendEvent {
  from: MailAddress;
  to: MailAddress;
  subject: string;
  html: string;
  text: string;
  /** The record the mail is about, whose collection handlers may name; null for mails of modules. */
  readonly record: RecordModel | null;
}

/** Before a mail is handed to the transport, whoever sends it. Handlers may rewrite it; a throw refuses it. */
export const BeforeMailSend = createHook<MailSendEvent>('BeforeMailSend');
