import { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { assembleRoost } from '../../src/assemble-roost.js';
import { CommandLine } from '../../src/cli/command-line.js';
import { Startup } from '../../src/cli/startup.js';
import { exitCode, report } from '../../src/this-process.js';
import type { Finished } from '../support/roost-process.js';
import { ProcessWatch } from '../support/secrets/watch-process.js';
import { workspace } from './workspace.js';

/**
 * Runs a command in this process, and is watched for secrets like one that has a process of its own (`start`), most of
 * whose time goes into loading the program. For what a command does and says; not beside an application of this
 * process, not with paths that begin at the working directory other than flags of the configuration, and not where
 * locks, signals or the end of the process are what is asked.
 */
export async function command(
  args: readonly string[],
  cwd: string = workspace(),
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const watch = new ProcessWatch(args, cwd, env);
  const [stdout, stderr] = [new Output(process.stdout), new Output(process.stderr)];
  watch.follow({ stdout, stderr });
  const { DATABASE_DRIVER } = process.env;
  let code = 0;
  let close: (() => Promise<void>) | undefined;
  try {
    const environment = { argv: args, cwd, env: { ...(DATABASE_DRIVER ? { DATABASE_DRIVER } : {}), ...env } };
    const { app, args: words } = await assembleRoost({ imports: [] }, environment);
    close = () => app.close();
    await app.get(CommandLine).run(words);
    if (app.get(Startup).serving) throw new Error('A command was expected that comes to its end.');
  } catch (error) {
    report(error);
    code = exitCode(error);
  } finally {
    await close?.();
    stdout.restore();
    stderr.restore();
  }
  await watch.verdict();
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Takes what is written to a stream of this process, until it is restored. */
class Output extends EventEmitter {
  text = '';
  private readonly spy;

  constructor(stream: NodeJS.WriteStream) {
    super();
    this.spy = vi.spyOn(stream, 'write').mockImplementation(((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const bytes = Buffer.from(chunk as string);
      this.text += bytes.toString();
      this.emit('data', bytes);
      (rest.find((each) => typeof each === 'function') as (() => void) | undefined)?.();
      return true;
    }) as typeof stream.write);
  }

  restore(): void {
    this.spy.mockRestore();
  }
}
