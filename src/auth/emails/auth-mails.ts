import { Injectable } from '@nestjs/common';
import type { MailTemplate } from '../../kernel/collections/auth-options.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { MailKind } from '../../mail/mail.hooks.js';
import { MailService } from '../../mail/mail.service.js';
import type { PlaceholderValues } from '../../kernel/mail/fill-template.js';
import { TokensService } from '../../tokens/tokens.service.js';
import { isInstaller } from '../superusers/installer-account.js';

/** A one-time password on its way to its owner. */
export interface OtpMail {
  readonly otpId: string;
  readonly code: string;
}

/** The mails of an auth collection, from its templates (AUTH-1301). Each resolves when the mail was accepted. */
@Injectable()
export class AuthMails {
  constructor(
    private readonly mail: MailService,
    private readonly tokens: TokensService,
  ) {}

  async sendVerification(record: RecordModel): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'verification');
    await this.send('verification', record, record.collection.auth!.verificationTemplate, { TOKEN });
  }

  async sendPasswordReset(record: RecordModel): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'passwordReset');
    await this.send('passwordReset', record, record.collection.auth!.resetPasswordTemplate, { TOKEN });
  }

  /** Goes to the new address. */
  async sendEmailChange(record: RecordModel, newEmail: string): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'emailChange', { newEmail });
    await this.send('emailChange', record, record.collection.auth!.confirmEmailChangeTemplate, { TOKEN }, newEmail);
  }

  async sendOtp(record: RecordModel, { otpId, code }: OtpMail): Promise<void> {
    await this.send('otp', record, record.collection.auth!.otp.emailTemplate, { OTP: code, OTP_ID: otpId });
  }

  async sendAlert(record: RecordModel, info: string): Promise<void> {
    await this.send('alert', record, record.collection.auth!.authAlert.emailTemplate, { ALERT_INFO: info });
  }

  private async send(
    kind: MailKind,
    record: RecordModel,
    template: MailTemplate,
    values: PlaceholderValues,
    to = record.get('email') as string,
  ): Promise<void> {
    // Nobody reads the mailbox of the installer account (AUTH-1205).
    if (isInstaller(record)) return;
    await this.mail.sendTemplate({ kind, to, template, record, values });
  }
}
