import type { CompiledRateLimit } from './compiled-rate-limit.js';

/** Rules for the same requests, told apart by who asks: the first one stored that fits (OPS-23). */
export class RulesByAudience {
  private readonly forGuests: CompiledRateLimit | undefined;
  private readonly forIdentities: CompiledRateLimit | undefined;

  constructor(rules: readonly CompiledRateLimit[]) {
    this.forGuests = rules.find(({ audience }) => audience !== '@auth');
    this.forIdentities = rules.find(({ audience }) => audience !== '@guest');
  }

  of(isGuest: boolean): CompiledRateLimit | undefined {
    return isGuest ? this.forGuests : this.forIdentities;
  }
}
