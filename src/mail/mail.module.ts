import { Module } from '@nestjs/common';
import { MAIL_TRANSPORT } from './mail-transport.js';
import { MailService } from './mail.service.js';
import { SettingsMailTransport } from './settings-mail-transport.js';

/** Sending mails. */
@Module({
  providers: [MailService, { provide: MAIL_TRANSPORT, useClass: SettingsMailTransport }],
  exports: [MailService],
})
export class MailModule {}
