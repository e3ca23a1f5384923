import { Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { MAIL_TRANSPORT } from './mail-transport.js';
import { MailService } from './mail.service.js';
import { SettingsMailTransport } from './settings-mail-transport.js';

/** Sending mails. */
@Module({
  providers: [MailService, ...replaceable(MAIL_TRANSPORT, SettingsMailTransport)],
  exports: [MailService],
})
export class MailModule {}
