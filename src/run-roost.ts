import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { assembleRoost } from './assemble-roost.js';
import { CommandLine } from './cli/command-line.js';
import { Startup } from './cli/startup.js';
import { StartError } from './config/start.error.js';
import { UsageError } from './config/usage.error.js';
import { Database } from './database/database.js';
import { ValidationError } from './kernel/errors/validation.error.js';
import { timerLength } from './kernel/timer-length.js';
import { FileRemovals } from './storage/file-removals.js';
import type { RoostEnvironment, RoostOptions } from './roost-options.js';

/**
 * Milliseconds for what stands behind the requests, once those that took too long are cut off: the log and the last
 * hooks of modules. A job or a transaction that still does not end is cut off with the process.
 */
const LAST_STEPS = 1_000;
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The whole program: reads configuration and command from the process, runs the command, and sets the exit code
 * (OPS-163). `serve` keeps the process alive until it is told to stop.
 */
export async function runRoost(options: RoostOptions = {}): Promise<void> {
  // The S3 client says at every start that it will want a newer Node some day.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  outliveReaders();
  let app: NestFastifyApplication | undefined;
  try {
    const created = await assembleRoost(options, processEnvironment(process.argv.slice(2)));
    app = created.app;
    stopOnSignals(app, created.config.shutdownTimeout * 1000);
    endOnDamage(app);
    await app.get(CommandLine).run(created.args);
    if (!app.get(Startup).serving) await app.close();
  } catch (error) {
    report(error);
    process.exitCode = exitCode(error);
    await app?.close();
    // Nothing that was started may keep a failed process alive.
    process.exit();
  }
}

/** What this process was given. Its arguments are for whoever runs commands. */
export function processEnvironment(argv: readonly string[] = []): RoostEnvironment {
  return { argv, env: process.env, cwd: process.cwd(), program: process.argv[1] };
}

/** Whoever reads the output may have seen enough and go away (`| head`), which is no reason to end. */
function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

function stopOnSignals(app: NestFastifyApplication, timeout: number): void {
  let stopping = false;
  for (const signal of Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[]) {
    process.on(signal, () => {
      if (stopping) process.exit(SIGNAL_CODES[signal]);
      stopping = true;
      setTimeout(() => {
        app.getHttpAdapter().getInstance().connections.cutOff();
        setTimeout(() => process.exit(0), LAST_STEPS).unref();
      }, timerLength(timeout)).unref();
      app.get(FileRemovals, { strict: false }).leaveRest();
      app.close().then(
        () => process.exit(0),
        (error: unknown) => {
          report(error);
          process.exit(0);
        },
      );
    });
  }
}

/** A corrupt database ends the process: whatever it went on to do would make things worse (OPS-198). */
function endOnDamage(app: NestFastifyApplication): void {
  app.get(Database).watch.onDamage((error) => {
    report(new StartError(`The database is damaged: ${error.message}`));
    void app.close().finally(() => process.exit(1));
  });
}

function exitCode(error: unknown): number {
  return error instanceof UsageError || error instanceof StartError ? error.exitCode : 1;
}

function report(error: unknown): void {
  process.stderr.write(`Error: ${messageOf(error)}\n`);
  if (process.argv.includes('--dev') && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
}

function messageOf(error: unknown): string {
  if (error instanceof ValidationError) return error.toLine();
  return error instanceof Error ? error.message : String(error);
}
