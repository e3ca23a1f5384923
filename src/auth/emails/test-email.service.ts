import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import type { AuthOptions, MailTemplate } from '../../kernel/collections/auth-options.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import { email, oneOf, required } from '../../kernel/validation/rules.js';
import { MailService } from '../../mail/mail.service.js';
import { requireShape } from '../auth-form.js';

/** Which template to try out, and who gets it. */
export interface TestEmail {
  readonly email: string;
  readonly template: string;
  /** Name or id of an auth collection; '' for the superusers. */
  readonly collection: string;
}

const TEMPLATES: Readonly<Record<string, (auth: AuthOptions) => MailTemplate>> = {
  verification: (auth) => auth.verificationTemplate,
  'password-reset': (auth) => auth.resetPasswordTemplate,
  'email-change': (auth) => auth.confirmEmailChangeTemplate,
  otp: (auth) => auth.otp.emailTemplate,
  'login-alert': (auth) => auth.authAlert.emailTemplate,
};

/** Values as they might be; none of them opens anything. */
const SAMPLES = {
  TOKEN: 'this-is-only-a-test',
  OTP: '01234567',
  OTP_ID: 'this-is-a-test',
  ALERT_INFO: '2026-01-31 10:20:30.123Z - 203.0.113.7 A browser',
};

/** Sends the mails of an auth collection to whoever edits them (AUTH-1306). */
@Injectable()
export class TestEmailService {
  constructor(
    private readonly store: CollectionStore,
    private readonly mail: MailService,
  ) {}

  /** Waits for delivery. Throws a ValidationError, or 400 with the mail server's reason in the message. */
  async send(form: TestEmail): Promise<void> {
    const collection = this.store.catalog.find(form.collection || SUPERUSERS_ID);
    requireShape(form, {
      email: [required, email],
      template: [required, oneOf(...Object.keys(TEMPLATES))],
      collection: () => (collection?.isAuth ? undefined : fieldError('validation_invalid_auth_collection')),
    });
    const template = TEMPLATES[form.template]!(collection!.auth!);
    try {
      await this.mail.sendTemplate({ to: form.email, template, record: sampleOf(collection!, form), values: SAMPLES });
    } catch (error) {
      throw new BadRequestError(`The mail was not sent: ${(error as Error).message}`, {}, { cause: error });
    }
  }
}

function sampleOf(collection: Collection, form: TestEmail): RecordModel {
  const record = RecordModel.blank(collection);
  record.set('id', 'testrecord00001');
  record.set('email', form.email);
  return record;
}
