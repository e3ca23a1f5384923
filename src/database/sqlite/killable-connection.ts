import { constants } from 'node:os';
import { pid } from 'node:process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildProgram } from '../../processes/child-program.js';
import { ProcessEndedError } from '../../processes/process-ended.error.js';
import { DatabaseError } from '../database.error.js';
import { ProcessUnavailableError } from '../process-unavailable.error.js';
import type { SqlScript } from '../dialect.js';
import type { SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';

/** What the process is asked; it answers in the same order. */
export type KillableRequest =
  | { readonly kind: 'all' | 'execute'; readonly sql: string; readonly params: readonly unknown[] }
  | { readonly kind: 'rows'; readonly sql: string; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: 'script'; readonly statements: readonly string[]; readonly most?: SqlScript['most'] }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'inTransaction' };

/** Which file it opens, and how. */
export interface KillableTarget {
  readonly driver: SqliteDriver;
  readonly file: string;
  readonly readonly: boolean;
  readonly busyTimeout: number;
  readonly pragmas: readonly string[];
  /** True for work that may wait until nothing else wants the processor, because nobody waits for it. */
  readonly isBackground?: boolean;
}

/** An answer, and the milliseconds the database itself took for it. */
export interface KillableAnswer<T> {
  readonly result: T;
  readonly milliseconds: number;
}

const PROGRAM = fileURLToPath(new URL('./killable-process.mjs', import.meta.url));

/**
 * A database connection in a process of its own, which can be killed in the middle of a statement: neither driver's
 * thread can be ended safely there. Begin with `start`; after `kill` it answers nothing any more.
 */
export class KillableConnection {
  private constructor(private readonly program: ChildProgram) {}

  /**
   * Starts the process and opens the file. Rejects with a ProcessUnavailableError when there is no process, with a
   * DatabaseError when the file cannot be opened.
   */
  static async start({ driver, isBackground = false, ...target }: KillableTarget): Promise<KillableConnection> {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    const program = new ChildProgram(PROGRAM, {
      args: [String(pid)],
      // What SQLite sorts on disk is kept beside the database, because the directory of the system for temporary files
      // may be one in memory.
      env: { SQLITE_TMPDIR: dirname(target.file) },
      // What runs there is slow by definition and must not compete with the requests that are quick.
      priority: isBackground ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL,
    });
    const connection = new KillableConnection(program);
    try {
      await connection.send({ kind: 'open', driver: driver.name, packageName: driver.packageName, ...target });
    } catch (error) {
      if (!connection.isAlive) throw new ProcessUnavailableError((error as Error).message, { cause: error });
      await connection.kill();
      throw error;
    }
    return connection;
  }

  get isAlive(): boolean {
    return this.program.isAlive;
  }

  /** Asks the process. The signal kills it, and the request rejects with the signal's reason. */
  async request<T>(request: KillableRequest, signal?: AbortSignal): Promise<KillableAnswer<T>> {
    signal?.throwIfAborted();
    const cutOff = (): void => void this.kill();
    signal?.addEventListener('abort', cutOff, { once: true });
    try {
      return await this.send<T>(request);
    } catch (error) {
      if (signal?.aborted) {
        await this.kill();
        throw signal.reason;
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', cutOff);
    }
  }

  /** Ends the process at once, whatever it is doing, and waits until it is gone and its locks with it. */
  kill(): Promise<void> {
    return this.program.kill();
  }

  private async send<T>(request: object): Promise<KillableAnswer<T>> {
    try {
      return await this.program.ask<KillableAnswer<T>>(request);
    } catch (error) {
      throw error instanceof ProcessEndedError
        ? new DatabaseError('unavailable', error.message, undefined, { cause: error })
        : translateSqliteError(error);
    }
  }
}
