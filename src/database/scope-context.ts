import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactionScope } from './transaction-scope.js';

/**
 * Knows in which scope the running code is, however many promises and timers lie between.
 *
 * As long as an AsyncLocalStorage is in use, Node.js 20 calls back for each promise of the process: a quarter of what
 * a simple request costs. One that may rest is in use only while code can be in a scope that matters: one that is
 * open, or one that has failed and must refuse what its code still comes up with. Whether such code is left, nobody
 * knows but the garbage collector.
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
   * Takes the rest of the caller into a scope, which is to be left with `leave`. While it rests, nobody tells the
   * caller from others who wait: they would be taken along.
   */
  enter(scope: TransactionScope): void {
    if (this.isResting)
      throw new Error('Only in an application with modules of a team may query runners begin transactions.');
    this.open.add(scope);
    this.storage.enterWith(scope);
  }

  /** Runs work inside a scope that was entered before. */
  within<T>(scope: TransactionScope, work: () => T): T {
    return this.isResting ? work() : this.storage.run(scope, work);
  }

  /** Runs work in no scope. */
  outside<T>(work: () => T): T {
    return this.isResting ? work() : this.storage.run(undefined, work);
  }

  /** To be called when a scope has no code any more. */
  done(scope: TransactionScope): void {
    if (this.open.delete(scope)) this.rest();
  }

  /** To be called when a scope is over, however it ended. */
  leave(scope: TransactionScope): void {
    if (!this.open.delete(scope)) return;
    if (!scope.isGone) {
      this.failed++;
      this.collected.register(scope, undefined);
    }
    this.rest();
  }

  private get isResting(): boolean {
    return this.mayRest && this.open.size === 0 && this.failed === 0;
  }

  private rest(): void {
    if (this.isResting) this.storage.disable();
  }
}
