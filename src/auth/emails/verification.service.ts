import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { TokensService } from '../../tokens/tokens.service.js';
import { withMinimumDuration } from '../minimum-duration.js';
import { unknownPassword } from '../password/account-password.js';
import {
  AfterConfirmVerification,
  AfterRequestVerification,
  BeforeConfirmVerification,
  BeforeRequestVerification,
} from './account.hooks.js';
import { AuthMails } from './auth-mails.js';
import { BackgroundMails } from './background-mails.js';
import { type Confirmation, tokenError } from './confirmation-token.js';
import { MailCooldown } from './mail-cooldown.js';
import { MailReceivers } from './mail-receivers.js';

/** Proving that an email address is one's own. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly tokens: TokensService,
    private readonly mails: AuthMails,
    private readonly background: BackgroundMails,
    private readonly cooldown: MailCooldown,
    private readonly receivers: MailReceivers,
    private readonly hooks: HookRegistry,
  ) {}

  /** Has a mail sent if there is an account that needs one; nothing tells whether there is (AUTH-1101). */
  request(collection: Collection, email: string, caller: Caller): Promise<void> {
    return withMinimumDuration(async () => {
      const record = await this.receivers.find(BeforeRequestVerification, { collection, email, caller });
      if (!record || record.get('verified') === true) return;
      if (!(await this.cooldown.begin('verification', record))) return;
      this.background.send({
        what: 'verification',
        account: record,
        send: (account) => this.mails.sendVerification(account, caller),
        sent: (account) => this.hooks.runAfter(AfterRequestVerification, { record: account, caller }, collection),
        undo: (account) => this.cooldown.end('verification', account),
      });
    });
  }

  /** Throws a ValidationError that says what is wrong with the token. An account that is verified stays as it is. */
  async confirm(collection: Collection, token: string, caller: Caller): Promise<void> {
    if (this.tokens.textClaim(token, 'email') === '') {
      throw new ValidationError({ token: fieldError('validation_invalid_token_claims') });
    }
    if (this.hooks.has(BeforeConfirmVerification, collection)) {
      const { record } = await this.find(collection, token);
      await this.hooks.run(BeforeConfirmVerification, { record: record.snapshot(), caller }, collection);
    }
    const record = await this.records.transaction(async () => this.verify(await this.find(collection, token)));
    await this.cooldown.end('verification', record);
    await this.hooks.runAfter(AfterConfirmVerification, { record, caller }, collection);
  }

  private async find(collection: Collection, token: string): Promise<Confirmation> {
    const found = await this.authRecords.findByTokenWithClaims(token, 'verification');
    const error = tokenError(collection, found) ?? emailError(found!);
    if (error) throw new ValidationError({ token: error });
    return found!;
  }

  private async verify({ record }: Confirmation): Promise<RecordModel> {
    if (record.get('verified') === true) return record;
    const { collection } = record;
    const changes = {
      verified: true,
      // The password is replaced where passwords are switched off: somebody else may have registered the address with
      // theirs.
      ...(collection.auth!.passwordAuth.enabled ? {} : { password: unknownPassword(collection) }),
    };
    return this.records.update(collection.id, record.id, changes, { onlyChanged: true });
  }
}

function emailError({ record, claims }: Confirmation): FieldError | undefined {
  return claims.email === record.get('email') ? undefined : fieldError('validation_token_email_mismatch');
}
