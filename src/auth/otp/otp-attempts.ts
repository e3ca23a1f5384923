import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import { AttemptWindow } from '../../kernel/throttling/attempt-window.js';
import { ExpiringMap } from '../../kernel/throttling/expiring-map.js';

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
  private readonly perOtp: ExpiringMap<number>;

  constructor(@Inject(MONOTONIC_CLOCK) clock: Clock) {
    this.windows = new AttemptWindow(clock, { attempts: 5, window: 180_000, maxKeys: 50_000 });
    this.perOtp = new ExpiringMap(clock, 50_000);
  }

  /**
   * Counts an attempt before the password is looked at, so that parallel ones count too. Throws 429 for too many from
   * one address. The answer is how many more attempts, from anywhere, this one-time password is good for; below 0 it
   * is good for none.
   */
  take({ otpId, owner, client, lifetime }: OtpAttempt): number {
    this.windows.take(`${owner}|${client}`);
    const count = (this.perOtp.get(otpId) ?? 0) + 1;
    this.perOtp.set(otpId, count, lifetime);
    return MAX_WRONG - count;
  }
}
