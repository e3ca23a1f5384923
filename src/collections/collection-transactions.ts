import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type BuiltIndexes, IndexesWanted, SchemaSync } from '../database/schema-sync.js';
import { faultOf } from '../database/transaction-scope.js';
import type { Hook } from '../hooks/create-hook.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { CollectionFailedEvent } from './collection.hooks.js';

/** A unit of work that changes collections. */
export interface CollectionWork {
  /** The collections whose tables it may change. */
  readonly touched: readonly Collection[];
  /** Makes an error a client can read of whatever went wrong. */
  readonly toError: (cause: unknown) => unknown;
}

/** What stopped a unit of work, once it is known. */
export interface Outcome {
  error?: unknown;
  /** It has not failed: it is about to begin anew. */
  beginsAgain?: boolean;
}

/** What observers of a failure are told of; handlers may still replace it. */
export interface WatchedDefinition {
  readonly definition: CollectionFailedEvent['definition'];
  readonly caller: CollectionFailedEvent['caller'];
}

/** How often a change is begun again that others got in the way of, or that has indexes to be built. */
const MOST_ATTEMPTS = 5;

/** Units of work that change collections: where they run, and who is told when they fail. */
@Injectable()
export class CollectionTransactions {
  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Runs work in a transaction: apart when a table is so large that changing it here would hold up every request. What others
   * got in the way of is done again, and so is what needs an index that is better built before.
   */
  async run<T>(work: CollectionWork, change: (outcome: Outcome) => Promise<T>): Promise<T> {
    if (this.database.inTransaction) return this.attempt(work, change, {});
    const built: BuiltIndexes = new Set();
    try {
      return await this.repeating(work, change, built);
    } finally {
      if (built.size > 0) await this.schema.removeUnused(built);
    }
  }

  private async repeating<T>(
    work: CollectionWork,
    change: (outcome: Outcome) => Promise<T>,
    built: BuiltIndexes,
  ): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      const outcome: Outcome = {};
      try {
        return await this.attempt(work, change, outcome, attempts <= MOST_ATTEMPTS ? built : undefined);
      } catch (cause) {
        if (!outcome.beginsAgain) throw cause;
        if (cause instanceof IndexesWanted) {
          await this.schema.build(cause, built).catch((error: unknown) => {
            throw work.toError(error);
          });
        }
      }
    }
  }

  /** `built`: what has been built for it, where it may begin again. */
  private async attempt<T>(
    { touched, toError }: CollectionWork,
    change: (outcome: Outcome) => Promise<T>,
    outcome: Outcome,
    built?: BuiltIndexes,
  ): Promise<T> {
    // What others got in the way of is done again by whoever conducts the transaction around, and knows it by this error.
    const isAgain = (cause: unknown): boolean => cause instanceof IndexesWanted || faultOf(cause)?.kind === 'busy';
    const explained = (cause: unknown): unknown => (isAgain(cause) ? cause : toError(cause));
    const told = async (): Promise<T> => {
      try {
        if (built) this.schema.expectBuilt(built);
        return await change(outcome);
      } catch (cause) {
        // Where writers take turns, whoever is in the way is another program, which was waited for long enough.
        const mayBegin = built !== undefined && !this.database.dialect.writersTakeTurns;
        outcome.beginsAgain = mayBegin && isAgain(cause);
        outcome.error = explained(cause);
        throw outcome.error;
      }
    };
    const tables = touched.filter((collection) => !collection.isView).map(({ name }) => name);
    const offThread = !this.database.inTransaction && (await this.schema.isLarge(tables));
    try {
      return await this.database.transaction(told, { offThread, exclusive: true });
    } catch (cause) {
      // The commit may fail as well.
      throw cause === outcome.error ? cause : explained(cause);
    }
  }

  /** Tells of this change should the transaction around it be rolled back. */
  watch(failed: Hook<CollectionFailedEvent>, watched: WatchedDefinition, outcome: Outcome): void {
    this.database.afterRollback(() => {
      if (outcome.beginsAgain) return;
      const { definition, caller } = watched;
      return this.hooks.runAfter(failed, { definition, error: outcome.error, caller }, definition);
    });
  }
}
