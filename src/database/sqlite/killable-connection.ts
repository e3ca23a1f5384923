import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { pid } from 'node:process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
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

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly milliseconds?: number;
  readonly error?: { readonly message: string; readonly code?: string };
}

const PROGRAM = fileURLToPath(new URL('./killable-process.mjs', import.meta.url));

/**
 * A database connection in a process of its own, which can be killed in the middle of a statement: neither driver's
 * thread can be ended safely there. Begin with `start`; after `kill` it answers nothing any more.
 */
export class KillableConnection {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private lastId = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (reply: Reply) => this.waiting.get(reply.id)?.(reply));
    child.on('error', (error) => this.fail(error.message));
    child.on('exit', () => this.fail('The process that ran the statement has ended.'));
    this.letParentExit(true);
  }

  /**
   * Starts the process and opens the file. Rejects with a ProcessUnavailableError when there is no process, with a
   * DatabaseError when the file cannot be opened.
   */
  static async start({ driver, isBackground = false, ...target }: KillableTarget): Promise<KillableConnection> {
    // No environment: it holds secrets, and the process needs none of it. What SQLite sorts on disk is kept beside the
    // database, because the directory of the system for temporary files may be one in memory.
    const child = fork(PROGRAM, [String(pid)], {
      serialization: 'advanced',
      execArgv: [],
      env: { SQLITE_TMPDIR: dirname(target.file) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const connection = new KillableConnection(child);
    const opening = { kind: 'open', driver: driver.name, packageName: driver.packageName, ...target };
    try {
      // What runs there is slow by definition and must not compete with the requests that are quick.
      const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
      if (child.pid !== undefined) setPriority(child.pid, isBackground ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL);
    } catch {
      // Without the permission it runs at the same priority.
    }
    try {
      await connection.send(opening);
    } catch (error) {
      if (!connection.isAlive) throw new ProcessUnavailableError((error as Error).message, { cause: error });
      await connection.kill();
      throw error;
    }
    return connection;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.connected;
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
  async kill(): Promise<void> {
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.letParentExit(false);
    this.child.kill('SIGKILL');
    await gone;
  }

  private async send<T>(request: { readonly kind: string }): Promise<KillableAnswer<T>> {
    if (!this.isAlive) throw new DatabaseError('unavailable', 'The process for slow statements is not running.');
    const id = ++this.lastId;
    this.letParentExit(false);
    try {
      const reply = await new Promise<Reply>((resolve, reject) => {
        this.waiting.set(id, resolve);
        this.child.send({ id, ...request }, (error) => error && reject(error));
      });
      if (reply.error)
        throw translateSqliteError(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
      return { result: reply.result as T, milliseconds: reply.milliseconds ?? 0 };
    } finally {
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.letParentExit(true);
    }
  }

  private fail(message: string): void {
    for (const [id, settle] of this.waiting) settle({ id, error: { message, code: 'SQLITE_ABORT' } });
  }

  /** An idle process keeps no command alive that has nothing else to do. */
  private letParentExit(mayExit: boolean): void {
    const call = mayExit ? 'unref' : 'ref';
    this.child[call]();
    this.child.channel?.[call]();
  }
}
