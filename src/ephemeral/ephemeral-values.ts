import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { EphemeralStore, EphemeralValue } from './ephemeral-store.js';

/** The values of one space of a store. */
export class EphemeralValues<Value extends EphemeralValue> {
  constructor(
    private readonly store: EphemeralStore,
    private readonly space: string,
  ) {}

  get(key: string): MaybePromise<Value | undefined> {
    return this.store.get(this.keyOf(key)) as MaybePromise<Value | undefined>;
  }

  set(key: string, value: Value, milliseconds: number): MaybePromise<void> {
    return this.store.set(this.keyOf(key), value, milliseconds);
  }

  /** True when there was none: of any number of callers one is told so. */
  setIfAbsent(key: string, value: Value, milliseconds: number): MaybePromise<boolean> {
    return this.store.setIfAbsent(this.keyOf(key), value, milliseconds);
  }

  /** The value, which is there no more: of any number of callers one gets it. */
  take(key: string): MaybePromise<Value | undefined> {
    return this.store.take(this.keyOf(key)) as MaybePromise<Value | undefined>;
  }

  delete(key: string): MaybePromise<void> {
    return this.store.delete(this.keyOf(key));
  }

  private keyOf(key: string): string {
    return `${this.space}:${key}`;
  }
}
