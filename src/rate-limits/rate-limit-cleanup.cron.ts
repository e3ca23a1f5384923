import { Injectable } from '@nestjs/common';
import { SettingsCron } from '../settings/settings-cron.decorator.js';
import { RateLimiter } from './rate-limiter.js';

/** Forgets expired windows every hour while rate limits are on (OPS-26). */
@Injectable()
export class RateLimitCleanupCron {
  constructor(private readonly limiter: RateLimiter) {}

  @SettingsCron('__pbRateLimitersCleanup__', ({ rateLimits }) => (rateLimits.enabled ? '2 * * * *' : ''))
  async run(): Promise<void> {
    await this.limiter.prune();
  }
}
