import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** A Redis of this test's own, on loopback and without files that outlive it. Debian's package `redis-server`. */
export class Redis {
  private constructor(
    private child: ChildProcess,
    private readonly dir: string,
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  readonly host = '127.0.0.1';

  /** Rejects when there is no `redis-server` on this machine. `options`: as they stand on its command line. */
  static async start(port?: number, options: readonly string[] = []): Promise<Redis> {
    const dir = mkdtempSync(join(tmpdir(), 'roost-redis-'));
    const place = port ?? (await freePort());
    return new Redis(await launch(place, dir, options), dir, place, options);
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  /** Ends it as a crash would. */
  async crash(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Starts it again, empty. */
  async restart(): Promise<void> {
    this.child = await launch(this.port, this.dir, this.options);
  }

  /** It takes no notice of anything from now on, and its connections stay open. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    if (this.child.exitCode === null && this.child.signalCode === null) await this.end('SIGTERM');
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

async function launch(port: number, dir: string, options: readonly string[]): Promise<ChildProcess> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const child = spawn('redis-server', [...own, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (text: Buffer) => {
      said.push(String(text));
      if (said.join('').includes('Ready to accept connections')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}.\n${said.join('')}`)));
  });
  return child;
}
