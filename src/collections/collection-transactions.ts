import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
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
}

/** What observers of a failure are told of; handlers may still replace it. */
export interface WatchedDefinition {
  readonly definition: CollectionFailedEvent['definition'];
  readonly caller: CollectionFailedEvent['caller'];
}

/** Units of work that change collections: where they run, and who is told when they fail. */
@Injectable()
export class CollectionTransactions {
  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly hooks: HookRegistry,
  ) {}

  /** Runs work in a transaction: apart when a table is so large that changing it here would hold up every request. */
  async conduct<T>({ touched, toError }: CollectionWork, work: (outcome: Outcome) => Promise<T>): Promise<T> {
    const outcome: Outcome = {};
    // What others got in the way of is done again by whoever conducts the transaction around, and knows it by this error.
    const explained = (cause: unknown): unknown => (faultOf(cause)?.kind === 'busy' ? cause : toError(cause));
    const told = async (): Promise<T> => {
      try {
        return await work(outcome);
      } catch (cause) {
        outcome.error = explained(cause);
        throw outcome.error;
      }
    };
    const tables = touched.filter((collection) => !collection.isView).map(({ name }) => name);
    const apart = !this.database.inTransaction && (await this.schema.isLarge(tables));
    try {
      return await this.database.transaction(told, { apart, alone: true });
    } catch (cause) {
      // The commit may fail as well.
      throw cause === outcome.error ? cause : explained(cause);
    }
  }

  /** Tells of this change should the transaction around it be rolled back. */
  watch(failed: Hook<CollectionFailedEvent>, watched: WatchedDefinition, outcome: Outcome): void {
    this.database.afterRollback(() => {
      const { definition, caller } = watched;
      return this.hooks.runAfter(failed, { definition, error: outcome.error, caller }, definition);
    });
  }
}
