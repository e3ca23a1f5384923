import { Injectable } from '@nestjs/common';
import { clientOf } from '../http/request/client-ip.js';
import { type Guess, GuessThrottle } from './guess-throttle.js';
import { PasswordHasher } from './password-hasher.js';

/** A password somebody typed, to be compared with what is stored. */
export interface TypedPassword extends Guess {
  readonly plain: string;
  /** The hash of the account; undefined when it has none, or does not exist. */
  readonly stored: string | undefined;
  readonly cost: number;
  /**
   * The verdict of a hook. It counts instead of the comparison, which is made all the same, so that the duration and
   * the queue are the same for every guess.
   */
  readonly verdict?: boolean;
}

/** Compares what somebody typed with the password of an account, as often as guessing is allowed. */
@Injectable()
export class PasswordChecks {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly throttle: GuessThrottle,
  ) {}

  /**
   * As `PasswordHasher.matches`. Throws 429 when this client has guessed wrong too often; checked again when its turn
   * comes, because guesses may have failed while it waited.
   */
  async isRight({ plain, stored, cost, verdict, ...guess }: TypedPassword): Promise<boolean> {
    const mayStart = (): Promise<void> => this.throttle.require(guess);
    await mayStart();
    const turn = { client: clientOf(guess.ip), account: guess.account ?? '', mayStart };
    const matches = await this.hasher.matches(plain, stored, cost, turn);
    const isRight = verdict ?? matches;
    await (isRight ? this.throttle.recordSuccess(guess) : this.throttle.recordFailure(guess));
    return isRight;
  }
}
