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
  /** Turns any failure into an error for the client. */
  readonly toError: (cause: unknown) => unknown;
}

/** The failure of a unit of work, for those who report it. */
export interface Outcome {
  error?: unknown;
  /** It is about to be repeated and has not failed. */
  beginsAgain?: boolean;
}

/** What observers of a failure are told of; handlers may still replace it. */
export interface WatchedDefinition {
  readonly definition: CollectionFailedEvent['definition'];
  readonly caller: CollectionFailedEvent['caller'];
}

/** How often a change is repeated after conflicts, or for indexes that are to be built first. */
const MOST_ATTEMPTS = 5;

/** Runs changes of collections in transactions and reports their failures to hooks. */
@Injectable()
export class CollectionTransactions {
  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Runs work in a transaction, in a child process when a table is so large that changing it would block the event
   * loop. It is repeated after conflicts with other transactions, and when indexes are better built before it.
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

  /** Reports the failure of this change when the transaction around it is rolled back. */
  watch(failed: Hook<CollectionFailedEvent>, watched: WatchedDefinition, outcome: Outcome): void {
    this.database.afterRollback(() => {
      if (outcome.beginsAgain) return;
      const { definition, caller } = watched;
      return this.hooks.runAfter(failed, { definition, error: outcome.error, caller }, definition);
    });
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

  /** `built`: the indexes that were built before, when the work may be repeated. */
  private async attempt<T>(
    { touched, toError }: CollectionWork,
    change: (outcome: Outcome) => Promise<T>,
    outcome: Outcome,
    built?: BuiltIndexes,
  ): Promise<T> {
    // Conflicts are repeated by the code that runs the outer transaction, which recognises them by this error.
    const isAgain = (cause: unknown): boolean => cause instanceof IndexesWanted || faultOf(cause)?.kind === 'busy';
    const explained = (cause: unknown): unknown => (isAgain(cause) ? cause : toError(cause));
    const told = async (): Promise<T> => {
      try {
        if (built) this.schema.expectBuilt(built);
        return await change(outcome);
      } catch (cause) {
        // Where writers take turns, only another program can be in the way, and it was waited for already.
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
}
