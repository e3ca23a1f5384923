import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';

/**
 * Called with every statement and its duration in milliseconds, for `--dev`. Values are left out, because they may be
 * secrets.
 */
export type StatementTrace = (sql: string, milliseconds: number) => void;

/** Measures statements and reacts to their errors: for the trace, and for those that have to be reported elsewhere. */
export class StatementWatch {
  private readonly damageListeners = new Set<(error: DatabaseError) => void>();

  constructor(
    /** Called when a table or column is missing, outside of a transaction, before the error is thrown. */
    private readonly somethingIsMissing: () => Promise<void> | undefined,
    private readonly trace?: StatementTrace,
  ) {}

  /** Calls back when a statement finds the database file damaged. Returns how to stop that. */
  onDamage(listener: (error: DatabaseError) => void): () => void {
    this.damageListeners.add(listener);
    return () => this.damageListeners.delete(listener);
  }

  /** Runs a statement. Every read passes here, so it does as little as possible. */
  run<T>({ sql }: CompiledSql, work: () => MaybePromise<T>): MaybePromise<T> {
    const { trace } = this;
    if (trace) return this.traced(work, (milliseconds) => trace(sql, milliseconds));
    try {
      const running = work();
      return running instanceof Promise ? running.catch((error: unknown) => this.fail(error)) : running;
    } catch (error) {
      return this.fail(error);
    }
  }

  private async traced<T>(work: () => MaybePromise<T>, trace: (milliseconds: number) => void): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      return this.fail(error);
    } finally {
      trace(performance.now() - started);
    }
  }

  /** Rejects with the error, after everything that has to react to it. */
  private fail(error: unknown): Promise<never> {
    if (error instanceof DatabaseError && error.kind === 'corrupt') {
      for (const listener of this.damageListeners) listener(error);
    }
    // Another process may have changed the schema, so the definitions are read again first.
    const isMissing = error instanceof DatabaseError && error.kind === 'syntax';
    const looking = isMissing ? this.somethingIsMissing() : undefined;
    if (!looking) throw error;
    return looking.catch(() => undefined).then(() => Promise.reject(error));
  }
}
