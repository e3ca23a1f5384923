import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program of `test/database/programs`, compiled from source so that it can run as a process of its own. */
export class SourceProgram {
  private constructor(
    private readonly output: string,
    private readonly script: string,
  ) {}

  static async compile(name: string): Promise<SourceProgram> {
    // Inside node_modules, so that the program finds its packages.
    const output = await mkdtemp(join(ROOT, 'node_modules', '.test-program-'));
    const entry = join(ROOT, 'test/database/programs', name);
    await build({
      root: ROOT,
      configFile: false,
      logLevel: 'error',
      build: { ssr: entry, outDir: output, minify: false, rollupOptions: { output: { entryFileNames: '[name].mjs' } } },
    });
    const neighbour = 'killable-process.mjs';
    await copyFile(join(ROOT, 'src/database/sqlite', neighbour), join(output, neighbour));
    return new SourceProgram(output, join(output, `${basename(name, '.ts')}.mjs`));
  }

  start(...args: readonly string[]): RunningProgram {
    return new RunningProgram(spawn(process.execPath, [this.script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  async remove(): Promise<void> {
    await rm(this.output, { recursive: true, force: true });
  }
}

/** A process and what it has printed so far. */
export class RunningProgram {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown>;

  constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.closed = once(child, 'close');
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with the exit code when it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  /** Ends it without a chance to clean up. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.closed;
  }
}
