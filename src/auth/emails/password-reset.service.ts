import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../../hooks/hook-registry.js';
import { requireValid } from '../../http/dto/read-dto.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import { length } from '../../kernel/validation/rules.js';
import { byteLength } from '../../kernel/validation/text-length.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { withMinimumDuration } from '../minimum-duration.js';
import { newPassword } from '../password/account-password.js';
import {
  AfterConfirmPasswordReset,
  AfterRequestPasswordReset,
  BeforeConfirmPasswordReset,
  BeforeRequestPasswordReset,
} from './account.hooks.js';
import { AuthMails } from './auth-mails.js';
import { BackgroundMails } from './background-mails.js';
import { type Confirmation, tokenError, usingOnce } from './confirmation-token.js';
import { MailCooldown } from './mail-cooldown.js';
import { MailReceivers } from './mail-receivers.js';
import type { PasswordResetDto } from './password-reset.dto.js';

/** A new password for who has forgotten the old one. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly hasher: PasswordHasher,
    private readonly mails: AuthMails,
    private readonly background: BackgroundMails,
    private readonly cooldown: MailCooldown,
    private readonly receivers: MailReceivers,
    private readonly hooks: HookRegistry,
  ) {}

  /** Has a mail sent if there is such an account; nothing tells whether there is (AUTH-1101). */
  request(collection: Collection, email: string, caller: Caller): Promise<void> {
    return withMinimumDuration(async () => {
      const record = await this.receivers.find(BeforeRequestPasswordReset, { collection, email, caller });
      if (!record || !(await this.cooldown.begin('password reset', record))) return;
      this.background.send({
        what: 'password reset',
        account: record,
        send: (account) => this.mails.sendPasswordReset(account, caller),
        sent: (account) => this.hooks.runAfter(AfterRequestPasswordReset, { record: account, caller }, collection),
        undo: (account) => this.cooldown.end('password reset', account),
      });
    });
  }

  /**
   * Sets the password, which ends all tokens, this one included: looked at again in the transaction that writes, it
   * works once however many requests bring it. Throws a ValidationError that names everything that is wrong.
   */
  async confirm(collection: Collection, reset: PasswordResetDto, caller: Caller): Promise<void> {
    const owner = await this.find(reset.token);
    this.check(collection, reset, owner);
    const event = { record: owner!.record.snapshot(), caller, password: reset.password };
    await this.hooks.run(BeforeConfirmPasswordReset, event, collection);
    const password = await newPassword(this.hasher, { collection, plain: reset.password, ip: caller.ip });
    const record = await usingOnce(() =>
      this.records.transaction(async () => {
        const found = await this.find(reset.token);
        this.check(collection, reset, found);
        const changes = { password, ...verification(found!) };
        return this.records.update(collection.id, found!.record.id, changes, { onlyChanged: true });
      }),
    );
    await this.cooldown.end('password reset', record);
    await this.hooks.runAfter(AfterConfirmPasswordReset, { record, caller }, collection);
  }

  private find(token: string): Promise<Confirmation | undefined> {
    return this.authRecords.findByTokenWithClaims(token, 'passwordReset');
  }

  private check(collection: Collection, reset: PasswordResetDto, found: Confirmation | undefined): void {
    const min = Number(collection.field('password')!['min'] ?? 0);
    requireValid(reset, {
      token: tokenError(collection, found),
      password: length(min, 255, byteLength)(reset.password),
    });
  }
}

/** Resetting the password proves access to the mailbox, so the address counts as verified. */
function verification({ record, claims }: Confirmation): { verified?: true } {
  return record.get('verified') !== true && claims.email === record.get('email') ? { verified: true } : {};
}
