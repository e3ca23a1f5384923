import { ConsoleLogger } from '@nestjs/common';

/** What the process says on its console: warnings and errors, and in development everything. */
export class ProcessLogger extends ConsoleLogger {
  constructor(dev: boolean) {
    super({
      prefix: 'Roost',
      logLevels: dev ? ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'] : ['warn', 'error', 'fatal'],
    });
  }
}
