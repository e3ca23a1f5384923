import type { AmbientTransactions } from './ambient-transactions.js';
import type { DatabaseChanges } from './database-changes.js';
import type { DatabaseLifecycle } from './database-lifecycle.js';
import { DatabaseError } from './database.error.js';
import type { DatabaseSizes, ScriptResult, SqlScript } from './dialect.js';

/** What is done with the database as a whole: copies, compaction, upkeep, the scripts of a superuser. */
export class DatabaseUpkeep {
  constructor(
    private readonly lifecycle: DatabaseLifecycle,
    private readonly transactions: AmbientTransactions,
    private readonly changes: DatabaseChanges,
  ) {}

  /** Copies the database as last committed to a new file, while everything goes on. Only where it is a file. */
  snapshot(file: string): Promise<void> {
    return this.lifecycle.use((connections) => {
      if (connections.snapshot) return connections.snapshot(file);
      throw new DatabaseError('refused', 'The database is no file that could be copied.');
    });
  }

  /** Runs work that only reads, all of it as the database is at this moment, while everything goes on. */
  async inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    this.transactions.requireNone();
    return this.transactions.runOn(() => this.lifecycle.use((connections) => connections.beginSnapshot()), work);
  }

  /** How large it is, undefined where it is files of this machine. */
  async sizes(): Promise<DatabaseSizes | undefined> {
    return this.lifecycle.use((connections) => connections.sizes?.());
  }

  /** Whether it can be read and written at this moment; undefined where only a write can tell. */
  async isWritable(): Promise<boolean | undefined> {
    return this.lifecycle.use((connections) => connections.isWritable?.());
  }

  /** Gives the space of deleted rows back to the file system. Writers wait meanwhile. */
  async compact(): Promise<void> {
    this.transactions.requireNone();
    await this.lifecycle.use((connections) => connections.compact());
  }

  /** As in the dialect: for tables that were just filled, whose rows are committed. Only where the dialect has it. */
  async vacuum(tables: readonly string[], onTable?: (table: string) => void): Promise<void> {
    this.transactions.requireNone();
    await this.lifecycle.use((connections) => connections.vacuum?.(tables, onTable));
  }

  /** Runs a statement that can be no part of a transaction. Only where the dialect has such. */
  async runOutsideTransaction(sql: string): Promise<void> {
    this.transactions.requireNone();
    await this.lifecycle.use((connections) => connections.runOutsideTransaction?.(sql));
  }

  /** Moves the journal into the file and refreshes what the query planner knows. */
  async optimize(): Promise<void> {
    this.transactions.requireNone();
    await this.lifecycle.use((connections) => connections.optimize());
  }

  /**
   * Runs work while foreign keys are not enforced, so that a table that others refer to can be rebuilt. Only while
   * nobody else writes.
   */
  async withoutForeignKeys<T>(work: () => Promise<T>): Promise<T> {
    this.transactions.requireNone();
    return this.lifecycle.use((connections) => connections.withoutForeignKeys(work));
  }

  /**
   * Runs SQL of a superuser where it blocks nobody and can be cut off. Rejects with a DatabaseError whose message is
   * the database's own reason, or with a 400 at the time limit. Resolves after caches have been reloaded.
   */
  async runScript(script: SqlScript): Promise<ScriptResult> {
    this.transactions.requireNone();
    const result = await this.lifecycle.use((connections) =>
      this.changes.watch((committing) => connections.runScript(script, committing), { later: true }),
    );
    await this.changes.told;
    return result;
  }
}
