import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { ProcessEndedError } from './process-ended.error.js';

export interface ChildProgramOptions {
  readonly args?: readonly string[];
  /** All of its environment: that of this process holds secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** As `setPriority` of `node:os` takes it. */
  readonly priority: number;
}

interface Reply {
  readonly id: number;
  readonly error?: { readonly message: string; readonly code?: string };
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * A program of ours in a process of its own, for work that may have to be killed, or may crash, or must not compete with
 * requests. It gets `{ id, ...request }` and answers `{ id, ...answer }` or `{ id, error }`.
 */
export class ChildProgram {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(path: string, { args = [], env, priority }: ChildProgramOptions) {
    this.child = fork(path, args, {
      serialization: 'advanced',
      execArgv: [],
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child.on('message', (reply: Reply) => this.waiting.get(reply.id)?.resolve(reply));
    this.child.on('error', ({ message }) => this.fail(message));
    this.child.on('exit', () => this.fail('The process has ended.'));
    this.letParentExit(true);
    try {
      if (this.child.pid !== undefined) setPriority(this.child.pid, priority);
    } catch {
      // Without the permission it runs at the same priority.
    }
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.connected;
  }

  /**
   * Asks the program. Rejects with the error that it answers, which has the code of the original, or with a
   * ProcessEndedError.
   */
  async ask<Answer>(request: object): Promise<Answer> {
    if (!this.isAlive) throw new ProcessEndedError('The process is not running.');
    const id = ++this.lastId;
    this.letParentExit(false);
    try {
      const { error, ...answer } = await new Promise<Reply>((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        this.child.send({ id, ...request }, (unsent) => unsent && reject(new ProcessEndedError(unsent.message)));
      });
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return answer as Answer;
    } finally {
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.letParentExit(true);
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

  private fail(message: string): void {
    for (const { reject } of this.waiting.values()) reject(new ProcessEndedError(message));
  }

  /** An idle process keeps no command alive that has nothing else to do. */
  private letParentExit(mayExit: boolean): void {
    const call = mayExit ? 'unref' : 'ref';
    this.child[call]();
    this.child.channel?.[call]();
  }
}
