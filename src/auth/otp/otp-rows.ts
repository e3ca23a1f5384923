import { Inject, Injectable } from '@nestjs/common';
import { OTPS } from '../../collections/account-collections.js';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { formatDateTime } from '../../kernel/date-time.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { randomText } from '../../kernel/ids.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { FairTurn } from '../../kernel/fair-queue.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { Database } from '../../database/database.js';
import { RecordsService } from '../../records/records.service.js';
import { ageOf } from '../record-age.js';

const DIGITS = '0123456789';

/** Codes live for minutes and few may be tried, so a cheap hash will do. */
export const OTP_HASH_COST = 8;

/** One-time passwords of one account that may be open at the same time (AUTH-833). */
const MAX_OPEN_OTPS = 10;

/** A one-time password that was asked for. */
export interface IssuedOtp {
  readonly otpId: string;
  /** Undefined when there were so many open ones that none was made, and the id is that of the latest. */
  readonly code: string | undefined;
}

/** One-time passwords as they are stored: their hashes, whose they are, and where they were sent. */
@Injectable()
export class OtpRows {
  constructor(
    private readonly database: Database,
    private readonly records: RecordsService,
    private readonly hasher: PasswordHasher,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** How many may be open; no limit in development. */
  get maxOpen(): number {
    return this.config.dev ? Infinity : MAX_OPEN_OTPS;
  }

  /** Makes a one-time password; only its hash is stored. */
  async issue(record: RecordModel, turn?: FairTurn): Promise<IssuedOtp> {
    const code = randomText(record.collection.auth!.otp.length, DIGITS);
    const password = PasswordValue.fromHash(await this.hasher.hash(code, OTP_HASH_COST, turn));
    return this.records.transaction(async () => {
      await this.database.lock(`codes of ${record.collection.id} ${record.id}`);
      const open = await this.openOf(record);
      if (open.length >= this.maxOpen) return { otpId: open[0]!.id, code: undefined };
      const row = { collectionRef: record.collection.id, recordRef: record.id, password };
      return { otpId: (await this.records.create(OTPS, row)).id, code };
    });
  }

  /** The one-time password with this id, if it is for this collection and has not expired. */
  async findOpen(collection: Collection, otpId: string): Promise<RecordModel | undefined> {
    const otp = await this.find(otpId);
    if (otp?.get('collectionRef') !== collection.id) return undefined;
    return ageOf(otp, this.clock) > collection.auth!.otp.duration * 1000 ? undefined : otp;
  }

  /** Remembers the address of a code: signing in with it proves access to that mailbox. */
  markSent(otpId: string, email: string): Promise<void> {
    return this.records.transaction(async () => {
      const otp = await this.find(otpId);
      if (otp?.get('sentTo') === '') await this.records.update(OTPS, otpId, { sentTo: email });
    });
  }

  /** Takes it out of the table; undefined when it is gone. Of any number of callers one gets it. */
  consume(otpId: string): Promise<RecordModel | undefined> {
    return this.records.consume(OTPS, otpId);
  }

  private find(otpId: string): Promise<RecordModel | undefined> {
    return this.records.findFirst(OTPS, 'id = {:otpId}', { otpId });
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
      perPage: MAX_OPEN_OTPS,
      skipTotal: true,
    });
    return items;
  }
}
