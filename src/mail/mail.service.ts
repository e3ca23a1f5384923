import { Inject, Injectable } from '@nestjs/common';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { MailTemplate } from '../kernel/collections/auth-options.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { SettingsService } from '../settings/settings.service.js';
import { htmlToText } from './mail-text.js';
import { type PlaceholderValues, renderMail } from './mail-template.js';
import { type Mail, MAIL_TRANSPORT, type MailAddress, type MailTransport } from './mail-transport.js';
import { BeforeMailSend, type MailSendEvent } from './mail.hooks.js';
import { recordPlaceholders } from './record-placeholders.js';

/** A mail to one recipient. Without `html` or `text` that part is empty or made from the other. */
export interface MailMessage {
  readonly to: string | MailAddress;
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  /** The sender of the settings when absent. */
  readonly from?: MailAddress;
}

/** A mail made from a template of an auth collection. */
export interface TemplateMail {
  /** The address of the record when absent. */
  readonly to?: string;
  readonly template: MailTemplate;
  readonly record: RecordModel;
  /** Values besides those of the application and the record: `TOKEN`, `OTP`, `OTP_ID`, `ALERT_INFO`. */
  readonly values?: PlaceholderValues;
}

/** What one address may look like. More than one, or anything that could end a header, does not fit. */
const ADDRESS = /^[^\s<>()[\]\\,;:"@]+@[^\s<>()[\]\\,;:"@]+$/;

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
   * when an address is not one.
   */
  async send(message: MailMessage): Promise<void> {
    const { subject, html = '', text = htmlToText(html) } = message;
    await this.deliver({
      from: message.from ?? this.sender,
      to: toAddress(message.to),
      subject,
      html,
      text,
      record: null,
    });
  }

  /** Fills a template with the values of application and record, and sends it like `send`. */
  async sendTemplate({ to, template, record, values = {} }: TemplateMail): Promise<void> {
    const { appName, appURL } = this.settings.get().meta;
    const application = { APP_NAME: appName, APP_URL: appURL.replace(/\/+$/, '') };
    const mail = renderMail(template, { ...recordPlaceholders(record), ...application, ...values });
    await this.deliver({ from: this.sender, to: toAddress(to ?? String(record.get('email'))), ...mail, record });
  }

  private get sender(): MailAddress {
    const { senderName, senderAddress } = this.settings.get().meta;
    return { name: senderName, address: senderAddress };
  }

  private async deliver(event: MailSendEvent): Promise<void> {
    await this.hooks.run(BeforeMailSend, event, event.record?.collection);
    await this.transport.send(seal(event));
  }
}

function toAddress(to: string | MailAddress): MailAddress {
  return typeof to === 'string' ? { name: '', address: to } : to;
}

/** Headers are one line each, whatever the values in them hold. */
function seal({ from, to, subject, html, text }: MailSendEvent): Mail {
  const sender = sealAddress(from);
  const messageId = `<${randomText(24, LOWER_ALPHANUMERIC)}@${sender.address.split('@')[1]}>`;
  return { from: sender, to: sealAddress(to), subject: oneLine(subject), html, text, messageId };
}

function sealAddress({ name, address }: MailAddress): MailAddress {
  if (!ADDRESS.test(address)) throw new Error('A mail needs exactly one valid address.');
  return { name: oneLine(name), address };
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\0]+/g, ' ').trim();
}
