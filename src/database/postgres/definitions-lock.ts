import type { CompiledSql } from '../compiled-sql.js';

/** Stands for the definitions of collections; any number does that nobody else uses. */
export const DEFINITIONS_LOCK_KEY = 5_266_120_914;

/** For every transaction that goes by them. */
export const LOCK_DEFINITIONS_SHARED: CompiledSql = {
  sql: `SELECT pg_advisory_xact_lock_shared(${DEFINITIONS_LOCK_KEY})`,
  params: [],
};

/** What one transaction has to itself while it changes definitions. */
export interface Exclusion {
  /** Waits for transactions that go by the definitions as they are and do not have their share of the lock yet. */
  othersHaveBegun(): Promise<void>;
  /** The server has given it the lock: waits for the one before it to be done here as well. */
  take(): Promise<void>;
  end(): void;
}

/**
 * This process's part of the lock that the server has for definitions. A transaction may begin here before the server
 * hears of it, with its first statement; and the server gives the lock up a moment before this process knows that those
 * who changed definitions have committed.
 */
export class DefinitionsLock {
  /** Those that have begun here only. */
  private readonly beginning = new Set<Promise<void>>();
  /** Those that want to be alone, or are. */
  private readonly exclusions = new Set<Promise<void>>();
  /** The one that is. */
  private taken?: Promise<void>;
  /** Counts those that were. */
  changes = 0;

  /** For one that the server knows: waits for whoever was alone before. */
  async whenTaken(): Promise<void> {
    while (this.taken) await this.taken;
  }

  /** Whether nobody is alone or wants to be. */
  get isFree(): boolean {
    return this.exclusions.size === 0;
  }

  /**
   * Begins here, when nobody is alone or wants to be; the answer is to be called when the server has given it its
   * share, or never will.
   */
  async share(): Promise<() => void> {
    while (this.exclusions.size > 0) await Promise.all(this.exclusions);
    return entry(this.beginning).leave;
  }

  exclude(): Exclusion {
    const { promise, leave } = entry(this.exclusions);
    return {
      othersHaveBegun: async () => {
        while (this.beginning.size > 0) await Promise.all(this.beginning);
      },
      take: async () => {
        await this.whenTaken();
        this.taken = promise;
        this.changes++;
      },
      end: () => {
        if (this.taken === promise) this.taken = undefined;
        leave();
      },
    };
  }
}

function entry(entries: Set<Promise<void>>): { readonly promise: Promise<void>; readonly leave: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  entries.add(promise);
  const leave = (): void => {
    entries.delete(promise);
    resolve();
  };
  return { promise, leave };
}
