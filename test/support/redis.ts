import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of this test's own, on loopback and without files that outlive it. Debian's package `redis-server`. */
export class Redis {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
    readonly port: number,
  ) {}

  readonly host = '127.0.0.1';

  /** Rejects when there is no `redis-server` on this machine. */
  static async start(port: number): Promise<Redis> {
    const dir = mkdtempSync(join(tmpdir(), 'roost-redis-'));
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
    const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child, 'spawn');
    for await (const text of child.stdout!) if (String(text).includes('Ready to accept connections')) break;
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}.`);
    return new Redis(child, dir, port);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
