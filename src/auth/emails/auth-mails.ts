import { Injectable } from '@nestjs/common';
import { clientOf } from '../../http/request/client-ip.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import { TooManyRequestsError } from '../../kernel/errors/too-many-requests.error.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { MailService, type TemplateMail } from '../../mail/mail.service.js';
import { TokensService } from '../../tokens/tokens.service.js';
import { isInstaller } from '../superusers/installer-account.js';

/** A one-time password on its way to its owner. */
export interface OtpMail {
  readonly otpId: string;
  readonly code: string;
}

/** Mails that are on their way at the same time, each over a connection of its own. */
const RUNNING = 20;
const WAITING = 1_000;
const WAITING_OF_CLIENT = 100;

/** Characters of an account above which its mail does not wait, because the account would be kept in memory. */
const MOST_TO_KEEP = 64 * 1024;

/** Seconds. */
const RETRY_AFTER = 5;

const REFUSAL = 'Too many mails wait to be sent, try again later.';

/**
 * The mails of an auth collection, from its templates (AUTH-1301). Each resolves when the mail was accepted.
 *
 * A few are on their way at a time and clients take turns, since guests have them sent and a mail server may take as long
 * as it likes (OPS-39). Who has too many waiting gets a 429.
 */
@Injectable()
export class AuthMails {
  private readonly queue = new FairQueue({
    running: RUNNING,
    waiting: WAITING,
    waitingOfClient: WAITING_OF_CLIENT,
    refusal: REFUSAL,
  });

  constructor(
    private readonly mail: MailService,
    private readonly tokens: TokensService,
  ) {}

  /** Whether the next mail has to wait. */
  get isBusy(): boolean {
    return this.queue.isBusy;
  }

  /** Throws where the next mail has to wait and is about an account of so many characters. */
  requireRoom(characters: number): void {
    if (this.isBusy && characters > MOST_TO_KEEP) throw new TooManyRequestsError(RETRY_AFTER, REFUSAL);
  }

  async sendVerification(record: RecordModel, { ip }: Caller): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'verification');
    const template = record.collection.auth!.verificationTemplate;
    await this.send({ kind: 'verification', record, template, values: { TOKEN } }, clientOf(ip));
  }

  async sendPasswordReset(record: RecordModel, { ip }: Caller): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'passwordReset');
    const template = record.collection.auth!.resetPasswordTemplate;
    await this.send({ kind: 'passwordReset', record, template, values: { TOKEN } }, clientOf(ip));
  }

  /** Goes to the new address. */
  async sendEmailChange(record: RecordModel, newEmail: string, { ip }: Caller): Promise<void> {
    const TOKEN = await this.tokens.issue(record, 'emailChange', { newEmail });
    const template = record.collection.auth!.confirmEmailChangeTemplate;
    await this.send({ kind: 'emailChange', record, template, values: { TOKEN }, to: newEmail }, clientOf(ip));
  }

  async sendOtp(record: RecordModel, { otpId, code }: OtpMail, { ip }: Caller): Promise<void> {
    const template = record.collection.auth!.otp.emailTemplate;
    await this.send({ kind: 'otp', record, template, values: { OTP: code, OTP_ID: otpId } }, clientOf(ip));
  }

  /** Takes the turn of its account: who signs in as somebody else must not keep the alert out by other mails. */
  async sendAlert(record: RecordModel, info: string): Promise<void> {
    const template = record.collection.auth!.authAlert.emailTemplate;
    await this.send({ kind: 'alert', record, template, values: { ALERT_INFO: info } }, accountOf(record));
  }

  private async send(mail: TemplateMail, client: string): Promise<void> {
    const { record } = mail;
    // Nobody reads the mailbox of the installer account (AUTH-1205).
    if (isInstaller(record)) return;
    this.requireRoom(record.stored.characters);
    await this.queue.run(() => this.mail.sendTemplate(mail), { client, account: accountOf(record) });
  }
}

function accountOf({ collection, id }: RecordModel): string {
  return `${collection.id}/${id}`;
}
