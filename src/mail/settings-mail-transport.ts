import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { printableText } from '../kernel/printable-text.js';
import { SettingsService } from '../settings/settings.service.js';
import type { Mail, MailAddress, MailTransport } from './mail-transport.js';
import { SendmailMailTransport } from './sendmail-mail-transport.js';
import { SmtpMailTransport } from './smtp-mail-transport.js';

/**
 * The transport in force when a mail is sent: SMTP when it is enabled, otherwise the machine's sendmail. In
 * development every mail is also printed, and without SMTP it is only printed (AUTH-1303).
 */
@Injectable()
export class SettingsMailTransport implements MailTransport {
  constructor(
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  async send(mail: Mail): Promise<void> {
    const { smtp } = this.settings.get();
    if (this.config.dev) printMail(mail);
    if (smtp.enabled) await new SmtpMailTransport(smtp).send(mail);
    else if (!this.config.dev) await new SendmailMailTransport().send(mail);
  }
}

/** Printed on the console instead of logged, because log entries are stored and mails contain tokens. */
function printMail({ from, to, cc, bcc, replyTo, headers, subject, text, html, attachments }: Mail): void {
  // Names and other values may contain anything a user has entered.
  const lines = [
    '--- mail',
    `From: ${shown([from])}`,
    ...Object.entries({ To: to, Cc: cc, Bcc: bcc, 'Reply-To': replyTo })
      .filter(([, people]) => people.length > 0)
      .map(([name, people]) => `${name}: ${shown(people)}`),
    `Subject: ${subject}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...attachments.map(({ name, content }) => `Attachment: ${name} (${content.length} bytes)`),
    '',
    text,
    '--- html',
    html,
    '---',
  ];
  console.log(printableText(lines.join('\n')));
}

function shown(people: readonly MailAddress[]): string {
  return people.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)).join(', ');
}
