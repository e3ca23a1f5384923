import { Injectable } from '@nestjs/common';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { isEmailAddress } from '../../kernel/validation/email-address.js';
import { PasswordChecks } from '../../passwords/password-checks.js';
import { AuthRecords } from '../../records/auth-records.js';
import type { AuthResult } from '../auth-results.js';
import { SignIn } from '../sign-in.js';
import { costOf } from './account-password.js';

/** What somebody typed. */
export interface PasswordLogin {
  readonly identity: string;
  readonly password: string;
  /** The one field to look in, '' for all identity fields. */
  readonly identityField: string;
  readonly mfaId: string;
}

/** Signing in with a password (AUTH-811 to AUTH-814). */
@Injectable()
export class PasswordLoginService {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly passwords: PasswordChecks,
    private readonly signIn: SignIn,
  ) {}

  /**
   * Throws the same 400 after the same work whether the account is unknown or the password wrong, and 429 to a client
   * that was wrong too often.
   */
  async login(collection: Collection, login: PasswordLogin, caller: Caller): Promise<AuthResult> {
    const record = await this.findAccount(collection, login);
    const stored = record?.get('password');
    const hash = stored instanceof PasswordValue ? stored.hash : undefined;
    const account = `${collection.id}/${record?.id ?? `?${login.identity}`}`;
    const guess = { account, ip: caller.ip };
    const isRight = await this.passwords.isRight(login.password, hash, costOf(collection), guess);
    if (!record || !isRight) throw new BadRequestError('The identity or the password is wrong.');
    return this.signIn.complete(record, { method: 'password', caller, mfaId: login.mfaId });
  }

  private async findAccount(collection: Collection, login: PasswordLogin): Promise<RecordModel | undefined> {
    for (const field of fieldsToTry(collection, login)) {
      const record = await this.authRecords.findByIdentity(collection, field, login.identity);
      if (record) return record;
    }
    return undefined;
  }
}

/** `email` first, and only for what is an address (AUTH-812). */
function fieldsToTry(collection: Collection, { identity, identityField }: PasswordLogin): readonly string[] {
  if (identityField !== '') return [identityField];
  const others = collection.auth!.passwordAuth.identityFields.filter((field) => field !== 'email');
  const hasEmail = others.length < collection.auth!.passwordAuth.identityFields.length;
  return hasEmail && isEmailAddress(identity) ? ['email', ...others] : others;
}
