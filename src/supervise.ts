import { availableParallelism } from 'node:os';
import { type ConfigSources, readConfig } from './config/read-config.js';
import type { RoostConfig } from './config/roost-config.js';
import { DataDirectory } from './database/data-directory.js';
import { DataDirLock } from './database/sqlite/data-dir-lock.js';
import { sqliteDriver } from './database/sqlite/sqlite-dialect.js';
import { MemoryEphemeralStore } from './ephemeral/memory-ephemeral-store.js';
import { ephemeralAnswers } from './ephemeral/remote-ephemeral-store.js';
import { isWorker } from './instances/own-link.js';
import { Supervisor } from './instances/supervisor.js';
import { exitCode, processEnvironment, report } from './this-process.js';
import type { RoostEnvironment, RoostOptions } from './roost-options.js';
import { MemoryRateLimitStore } from './rate-limits/memory-rate-limit-store.js';
import { rateLimitAnswers } from './rate-limits/remote-rate-limit-store.js';

/** Milliseconds beyond those that workers have to end by themselves. */
const LAST_STEPS = 2_000;

/** A clock that is never set back. */
const CLOCK = { now: () => performance.now() };

interface ParentOptions {
  readonly config: RoostConfig;
  readonly workers: number;
}

/**
 * Serves with several processes when that was configured (SCALE-30): this process becomes their parent and ends with
 * them. False when it has to do the work itself. Little code is loaded for it, because a parent only passes messages
 * on.
 */
export async function supervised({ config: overrides }: Pick<RoostOptions, 'config'> = {}): Promise<boolean> {
  const environment = processEnvironment({ withArguments: true });
  const parent = isWorker(environment.env) ? undefined : parentOptions({ ...environment, overrides });
  if (!parent) return false;
  try {
    process.exit(await serve(parent, environment));
  } catch (error) {
    report(error);
    process.exit(exitCode(error));
  }
}

/** The configuration of a parent; undefined also when it is wrong, which the usual start then reports. */
function parentOptions(sources: ConfigSources): ParentOptions | undefined {
  try {
    const { config, args } = readConfig(sources);
    const workers = config.workers === 'auto' ? availableParallelism() : config.workers;
    return args[0] === 'serve' && args.length === 1 && workers > 1 ? { config, workers } : undefined;
  } catch {
    return undefined;
  }
}

async function serve({ config, workers }: ParentOptions, { program, argv }: RoostEnvironment): Promise<number> {
  // Where the data are elsewhere, each worker enters the directory by itself.
  const lock = config.databaseUrl === null ? lockOf(config) : undefined;
  await lock?.acquire();
  const supervisor = new Supervisor({
    workers,
    program,
    args: argv,
    shutdownTimeout: config.shutdownTimeout * 1000 + LAST_STEPS,
    requests: {
      ...ephemeralAnswers(new MemoryEphemeralStore(CLOCK)),
      ...rateLimitAnswers(new MemoryRateLimitStore(CLOCK)),
    },
    warn: (line) => process.stderr.write(`${line}\n`),
    onReady: () => process.stdout.write(`${workers} workers serve.\n`),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => supervisor.stop());
  process.on('SIGHUP', () => supervisor.reloadCertificates());
  try {
    return await supervisor.run();
  } finally {
    await lock?.release();
  }
}

function lockOf(config: RoostConfig): DataDirLock {
  return new DataDirLock(new DataDirectory(config.dir), sqliteDriver(config.databaseDriver), config);
}
