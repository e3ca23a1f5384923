import { Injectable } from '@nestjs/common';
import { clientOf } from '../../http/request/client-ip.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { PasswordValue } from '../../kernel/fields/password-value.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { GuessThrottle } from '../../passwords/guess-throttle.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import type { AuthResult } from '../auth-results.js';
import { unknownPassword } from '../password/account-password.js';
import { BeforeAuthWithOtp } from '../sign-in.hooks.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { SignIn } from '../sign-in.js';
import { OtpAttempts } from './otp-attempts.js';
import { OtpDecoys } from './otp-decoys.js';
import type { OtpLoginDto } from './otp.dto.js';
import { OTP_HASH_COST, OtpRows } from './otp-rows.js';

/** Signing in with a code that was mailed (AUTH-834 to AUTH-837). */
@Injectable()
export class OtpLoginService {
  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly otps: OtpRows,
    private readonly decoys: OtpDecoys,
    private readonly attempts: OtpAttempts,
    private readonly guesses: GuessThrottle,
    private readonly hasher: PasswordHasher,
    private readonly hooks: HookRegistry,
    private readonly signIn: SignIn,
  ) {}

  /** Throws one and the same 400 for whatever is wrong, 429 for too many attempts, and what `SignIn` throws. */
  async login(collection: Collection, login: OtpLoginDto, caller: Caller): Promise<AuthResult> {
    const otp = await this.otps.findOpen(collection, login.otpId);
    if (!(await this.isRight(collection, otp, login, caller))) throw wrongCode();
    await this.announce(collection, otp!, caller);
    const record = await this.consume(collection, otp!.id);
    return this.signIn.complete(record, { method: 'otp', caller, mfaId: mfaIdOf(login, caller) });
  }

  private async announce(collection: Collection, otp: RecordModel, caller: Caller): Promise<void> {
    if (!this.hooks.has(BeforeAuthWithOtp, collection)) return;
    const record = await this.authRecords.findById(collection, otp.get('recordRef') as string);
    if (!record) throw wrongCode();
    const event = { collection, caller, otpId: otp.id, record: record.snapshot() };
    await this.hooks.run(BeforeAuthWithOtp, event, collection);
  }

  /** Compares one hash for every attempt, also for an unknown id, so that the duration reveals nothing. */
  private async isRight(
    collection: Collection,
    otp: RecordModel | undefined,
    { otpId, password }: OtpLoginDto,
    { ip }: Caller,
  ): Promise<boolean> {
    const owner = otp ? ownerOf(otp) : await this.decoys.findOwner(collection, otpId);
    const lifetime = collection.auth!.otp.duration * 1000;
    const client = clientOf(ip);
    const guess = { account: owner && `otp/${owner}`, ip };
    await this.guesses.require(guess);
    const left = owner === undefined ? 0 : await this.attempts.take({ otpId, owner, client, lifetime });
    const hash = otp && left >= 0 ? (otp.get('password') as PasswordValue).hash : undefined;
    const isRight = await this.hasher.matches(password, hash, OTP_HASH_COST, { client, account: owner ?? '' });
    await (isRight ? this.guesses.recordSuccess(guess) : this.guesses.recordFailure(guess));
    if (!isRight && left <= 0 && owner !== undefined) await this.drop(otpId);
    return isRight;
  }

  /** Deletes a one-time password and updates the account; of two parallel calls one succeeds. */
  private consume(collection: Collection, otpId: string): Promise<RecordModel> {
    return this.records.transaction(async () => {
      const otp = (await this.otps.findOpen(collection, otpId)) && (await this.otps.consume(otpId));
      const record = otp && (await this.authRecords.findById(collection, otp.get('recordRef') as string));
      if (!otp || !record) throw wrongCode();
      const email = record.get('email') as string;
      if (record.get('verified') === true || email === '' || otp.get('sentTo') !== email) return record;
      const changes = {
        verified: true,
        // Somebody may have registered this address before its owner, so their password must stop working.
        ...(collection.auth!.mfa.enabled ? {} : { password: unknownPassword(collection) }),
      };
      return this.records.update(collection.id, record.id, changes, { onlyChanged: true });
    });
  }

  private async drop(otpId: string): Promise<void> {
    await this.decoys.drop(otpId);
    await this.otps.consume(otpId);
  }
}

function ownerOf(otp: RecordModel): string {
  return `${otp.get('collectionRef') as string}/${otp.get('recordRef') as string}`;
}

function wrongCode(): BadRequestError {
  return new BadRequestError('The code is wrong or has expired.');
}
