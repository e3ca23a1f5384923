import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { RateLimiter } from './rate-limiter.js';

/** Name of the job in the list of crons; shown there only while rate limits are on. */
export const RATE_LIMIT_CLEANUP = '__pbRateLimitersCleanup__';

/** Forgets expired windows every hour (OPS-26). */
@Injectable()
export class RateLimitCleanupCron {
  constructor(private readonly limiter: RateLimiter) {}

  @Cron('2 * * * *', { name: RATE_LIMIT_CLEANUP, timeZone: 'UTC' })
  async run(): Promise<void> {
    await this.limiter.prune();
  }
}
