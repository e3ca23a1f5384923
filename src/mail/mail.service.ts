import { Inject, Injectable } from '@nestjs/common';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { MailTemplate } from '../kernel/collections/auth-options.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PlaceholderValues } from '../kernel/mail/fill-template.js';
import { htmlToText } from './mail-text.js';
import { renderMail } from './mail-template.js';
import { MAIL_TRANSPORT, type MailAddress, type MailAttachment, type MailTransport } from './mail-transport.js';
import { BeforeMailSend, type MailKind, type MailSendEvent } from './mail.hooks.js';
import { recordPlaceholders } from './record-placeholders.js';
import { sanitizeMail } from './sanitized-mail.js';

/** Somebody's address, with or without a name. */
type Recipient = string | MailAddress;

/** What any mail may have besides its text. */
interface MailExtras {
  readonly cc?: Recipient | readonly Recipient[];
  /** Recipients that the others do not see. */
  readonly bcc?: Recipient | readonly Recipient[];
  /** Where answers go, when not to the sender. */
  readonly replyTo?: Recipient | readonly Recipient[];
  /** Further headers. What the other properties say (`To`, `Subject`, `Content-Type` …) is refused here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly MailAttachment[];
  /** What `BeforeMailSend` is told the mail is about; `own` when absent. */
  readonly kind?: MailKind;
}

/** A mail. `text` is made from `html` when it is absent; without `html` the mail is plain text. */
export interface MailMessage extends MailExtras {
  /** Each text is one address. May be left out where there is `cc` or `bcc`. */
  readonly to?: Recipient | readonly Recipient[];
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  /** The sender of the settings when absent. */
  readonly from?: Recipient;
  /** The record the mail is about. Hooks may name its collection. */
  readonly record?: RecordModel;
}

/** A mail made from a template of an auth collection. */
export interface TemplateMail extends MailExtras {
  /** The address of the record when absent. */
  readonly to?: string;
  readonly template: MailTemplate;
  readonly record: RecordModel;
  /** Values besides those of the application and the record: `TOKEN`, `OTP`, `OTP_ID`, `ALERT_INFO`. */
  readonly values?: PlaceholderValues;
}

/** Sends mails, from the sender of the settings, through the transport in force. */
@Injectable()
export class MailService {
  constructor(
    private readonly settings: SettingsService,
    private readonly hooks: HookRegistry,
    @Inject(MAIL_TRANSPORT) private readonly transport: MailTransport,
  ) {}

  /**
   * Sends a mail and resolves when it was accepted. Rejects with the mail server's reason, with what a hook threw, and
   * when an address is not one, or a header or an attachment says what it may not.
   */
  async send(message: MailMessage): Promise<void> {
    const { subject, html = '', text = htmlToText(html), record = null } = message;
    const from = message.from === undefined ? this.sender : toAddress(message.from);
    await this.deliver({ ...extrasOf(message), from, to: toAddresses(message.to), subject, html, text, record });
  }

  /** Fills a template with the values of application and record, and sends it like `send`. */
  async sendTemplate(message: TemplateMail): Promise<void> {
    const { template, record, values = {}, to = String(record.get('email')) } = message;
    const { appName, appURL } = this.settings.get().meta;
    const application = { APP_NAME: appName, APP_URL: appURL.replace(/\/+$/, '') };
    const mail = renderMail(template, { ...recordPlaceholders(record, template), ...application, ...values });
    await this.deliver({ ...extrasOf(message), from: this.sender, to: toAddresses(to), ...mail, record });
  }

  private get sender(): MailAddress {
    const { senderName, senderAddress } = this.settings.get().meta;
    return { name: senderName, address: senderAddress };
  }

  private async deliver(event: MailSendEvent): Promise<void> {
    await this.hooks.run(BeforeMailSend, event, event.record?.collection);
    await this.transport.send(await sanitizeMail(event));
  }
}

function extrasOf(message: MailExtras): Pick<MailSendEvent, keyof MailExtras> {
  return {
    cc: toAddresses(message.cc),
    bcc: toAddresses(message.bcc),
    replyTo: toAddresses(message.replyTo),
    headers: message.headers ?? {},
    attachments: message.attachments ?? [],
    kind: message.kind ?? 'own',
  };
}

function toAddresses(people: Recipient | readonly Recipient[] = []): readonly MailAddress[] {
  return [people].flat().map(toAddress);
}

function toAddress(to: Recipient): MailAddress {
  return typeof to === 'string' ? { name: '', address: to } : to;
}
