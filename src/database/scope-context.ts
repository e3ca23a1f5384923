import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactionScope } from './transaction-scope.js';

/**
 * Knows in which transaction the running code is, across promises and timers.
 *
 * While an AsyncLocalStorage is enabled, Node.js 20 runs a hook for each promise of the process, which is a quarter of
 * the time of a simple request. With `allowsBegin` off it is therefore enabled only while code may be in a scope that
 * matters: one that is open, or one that failed and must refuse further statements. Whether code of a failed one is
 * left is known from the garbage collector only.
 */
export class ScopeContext {
  private readonly storage = new AsyncLocalStorage<TransactionScope | undefined>();
  private readonly open = new Set<TransactionScope>();
  private readonly collected = new FinalizationRegistry<undefined>(() => {
    this.failed--;
    this.rest();
  });
  private failed = 0;

  constructor(private readonly mayRest: boolean) {
    if (!mayRest) this.storage.run(undefined, () => undefined);
  }

  /** The scope of the running code; it may be over. */
  get scope(): TransactionScope | undefined {
    return this.storage.getStore();
  }

  /** Runs work inside a scope, which is to be left with `leave`. */
  run<T>(scope: TransactionScope, work: () => T): T {
    this.open.add(scope);
    return this.storage.run(scope, work);
  }

  /**
   * Puts the rest of the caller's code into a scope, which has to be ended with `leave`. Not possible while the storage
   * is disabled, because it would then apply to all code that waits.
   */
  enter(scope: TransactionScope): void {
    if (this.isResting)
      throw new Error('Only in an application with modules of a team may query runners begin transactions.');
    this.open.add(scope);
    this.storage.enterWith(scope);
  }

  /** Runs work inside a scope that was entered before. */
  runIn<T>(scope: TransactionScope, work: () => T): T {
    return this.isResting ? work() : this.storage.run(scope, work);
  }

  /** Runs work in no scope. */
  runOutside<T>(work: () => T): T {
    return this.isResting ? work() : this.storage.run(undefined, work);
  }

  /** To be called when a scope has no code any more. */
  done(scope: TransactionScope): void {
    if (this.open.delete(scope)) this.rest();
  }

  /** To be called when a scope is over, however it ended. */
  leave(scope: TransactionScope): void {
    if (!this.open.delete(scope)) return;
    if (!scope.isOver) {
      this.failed++;
      this.collected.register(scope, undefined);
    }
    this.rest();
  }

  /** To be called when no code can be in a scope any more: in the process of a test others may go on for long. */
  end(): void {
    this.storage.disable();
  }

  private get isResting(): boolean {
    return this.mayRest && this.open.size === 0 && this.failed === 0;
  }

  private rest(): void {
    if (this.isResting) this.storage.disable();
  }
}
