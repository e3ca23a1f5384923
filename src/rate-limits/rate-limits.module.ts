import { Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { MemoryRateLimitStore } from './memory-rate-limit-store.js';
import { RateLimitCleanupCron } from './rate-limit-cleanup.cron.js';
import { RATE_LIMIT_STORE } from './rate-limit-store.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter } from './rate-limiter.js';
import { RenamedCollectionsHooks } from './renamed-collections.hooks.js';

/** How often somebody may ask for something (chapter 06 B). */
@Module({
  providers: [
    ...replaceable(RATE_LIMIT_STORE, MemoryRateLimitStore),
    RateLimiter,
    RateLimitGuard,
    RateLimitCleanupCron,
    RenamedCollectionsHooks,
  ],
  exports: [RateLimiter, RateLimitGuard],
})
export class RateLimitsModule {}
