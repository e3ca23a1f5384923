import { Injectable } from '@nestjs/common';
import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { randomText } from '../../kernel/ids.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { FairTurn } from '../../kernel/fair-queue.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { identityKey } from '../../records/auth-records.js';
import { AuthMails, type OtpMail } from '../emails/auth-mails.js';
import { BeforeRequestOtp } from '../emails/account.hooks.js';
import { BackgroundMails } from '../emails/background-mails.js';
import { MailReceivers } from '../emails/mail-receivers.js';
import { withMinimumDuration } from '../minimum-duration.js';
import { isInstaller } from '../superusers/installer-account.js';
import { OtpDecoys } from './otp-decoys.js';
import { OTP_HASH_COST, OtpRows } from './otp-rows.js';

/** Mails one-time passwords to whoever asks for one (AUTH-831 to AUTH-833, AUTH-837). */
@Injectable()
export class OtpRequestsService {
  constructor(
    private readonly receivers: MailReceivers,
    private readonly otps: OtpRows,
    private readonly decoys: OtpDecoys,
    private readonly hasher: PasswordHasher,
    private readonly mails: AuthMails,
    private readonly background: BackgroundMails,
  ) {}

  /** The id of a one-time password that is on its way, or one that looks like it when nobody has this address. */
  request(collection: Collection, email: string, caller: Caller): Promise<{ otpId: string }> {
    const turn = { client: clientOf(caller.ip), account: email };
    return withMinimumDuration(async () => {
      const record = await this.receivers.find(BeforeRequestOtp, { collection, email, caller });
      if (!record || isInstaller(record)) return { otpId: await this.issueDecoy(collection, email, turn) };
      const { otpId, code } = await this.otps.issue(record, turn);
      if (code !== undefined) this.mail(record, { otpId, code }, caller);
      return { otpId };
    });
  }

  private async issueDecoy(collection: Collection, email: string, turn: FairTurn): Promise<string> {
    await this.hasher.hash(randomText(8), OTP_HASH_COST, turn);
    return this.decoys.issue(collection, identityKey(collection, 'email', email), this.otps.maxOpen);
  }

  private mail(record: RecordModel, mail: OtpMail, caller: Caller): void {
    this.background.send({
      what: 'one-time password',
      account: record,
      send: async (account) => {
        await this.mails.sendOtp(account, mail, caller);
        await this.otps.markSent(mail.otpId, account.get('email') as string);
      },
      undo: async () => void (await this.otps.consume(mail.otpId)),
    });
  }
}
