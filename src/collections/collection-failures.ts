import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Hook } from '../hooks/create-hook.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { CollectionFailedEvent } from './collection.hooks.js';

/** Keeps the definition up to date that observers of a failure are told, as handlers may still replace it. */
export interface WatchedDefinition {
  readonly definition: CollectionFailedEvent['definition'];
}

/** What stopped a unit of work, once it is known. */
export interface Outcome {
  error?: unknown;
}

/** Tells observers of changes of collections that did not happen, or were rolled back with what was around them. */
@Injectable()
export class CollectionFailures {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
  ) {}

  /** Runs work in a transaction. Its failure becomes the error a client can read, which `watch` has to tell. */
  async conduct<T>(toError: (cause: unknown) => unknown, work: (outcome: Outcome) => Promise<T>): Promise<T> {
    const outcome: Outcome = {};
    const told = async (): Promise<T> => {
      try {
        return await work(outcome);
      } catch (cause) {
        outcome.error = toError(cause);
        throw outcome.error;
      }
    };
    try {
      return await this.database.transaction(told);
    } catch (cause) {
      // The commit may fail as well.
      throw cause === outcome.error ? cause : toError(cause);
    }
  }

  /** Tells of this change should the transaction around it be rolled back. */
  watch(failed: Hook<CollectionFailedEvent>, watched: WatchedDefinition, outcome: Outcome): void {
    this.database.afterRollback(() => {
      const { definition } = watched;
      return this.hooks.runAfter(failed, { definition, error: outcome.error }, definition);
    });
  }
}
