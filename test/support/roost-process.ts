import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessWatch } from './secrets/watch-process.js';

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/main', import.meta.url));

/** What a finished process left. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program as a process of its own, as a user starts it, watched for secrets it tells. */
export class RoostProcess {
  stdout = '';
  stderr = '';
  private readonly ended: Promise<number | null>;

  constructor(
    args: readonly string[],
    options: {
      readonly cwd: string;
      readonly env?: Readonly<Record<string, string>>;
      /** Another program than Roost's own. */
      readonly main?: string;
    },
  ) {
    const { PATH, DATABASE_DRIVER } = process.env;
    const { cwd, env = {}, main = MAIN } = options;
    const watch = new ProcessWatch(args, cwd, env);
    this.child = spawn(process.execPath, [...watch.nodeArgs, main, ...args], {
      cwd,
      env: { PATH, ...(DATABASE_DRIVER ? { DATABASE_DRIVER } : {}), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr!.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    watch.follow(this.child);
    this.ended = once(this.child, 'close').then(async ([code]) => {
      await watch.verdict();
      return code as number | null;
    });
  }

  readonly child: ChildProcess;

  /** Waits for its own end. Rejects when it told a secret. */
  async finished(): Promise<Finished> {
    const code = await this.ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  /** The address it printed, once it listens. Rejects when it ends before that. */
  async address(): Promise<string> {
    for (;;) {
      const match = /Server started at (http\S+)/.exec(this.stdout);
      if (match) return match[1]!;
      if (this.child.exitCode !== null) throw new Error(`It ended with ${this.child.exitCode}: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    if (this.child.exitCode === null) this.child.kill(signal);
    return this.finished();
  }
}
