import { setFlagsFromString } from 'node:v8';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { assembleRoost } from './assemble-roost.js';
import { clusterLinkOf } from './cluster-link-of.js';
import { CommandLine } from './cli/command-line.js';
import { Startup } from './cli/startup.js';
import { StartError } from './config/start.error.js';
import { Database } from './database/database.js';
import type { InstanceLink } from './instances/instance-link.js';
import { ownLink } from './instances/own-link.js';
import { WorkerLink } from './instances/worker-link.js';
import { timerLength } from './kernel/timer-length.js';
import { FileRemovals } from './storage/file-removals.js';
import { exitCode, processEnvironment, quietenLibraries, report } from './this-process.js';
import type { RoostOptions } from './roost-options.js';
import { supervised } from './supervise.js';

/**
 * Milliseconds for the log and the last hooks of modules, after requests that took too long were cut off. A job or a
 * transaction that still runs then ends with the process.
 */
const LAST_STEPS = 1_000;
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The whole program: reads configuration and command from the process, runs the command, and sets the exit code
 * (OPS-163). `serve` keeps the process alive until it is told to stop.
 */
export async function runRoost(options: RoostOptions = {}): Promise<void> {
  quietenLibraries();
  outliveReaders();
  if (await supervised(options)) return;
  const environment = processEnvironment({ withArguments: true });
  const local = ownLink(environment.env);
  let app: NestFastifyApplication | undefined;
  try {
    const link = await clusterLinkOf({ ...environment, overrides: options.config }, local);
    const created = await withoutOptimizing(() => assembleRoost(options, { ...environment, link }));
    app = created.app;
    const stop = stopping(app, link, created.config.shutdownTimeout * 1000);
    stopWhenAsked(stop, local);
    endOnDamage(app, local);
    await app.get(CommandLine).run(created.args);
    if (!app.get(Startup).serving) await app.close();
  } catch (error) {
    report(error);
    process.exitCode = exitCode(error);
    await app?.close();
    // Ends the process even if something that was started is still running.
    process.exit();
  }
}

/**
 * Does what is done once, and quickly. What V8 would optimise of the code that puts the application together is not used
 * again, takes a tenth of a start, and leaves 10 MiB of memory behind.
 */
async function withoutOptimizing<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--no-opt');
  try {
    return await work();
  } finally {
    setFlagsFromString('--opt');
  }
}

/** Ignores a closed output (`| head`), which is no reason to end the process. */
function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Closes the application; a second signal ends the process at once. */
function stopping(app: NestFastifyApplication, link: InstanceLink, timeout: number): (codeForHurry: number) => void {
  let isStopping = false;
  return (codeForHurry) => {
    if (isStopping) process.exit(codeForHurry);
    isStopping = true;
    setTimeout(() => {
      app.getHttpAdapter().getInstance().connections.cutOff();
      setTimeout(() => process.exit(0), LAST_STEPS).unref();
    }, timerLength(timeout)).unref();
    app.get(FileRemovals, { strict: false }).stop();
    const close = async (): Promise<void> => {
      await app.close();
      await link.close();
    };
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        report(error);
        process.exit(0);
      },
    );
  };
}

function stopWhenAsked(stop: (codeForHurry: number) => void, link: InstanceLink): void {
  process.on('SIGTERM', () => stop(SIGNAL_CODES.SIGTERM));
  if (link instanceof WorkerLink) {
    link.onStop(() => stop(0));
    // A terminal signals all processes of the group, and the parent passes the signal on.
    process.on('SIGINT', () => undefined);
  } else process.on('SIGINT', () => stop(SIGNAL_CODES.SIGINT));
}

/** Ends the process when the database is corrupt, because going on would make it worse (OPS-198). */
function endOnDamage(app: NestFastifyApplication, link: InstanceLink): void {
  app.get(Database).watch.onDamage((error) => {
    report(new StartError(`The database is damaged: ${error.message}`));
    if (link instanceof WorkerLink) link.damaged();
    void app.close().finally(() => process.exit(1));
  });
}
