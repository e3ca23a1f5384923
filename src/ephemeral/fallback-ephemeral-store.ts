import { Logger } from '@nestjs/common';
import type { Clock } from '../kernel/clock.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { CountedWindow, EphemeralStore, EphemeralValue } from './ephemeral-store.js';

/** A store that fails is mentioned once in this time. */
const WARNING_INTERVAL = 60_000;

/**
 * A shared store with a fallback to the memory of this process while it fails: sign-ins still work, and guesses are
 * throttled by each process for itself. Whatever was stored meanwhile is lost when the shared store is back.
 */
export class FallbackEphemeralStore implements EphemeralStore {
  private readonly logger = new Logger('Throttles');
  private warned = -Infinity;

  constructor(
    private readonly shared: EphemeralStore,
    private readonly own: EphemeralStore,
    private readonly clock: Clock,
  ) {}

  get(key: string): Promise<EphemeralValue | undefined> {
    return this.ask((store) => store.get(key));
  }

  set(key: string, value: EphemeralValue, milliseconds: number): Promise<void> {
    return this.ask((store) => store.set(key, value, milliseconds));
  }

  setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): Promise<boolean> {
    return this.ask((store) => store.setIfAbsent(key, value, milliseconds));
  }

  take(key: string): Promise<EphemeralValue | undefined> {
    return this.ask((store) => store.take(key));
  }

  delete(key: string): Promise<void> {
    return this.ask((store) => store.delete(key));
  }

  count(key: string, milliseconds: number): Promise<CountedWindow> {
    return this.ask((store) => store.count(key, milliseconds));
  }

  read(key: string): Promise<CountedWindow | undefined> {
    return this.ask((store) => store.read(key));
  }

  private async ask<T>(question: (store: EphemeralStore) => T | Promise<T>): Promise<T> {
    try {
      return await question(this.shared);
    } catch (error) {
      this.warn(error);
      return question(this.own);
    }
  }

  private warn(error: unknown): void {
    const now = this.clock.now();
    if (now - this.warned < WARNING_INTERVAL) return;
    this.warned = now;
    this.logger.warn(`The shared store fails, throttles are those of this process alone: ${thrownText(error)}`);
  }
}
