import { Inject, Injectable } from '@nestjs/common';
import { AttemptWindow } from '../../ephemeral/attempt-window.js';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';

const MAX_WRONG = 10;

/** An attempt to sign in with a one-time password. */
export interface OtpAttempt {
  readonly otpId: string;
  /** The account it belongs to. */
  readonly owner: string;
  /** As `clientOf` says. */
  readonly client: string;
  /** Milliseconds the one-time password lives. */
  readonly lifetime: number;
}

/** Keeps one-time passwords from being guessed: few attempts per account and address, few per password (AUTH-835). */
@Injectable()
export class OtpAttempts {
  private readonly windows: AttemptWindow;

  constructor(@Inject(EPHEMERAL_STORE) private readonly store: EphemeralStore) {
    this.windows = new AttemptWindow(store, { space: 'otp-attempts-of-client', attempts: 5, window: 180_000 });
  }

  /**
   * Counts an attempt before the password is looked at, so that parallel ones count too. Throws 429 for too many from
   * one address. The answer is how many more attempts, from anywhere, this one-time password is good for; below 0 it
   * is good for none.
   */
  async take({ otpId, owner, client, lifetime }: OtpAttempt): Promise<number> {
    await this.windows.take(`${owner}|${client}`);
    const { count } = await this.store.count(`otp-attempts:${otpId}`, lifetime);
    return MAX_WRONG - count;
  }
}
