import type { EphemeralStore, EphemeralValue } from './ephemeral-store.js';

/** The values of one space of a store. */
export class EphemeralValues<Value extends EphemeralValue> {
  constructor(
    private readonly store: EphemeralStore,
    private readonly space: string,
  ) {}

  async get(key: string): Promise<Value | undefined> {
    return (await this.store.get(this.keyOf(key))) as Value | undefined;
  }

  async set(key: string, value: Value, milliseconds: number): Promise<void> {
    await this.store.set(this.keyOf(key), value, milliseconds);
  }

  /** True when there was none, for exactly one of several concurrent callers. */
  async setIfAbsent(key: string, value: Value, milliseconds: number): Promise<boolean> {
    return this.store.setIfAbsent(this.keyOf(key), value, milliseconds);
  }

  /** Removes the value and gives it, to exactly one of several concurrent callers. */
  async take(key: string): Promise<Value | undefined> {
    return (await this.store.take(this.keyOf(key))) as Value | undefined;
  }

  async delete(key: string): Promise<void> {
    await this.store.delete(this.keyOf(key));
  }

  private keyOf(key: string): string {
    return `${this.space}:${key}`;
  }
}
