import { Inject, Injectable, Logger } from '@nestjs/common';
import { MFAS } from '../../collections/account-collections.js';
import { CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { GuessThrottle } from '../../passwords/guess-throttle.js';
import { RecordRules } from '../../records/record-rules.js';
import { RecordsService } from '../../records/records.service.js';
import { ConsistentReads } from '../../records/read/consistent-reads.js';
import { ageOf } from '../record-age.js';
import { MfaRequiredError } from './mfa-required.error.js';

/** A sign-in that may need a second method. */
export interface MfaAttempt {
  readonly method: string;
  readonly caller: Caller;
  readonly mfaId: string;
}

/** Asks for a second, different method of signing in where the collection wants one (AUTH-703). */
@Injectable()
export class MfaService {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly records: RecordsService,
    private readonly rules: RecordRules,
    private readonly reads: ConsistentReads,
    private readonly guesses: GuessThrottle,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Passes when no second method is needed or this is the second. Throws an MfaRequiredError, 400, or 429 to a client
   * that was wrong too often.
   */
  async require(record: RecordModel, { method, caller, mfaId }: MfaAttempt): Promise<void> {
    const { enabled, rule } = record.collection.auth!.mfa;
    if (!enabled) return;
    if (rule !== '' && !(await this.applies(record, caller))) return;
    if (mfaId === '') throw new MfaRequiredError(await this.challenge(record, method));
    const guess = { account: `mfa/${record.collection.id}/${record.id}`, ip: caller.ip };
    await this.guesses.require(guess);
    if (!(await this.redeem(record, method, mfaId))) {
      await this.guesses.recordFailure(guess);
      throw new BadRequestError('The second step of the sign-in failed.');
    }
    await this.guesses.recordSuccess(guess);
  }

  /** A rule that means nothing any more must not switch the second method off: it stops everybody (AUTH-703). */
  private async applies(record: RecordModel, caller: Caller): Promise<boolean> {
    try {
      return await this.reads.ofRecord(record, caller, (current, as) => {
        const { rule } = current.collection.auth!.mfa;
        return rule === '' || this.rules.evaluate(current, rule, as);
      });
    } catch (error) {
      this.logger.error(`The MFA rule of "${record.collection.name}" cannot be evaluated: ${(error as Error).message}`);
      throw new BadRequestError('The sign-in could not be completed.', {}, { cause: error });
    }
  }

  private async challenge(record: RecordModel, method: string): Promise<string> {
    const row = { collectionRef: record.collection.id, recordRef: record.id, method };
    return (await this.records.create(MFAS, row)).id;
  }

  /**
   * Uses a challenge up; false when it does not fit. Of any number of requests with the same challenge one completes
   * (AUTH-704).
   */
  private redeem(record: RecordModel, method: string, mfaId: string): Promise<boolean> {
    return this.records.transaction(async () => {
      const row = await this.records.findFirst(MFAS, 'id = {:mfaId}', { mfaId });
      if (!row) return false;
      const isOver = ageOf(row, this.clock) > record.collection.auth!.mfa.duration * 1000;
      const belongs = row.get('recordRef') === record.id && row.get('collectionRef') === record.collection.id;
      const isSecond = row.get('method') !== method;
      const isGood = !isOver && belongs && isSecond;
      const isOurs = isOver || isGood ? (await this.records.consume(MFAS, row.id)) !== undefined : false;
      return isGood && isOurs;
    });
  }
}
