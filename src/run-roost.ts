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
  quietenLibraries();
  outliveReaders();
  if (await supervised(options)) return;
  const environment = processEnvironment({ withArguments: true });
  const local = ownLink(environment.env);
  let app: NestFastifyApplication | undefined;
  try {
    const link = await clusterLinkOf({ ...environment, overrides: options.config }, local);
    const created = await assembleRoost(options, { ...environment, link });
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
    // Nothing that was started may keep a failed process alive.
    process.exit();
  }
}

/** Whoever reads the output may have seen enough and go away (`| head`), which is no reason to end. */
function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Ends the application, once; whoever cannot wait for that asks again. */
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
    // A terminal tells all processes at once, and the parent passes it on.
    process.on('SIGINT', () => undefined);
  } else process.on('SIGINT', () => stop(SIGNAL_CODES.SIGINT));
}

/** A corrupt database ends the process: whatever it went on to do would make things worse (OPS-198). */
function endOnDamage(app: NestFastifyApplication, link: InstanceLink): void {
  app.get(Database).watch.onDamage((error) => {
    report(new StartError(`The database is damaged: ${error.message}`));
    if (link instanceof WorkerLink) link.damaged();
    void app.close().finally(() => process.exit(1));
  });
}
