import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';

/** Is told every statement with its milliseconds, for `--dev`. Never given values, which may be secrets. */
export type StatementTrace = (sql: string, milliseconds: number) => void;

/** Sees how long each statement takes and how it fails: the trace, and errors that others have to hear of. */
export class StatementWatch {
  private readonly damageListeners = new Set<(error: DatabaseError) => void>();

  constructor(
    /** Is called when a table or column is not there, outside of a transaction, before whoever asked hears of it. */
    private readonly somethingIsMissing: () => Promise<void> | undefined,
    private readonly trace?: StatementTrace,
  ) {}

  /** Calls back when a statement finds the database file damaged. Returns how to stop that. */
  onDamage(listener: (error: DatabaseError) => void): () => void {
    this.damageListeners.add(listener);
    return () => this.damageListeners.delete(listener);
  }

  /** Runs a statement. On the way of every read: nothing more than needed. */
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

  /** Fails with this error, when all is done that it gives rise to. */
  private fail(error: unknown): Promise<never> {
    if (error instanceof DatabaseError && error.kind === 'corrupt') {
      for (const listener of this.damageListeners) listener(error);
    }
    // Another process may have changed the schema, and whoever asked may want to know.
    const isMissing = error instanceof DatabaseError && error.kind === 'syntax';
    const looking = isMissing ? this.somethingIsMissing() : undefined;
    if (!looking) throw error;
    return looking.catch(() => undefined).then(() => Promise.reject(error));
  }
}
