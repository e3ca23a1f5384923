import { Injectable } from '@nestjs/common';
import { clientOf } from '../http/client-ip.js';
import { type Guess, GuessThrottle } from './guess-throttle.js';
import { PasswordHasher } from './password-hasher.js';

/** Compares what somebody typed with the password of an account, as often as guessing is allowed. */
@Injectable()
export class PasswordChecks {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly throttle: GuessThrottle,
  ) {}

  /**
   * As `PasswordHasher.matches`. Throws 429 when this client has guessed wrong too often; asked again when the turn
   * comes, so that what waits in line meanwhile counts too.
   */
  async isRight(plain: string, stored: string | undefined, cost: number, guess: Guess): Promise<boolean> {
    const mayStart = (): void => this.throttle.require(guess);
    mayStart();
    const turn = { client: clientOf(guess.ip), account: guess.account ?? '', mayStart };
    const isRight = await this.hasher.matches(plain, stored, cost, turn);
    if (isRight) this.throttle.right(guess);
    else this.throttle.wrong(guess);
    return isRight;
  }
}
