import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { assembleRoost } from './assemble-roost.js';
import { Startup } from './cli/startup.js';
import { CronsService } from './crons/crons.service.js';
import type { RoostOptions } from './roost-options.js';
import { processEnvironment } from './this-process.js';

/**
 * Creates the application without starting it, for a bootstrap of your own: no file is touched before `app.listen()`,
 * which does what `serve` does: it opens the data directory, applies migrations, and starts the jobs. Reads the
 * environment but no arguments. Throws when the configuration is wrong. Signals are yours to handle
 * (`app.enableShutdownHooks()`).
 */
export async function createRoost(options: RoostOptions = {}): Promise<NestFastifyApplication> {
  const { app } = await assembleRoost(options, processEnvironment());
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onReady', () => app.get(Startup).prepare('serving'));
  fastify.addHook('onListen', async () => app.get(CronsService, { strict: false }).mount());
  return app;
}
