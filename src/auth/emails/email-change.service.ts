import { Injectable, Logger } from '@nestjs/common';
import { HookRegistry } from '../../hooks/hook-registry.js';
import { requireValid } from '../../http/dto/read-dto.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { thrownText } from '../../kernel/errors/message-of.js';
import { TooManyRequestsError } from '../../kernel/errors/too-many-requests.error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import { allowsDomain, type DomainLists } from '../../kernel/fields/option-checks.js';
import type { PasswordValue } from '../../kernel/fields/password-value.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { emailDomain } from '../../kernel/validation/email-address.js';
import { noneOf } from '../../kernel/validation/rules.js';
import { PasswordChecks } from '../../passwords/password-checks.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { TokensService } from '../../tokens/tokens.service.js';
import { costOf } from '../password/account-password.js';
import {
  AfterConfirmEmailChange,
  AfterRequestEmailChange,
  BeforeConfirmEmailChange,
  BeforeRequestEmailChange,
} from './account.hooks.js';
import { AuthMails } from './auth-mails.js';
import { type Confirmation, tokenError, usingOnce } from './confirmation-token.js';
import type { EmailChangeDto, NewEmailDto } from './email-change.dto.js';
import { EmailChangePauses } from './email-change-pauses.js';

/** Another address for an account: asked for by its owner, confirmed by who reads the mails of the new address. */
@Injectable()
export class EmailChangeService {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly tokens: TokensService,
    private readonly passwords: PasswordChecks,
    private readonly mails: AuthMails,
    private readonly pauses: EmailChangePauses,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Mails the new address. Throws a ValidationError when it is taken, 429 when this account or somebody else has just
   * had a mail sent there or the account to many addresses, 400 when the mail cannot be sent.
   */
  async request(record: RecordModel, form: NewEmailDto, caller: Caller): Promise<void> {
    const { newEmail } = form;
    requireValid(form, { newEmail: noneOf(record.get('email'))(newEmail) ?? domainError(record, newEmail) });
    if (await this.isTaken(record, newEmail)) {
      throw new ValidationError({ newEmail: fieldError('validation_invalid_new_email') });
    }
    const { collection } = record;
    const event = { record: record.snapshot(), newEmail, caller };
    await this.hooks.run(BeforeRequestEmailChange, event, collection);
    await this.pauses.begin(record, newEmail);
    try {
      await this.mails.sendEmailChange(record, newEmail, caller);
    } catch (error) {
      await this.pauses.end(newEmail);
      if (error instanceof TooManyRequestsError) throw error;
      this.logger.error(`The email change mail could not be sent: ${thrownText(error)}`);
      throw new BadRequestError('The mail could not be sent.', {}, { cause: error });
    }
    await this.hooks.runAfter(AfterRequestEmailChange, event, collection);
  }

  /**
   * Changes the address, which ends all tokens. Throws a ValidationError that names everything that is wrong, and 429
   * to a client that has guessed the password wrong too often.
   */
  async confirm(collection: Collection, change: EmailChangeDto, caller: Caller): Promise<void> {
    const found = await this.find(change.token);
    const error = await this.tokenError(collection, change.token, found);
    const isRight = error === undefined && (await this.isPassword(found!.record, change.password, caller.ip));
    requireValid(change, {
      token: error,
      password: isRight ? undefined : fieldError('validation_invalid_password'),
    });
    const { newEmail } = found!.claims;
    await this.hooks.run(BeforeConfirmEmailChange, { record: found!.record.snapshot(), newEmail, caller }, collection);
    const record = await usingOnce(() => this.records.transaction(() => this.change(collection, change.token)));
    await this.pauses.end(newEmail);
    await this.hooks.runAfter(AfterConfirmEmailChange, { record, newEmail, caller }, collection);
  }

  /** Checks the token again inside the transaction, because it works once and another request may have used it. */
  private async change(collection: Collection, token: string): Promise<RecordModel> {
    const found = await this.find(token);
    const error = await this.tokenError(collection, token, found);
    if (error) throw new ValidationError({ token: error });
    const { record, claims } = found!;
    const changes = { email: claims.newEmail, verified: true };
    return this.records.update(collection.id, record.id, changes, { onlyChanged: true });
  }

  private find(token: string): Promise<Confirmation | undefined> {
    return this.authRecords.findByTokenWithClaims(token, 'emailChange');
  }

  private async tokenError(
    collection: Collection,
    token: string,
    found: Confirmation | undefined,
  ): Promise<FieldError | undefined> {
    if (this.tokens.textClaim(token, 'newEmail') === '') return fieldError('validation_invalid_token_payload');
    const error = tokenError(collection, found);
    if (error) return error;
    const isTaken = await this.isTaken(found!.record, found!.claims.newEmail);
    return isTaken ? fieldError('validation_invalid_token_email') : undefined;
  }

  private async isTaken(record: RecordModel, email: string): Promise<boolean> {
    const holder = await this.authRecords.findByIdentity(record.collection, 'email', email);
    return holder !== undefined && holder.id !== record.id;
  }

  private isPassword(record: RecordModel, plain: string, ip: string): Promise<boolean> {
    const { hash } = record.get('password') as PasswordValue;
    const guess = { account: `${record.collection.id}/${record.id}`, ip };
    return this.passwords.isRight({ plain, stored: hash, cost: costOf(record.collection), ...guess });
  }
}

/** Checked before the mail is sent, so that the user learns of it at once. */
function domainError(record: RecordModel, address: string): FieldError | undefined {
  const field = record.collection.field('email') as FieldDefinition & DomainLists;
  return allowsDomain(field, emailDomain(address)) ? undefined : fieldError('validation_email_domain_not_allowed');
}
