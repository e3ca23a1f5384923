import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import { CLOCK } from '../config/roost-config.js';
import { IpList } from '../kernel/ip-list.js';
import type { Clock } from '../kernel/clock.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';
import type { Caller } from '../kernel/records/caller.js';
import { SettingsService } from '../settings/settings.service.js';
import { AfterSettingsUpdate } from '../settings/settings.hooks.js';
import type { Settings } from '../settings/settings.js';
import type { LimitedAction } from './rate-limit-labels.js';
import { counterKey } from './compiled-rate-limit.js';
import { RateLimitRules } from './rate-limit-rules.js';
import { RATE_LIMIT_STORE, type RateLimitStore } from './rate-limit-store.js';

/** A store that fails is mentioned once in this time. */
const WARNING_INTERVAL = 60_000;

/** Finds the rule for an action and counts it. Also used for each item of a batch. */
@Injectable()
export class RateLimiter implements OnModuleDestroy {
  private readonly logger = new Logger('RateLimits');
  private readonly changes: Subscription;
  private rules = RateLimitRules.byAudience([]);
  /** The settings they were made from. */
  private rulesFrom: Settings['rateLimits'] | undefined;
  private warned = -Infinity;
  /** Resolves when the windows counted under earlier settings are gone. */
  private clearing: void | Promise<void>;

  constructor(
    private readonly settings: SettingsService,
    @Inject(RATE_LIMIT_STORE) private readonly store: RateLimitStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.changes = settings.changes.subscribe(({ isElsewhere }) => {
      if (!isElsewhere) this.clearing = this.ask(() => this.store.clear());
    });
  }

  onModuleDestroy(): void {
    this.changes.unsubscribe();
  }

  /**
   * Lets the change of settings wait until the store is empty. Other instances would otherwise count by the new rules
   * what is cleared afterwards, and let more through.
   */
  @AfterSettingsUpdate()
  async settingsUpdated(): Promise<void> {
    await this.clearing;
  }

  /** Whether anything is counted at all. */
  get enabled(): boolean {
    return this.settings.get().rateLimits.enabled;
  }

  /**
   * Counts one request. Throws a TooManyRequestsError, or rejects with one when the store answers later, if its rule
   * leaves no more. A store that fails lets everybody pass (OPS-26). `moment`: by `performance.now()`.
   */
  require(action: LimitedAction, caller: Caller, moment = performance.now()): void | Promise<void> {
    const { rateLimits } = this.settings.get();
    if (!rateLimits.enabled || caller.isSuperuser) return;
    if (rateLimits.excludedIPs.length > 0 && IpList.of(rateLimits.excludedIPs).has(caller.ip)) return;
    if (this.rulesFrom !== rateLimits) this.follow(rateLimits);
    const rule = (caller.isGuest ? this.rules.guests : this.rules.identities).find(action);
    if (!rule) return;
    const key = counterKey(rule, action, caller.ip);
    // Called for every request, so it avoids the closure that `ask` would need.
    let wait: number | undefined | Promise<number>;
    try {
      wait = this.store.take(key, rule.window, moment);
    } catch (error) {
      wait = this.warn(error);
    }
    if (typeof wait !== 'object') return refuse(wait);
    return wait.catch((error: unknown) => this.warn(error)).then(refuse);
  }

  /** Removes expired windows, to save memory. */
  async prune(): Promise<void> {
    await this.ask(() => this.store.prune());
  }

  private follow(from: Settings['rateLimits']): void {
    this.rules = RateLimitRules.byAudience(from.rules);
    this.rulesFrom = from;
  }

  private ask<Answer>(question: () => Answer | Promise<Answer>): Answer | undefined | Promise<Answer | undefined> {
    try {
      const answer = question();
      return answer instanceof Promise ? answer.catch((error: unknown) => this.warn(error)) : answer;
    } catch (error) {
      return this.warn(error);
    }
  }

  private warn(error: unknown): undefined {
    const now = this.clock.now();
    if (now - this.warned < WARNING_INTERVAL) return;
    this.warned = now;
    this.logger.warn(`The rate limit store fails, requests are not limited: ${thrownText(error)}`);
  }
}

function refuse(wait: number | undefined): void {
  if (wait !== undefined && wait > 0) throw new TooManyRequestsError(wait / 1000);
}
