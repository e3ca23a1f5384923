import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { formatDateTime } from '../../kernel/date-time.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { randomText } from '../../kernel/ids.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { AuthRecords, identityKey } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import type { AuthResult } from '../auth-results.service.js';
import { AuthMails } from '../emails/auth-mails.js';
import { BackgroundMails } from '../emails/background-mails.js';
import { inEvenTime } from '../even-time.js';
import { costOf } from '../password/account-password.js';
import { ageOf } from '../record-age.js';
import { SignIn } from '../sign-in.service.js';
import { isInstaller } from '../superusers/installer-account.js';
import { OtpAttempts } from './otp-attempts.js';
import { OtpDecoys } from './otp-decoys.js';

const OTPS = '_otps';
const DIGITS = '0123456789';
/** Codes live for minutes and few may be tried, so a cheap hash will do. */
const HASH_COST = 8;
const MAX_OPEN = 10;

/** A one-time password that was made. */
export interface IssuedOtp {
  readonly otpId: string;
  /** Undefined when there were so many open ones that none was made. */
  readonly code: string | undefined;
}

/** What somebody typed. */
export interface OtpLogin {
  readonly otpId: string;
  readonly password: string;
  readonly mfaId: string;
}

/** Signing in with a code that was mailed (AUTH-831 to AUTH-837). */
@Injectable()
export class OtpService {
  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly hasher: PasswordHasher,
    private readonly decoys: OtpDecoys,
    private readonly attempts: OtpAttempts,
    private readonly mails: AuthMails,
    private readonly background: BackgroundMails,
    private readonly signIn: SignIn,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** The id of a one-time password that is on its way, or one that looks like it when nobody has this address. */
  request(collection: Collection, email: string): Promise<{ otpId: string }> {
    return inEvenTime(async () => {
      const record = await this.authRecords.findByIdentity(collection, 'email', email);
      if (!record || isInstaller(record)) return { otpId: await this.issueDecoy(collection, email) };
      const { otpId, code } = await this.issue(record);
      if (code !== undefined) this.mail(record, { otpId, code });
      return { otpId };
    });
  }

  /** Makes a one-time password without mailing it; only its hash is stored. */
  async issue(record: RecordModel): Promise<IssuedOtp> {
    const code = randomText(record.collection.auth!.otp.length, DIGITS);
    const password = PasswordValue.fromHash(await this.hasher.hash(code, HASH_COST));
    return this.records.transaction(async () => {
      const open = this.config.dev ? [] : await this.openOf(record);
      if (open.length >= MAX_OPEN) return { otpId: open[0]!.id, code: undefined };
      const row = { collectionRef: record.collection.id, recordRef: record.id, password };
      return { otpId: (await this.records.create(OTPS, row)).id, code };
    });
  }

  /** Throws one and the same 400 for whatever is wrong, 429 for too many attempts, and what `SignIn` throws. */
  async login(collection: Collection, login: OtpLogin, caller: Caller): Promise<AuthResult> {
    const otp = await this.findOpen(collection, login.otpId);
    if (!(await this.isRight(collection, otp, login, caller))) throw wrongCode();
    const record = await this.consume(collection, otp!.id);
    return this.signIn.complete(record, { method: 'otp', caller, mfaId: login.mfaId });
  }

  private async issueDecoy(collection: Collection, email: string): Promise<string> {
    await this.hasher.hash(randomText(8, DIGITS), HASH_COST);
    const max = this.config.dev ? Infinity : MAX_OPEN;
    return this.decoys.issue(collection, identityKey(collection, 'email', email), max);
  }

  private mail(record: RecordModel, mail: { otpId: string; code: string }): void {
    this.background.send({
      what: 'one-time password',
      send: async () => {
        await this.mails.sendOtp(record, mail);
        await this.markSent(mail.otpId, record.get('email') as string);
      },
      undo: () => this.drop(mail.otpId),
    });
  }

  private markSent(otpId: string, email: string): Promise<void> {
    return this.records.transaction(async () => {
      const otp = await this.find(otpId);
      if (otp && otp.get('sentTo') === '') await this.records.update(OTPS, otpId, { sentTo: email });
    });
  }

  /** Every attempt costs one comparison, also with an id that means nothing. */
  private async isRight(
    collection: Collection,
    otp: RecordModel | undefined,
    { otpId, password }: OtpLogin,
    { ip }: Caller,
  ): Promise<boolean> {
    const owner = otp ? ownerOf(otp) : this.decoys.findOwner(collection, otpId);
    const lifetime = collection.auth!.otp.duration * 1000;
    const left = owner === undefined ? 0 : this.attempts.take({ otpId, owner, ip, lifetime });
    const hash = otp && left >= 0 ? (otp.get('password') as PasswordValue).hash : undefined;
    const isRight = await this.hasher.matches(password, hash, HASH_COST);
    if (!isRight && left <= 0 && owner !== undefined) await this.drop(otpId);
    return isRight;
  }

  /** Uses a one-time password up and draws the conclusion for the account; of two parallel calls one succeeds. */
  private consume(collection: Collection, otpId: string): Promise<RecordModel> {
    return this.records.transaction(async () => {
      const otp = await this.findOpen(collection, otpId);
      const record = otp && (await this.authRecords.findById(collection, otp.get('recordRef') as string));
      if (!otp || !record) throw wrongCode();
      await this.records.delete(OTPS, otp.id);
      const email = record.get('email') as string;
      if (record.get('verified') === true || email === '' || otp.get('sentTo') !== email) return record;
      return this.records.update(collection.id, record.id, {
        verified: true,
        // Whoever registered this address before its owner came along must not keep a way in.
        ...(collection.auth!.mfa.enabled ? {} : { password: this.unknownPassword(collection) }),
      });
    });
  }

  private unknownPassword(collection: Collection): PasswordValue {
    return PasswordValue.fromHash(this.hasher.unknown(costOf(collection)));
  }

  private drop(otpId: string): Promise<void> {
    this.decoys.drop(otpId);
    return this.records.transaction(async () => {
      if (await this.find(otpId)) await this.records.delete(OTPS, otpId);
    });
  }

  private find(otpId: string): Promise<RecordModel | undefined> {
    return this.records.findFirst(OTPS, 'id = {:otpId}', { otpId });
  }

  private async findOpen(collection: Collection, otpId: string): Promise<RecordModel | undefined> {
    const otp = await this.find(otpId);
    if (!otp || otp.get('collectionRef') !== collection.id) return undefined;
    return ageOf(otp, this.clock) > collection.auth!.otp.duration * 1000 ? undefined : otp;
  }

  /** The latest first, at most as many as there may be. */
  private async openOf(record: RecordModel): Promise<readonly RecordModel[]> {
    const { items } = await this.records.find(OTPS, {
      filter: 'collectionRef = {:collection} && recordRef = {:record} && created >= {:since}',
      params: {
        collection: record.collection.id,
        record: record.id,
        since: formatDateTime(this.clock.now() - record.collection.auth!.otp.duration * 1000),
      },
      sort: '-created,-@rowid',
      perPage: MAX_OPEN,
      skipTotal: true,
    });
    return items;
  }
}

function ownerOf(otp: RecordModel): string {
  return `${otp.get('collectionRef') as string}/${otp.get('recordRef') as string}`;
}

function wrongCode(): BadRequestError {
  return new BadRequestError('The code is wrong or has expired.');
}
