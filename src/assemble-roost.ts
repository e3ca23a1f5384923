import 'reflect-metadata';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CommandRunnerModule } from './cli/command-runner.module.js';
import { requireOneCopy } from './config/one-copy.js';
import { type ConfigReading, readConfig } from './config/read-config.js';
import type { RoostConfig } from './config/roost-config.js';
import { createAdapter } from './http/adapter/fastify-adapter.js';
import type { RoostAdapter } from './http/adapter/roost-adapter.js';
import { ApplicationLog } from './logs/application-log.js';
import { ProcessLogger } from './logs/process-logger.js';
import type { RoostEnvironment, RoostOptions } from './roost-options.js';
import { RoostModule } from './roost.module.js';

/** An application that is not started: no file was touched and nothing listens. */
export interface AssembledRoost {
  readonly app: NestFastifyApplication;
  readonly config: RoostConfig;
  /** The arguments that name the command. */
  readonly args: readonly string[];
}

/** Puts the container together; tests override providers of it. */
export type MakeApplication = (
  root: DynamicModule,
  adapter: RoostAdapter,
  options: NestApplicationOptions,
) => Promise<NestFastifyApplication>;

/**
 * Builds the application and initialises its modules, without opening the data directory.
 * Throws a UsageError or a StartError when the configuration is wrong.
 */
export async function assembleRoost(
  options: RoostOptions,
  environment: RoostEnvironment,
  make: MakeApplication = (root, adapter, nestOptions) => NestFactory.create(root, adapter, nestOptions),
): Promise<AssembledRoost> {
  requireOneCopy(environment.program);
  const { config, args }: ConfigReading = readConfig({ ...environment, overrides: options.config });
  const root = CommandRunnerModule.forModule(RoostModule.forRoot(config, options, environment.link));
  const isServer = args.length === 0 || args[0] === 'serve';
  const logger = new ProcessLogger({ dev: config.dev, talk: isServer ? 'stdout' : 'stderr' });
  const adapter = createAdapter(config);
  const app = await make(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger,
  });
  // Nest's own `useLogger` would bypass the log. It is defined as a property, because an assignment does not reach the
  // application behind Nest's proxy.
  const useLogger: NestFastifyApplication['useLogger'] = (outlet) => logger.showOn(outlet);
  Object.defineProperty(app, 'useLogger', { value: useLogger, configurable: true, writable: true });
  adapter.collisions.watch(app.get(ModulesContainer, { strict: false }));
  await options.configureApp?.(app);
  await app.init();
  // Messages of the container while it was put together are not stored.
  app.get(ApplicationLog, { strict: false }).follow(logger);
  return { app, config, args };
}
