import { HttpException, Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { requireValid } from '../../http/dto/read-dto.js';
import type { AuthOptions, MailTemplate } from '../../kernel/collections/auth-options.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { ApiError } from '../../kernel/errors/api-error.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import { messageOf } from '../../kernel/errors/message-of.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import type { MailKind } from '../../mail/mail.hooks.js';
import { MailService } from '../../mail/mail.service.js';
import type { TEMPLATES, TestEmailDto } from './test-email.dto.js';

/** A mail that can be tried out: what hooks are told it is, and where its template stands. */
interface Trial {
  readonly kind: MailKind;
  readonly template: (auth: AuthOptions) => MailTemplate;
}

const TRIALS: Readonly<Record<(typeof TEMPLATES)[number], Trial>> = {
  verification: { kind: 'verification', template: (auth) => auth.verificationTemplate },
  'password-reset': { kind: 'passwordReset', template: (auth) => auth.resetPasswordTemplate },
  'email-change': { kind: 'emailChange', template: (auth) => auth.confirmEmailChangeTemplate },
  otp: { kind: 'otp', template: (auth) => auth.otp.emailTemplate },
  'login-alert': { kind: 'alert', template: (auth) => auth.authAlert.emailTemplate },
};

/** Sample values; none of them is a valid token. */
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

  /** Waits for delivery. Throws a ValidationError, what a hook throws, or 400 with the mail server's reason in the message. */
  async send(form: TestEmailDto): Promise<void> {
    const collection = this.store.catalog.find(form.collection || SUPERUSERS_ID);
    requireValid(form, {
      collection: collection?.isAuth ? undefined : fieldError('validation_invalid_auth_collection'),
    });
    const { kind, template: templateOf } = TRIALS[form.template as keyof typeof TRIALS];
    const [template, record] = [templateOf(collection!.auth!), sampleOf(collection!, form)];
    try {
      await this.mail.sendTemplate({ kind, to: form.email, template, record, values: SAMPLES });
    } catch (error) {
      // What a hook of a team says is the answer (EXT-32).
      if (error instanceof ApiError || error instanceof HttpException) throw error;
      throw new BadRequestError(`The mail was not sent: ${messageOf(error)}`, {}, { cause: error });
    }
  }
}

function sampleOf(collection: Collection, form: TestEmailDto): RecordModel {
  const record = RecordModel.blank(collection);
  record.set('id', 'testrecord00001');
  record.set('email', form.email);
  return record;
}
