import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import { NotFoundError } from '../../kernel/errors/not-found.error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { isEmailAddress } from '../../kernel/validation/email-address.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { OtpRows } from '../otp/otp-rows.js';
import { installerAddressError, isInstaller } from './installer-account.js';

/** Email and password of a superuser. */
export interface SuperuserCredentials {
  readonly email: string;
  readonly password: string;
}

/** A one-time password for somebody who has no other way in. */
export interface SuperuserOtp {
  readonly otpId: string;
  readonly code: string;
  /** Seconds it is good for. */
  readonly duration: number;
}

/** What the `superuser` commands do (AUTH-1209), with everything that follows for tokens and sign-ins (AUTH-307). */
@Injectable()
export class SuperusersService {
  constructor(
    private readonly store: CollectionStore,
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly otps: OtpRows,
    private readonly settings: SettingsService,
  ) {}

  /** Throws a ValidationError when address or password are refused or the address is taken. */
  async create({ email, password }: SuperuserCredentials): Promise<RecordModel> {
    const error = installerAddressError(email);
    if (error) throw new ValidationError({ email: error });
    return this.records.create(SUPERUSERS_ID, { email, password, verified: true });
  }

  /** Sets the password. Throws 404 when there is no such superuser. */
  async update({ email, password }: SuperuserCredentials): Promise<RecordModel> {
    return this.setPassword(await this.get(email), password);
  }

  /** Creates the superuser, or sets the password of the one there is. */
  async upsert(credentials: SuperuserCredentials): Promise<RecordModel> {
    const record = await this.find(credentials.email);
    return record ? this.setPassword(record, credentials.password) : this.create(credentials);
  }

  /** False when there was no such superuser. Throws when the text is no address, and 400 for the last superuser. */
  async delete(email: string): Promise<boolean> {
    if (!isEmailAddress(email)) throw new ValidationError({ email: fieldError('validation_is_email') });
    const record = await this.find(email);
    if (record) await this.records.delete(SUPERUSERS_ID, record.id);
    return record !== undefined;
  }

  /** A one-time password that is not mailed. Throws when they are switched off or there is no such superuser. */
  async createOtp(email: string): Promise<SuperuserOtp> {
    const { otp } = this.collection.auth!;
    if (!otp.enabled) throw new BadRequestError('One-time passwords are switched off for superusers.');
    const { otpId, code } = await this.otps.issue(await this.get(email));
    if (code === undefined)
      throw new BadRequestError('There are too many open one-time passwords, wait for some to expire.');
    return { otpId, code, duration: otp.duration };
  }

  /** Replaces the IPs and subnets superusers may act from; none lifts the restriction. Throws a ValidationError. */
  async setIps(ips: readonly string[]): Promise<void> {
    await this.settings.patch({ superuserIPs: [...ips] });
  }

  private setPassword(record: RecordModel, password: string): Promise<RecordModel> {
    if (password === '') throw new ValidationError({ password: fieldError('validation_required') });
    return this.records.update(SUPERUSERS_ID, record.id, { password }, { onlyChanged: true });
  }

  /** The superuser with this address; the installer account is none. */
  private async find(email: string): Promise<RecordModel | undefined> {
    const record = await this.authRecords.findByIdentity(this.collection, 'email', email);
    return record && isInstaller(record) ? undefined : record;
  }

  private async get(email: string): Promise<RecordModel> {
    const record = await this.find(email);
    if (!record) throw new NotFoundError(`There is no superuser ${email}.`);
    return record;
  }

  private get collection(): Collection {
    return this.store.catalog.find(SUPERUSERS_ID)!;
  }
}
