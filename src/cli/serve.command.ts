import { Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Command, CommandRunner } from 'nest-commander';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import type { Clock } from '../kernel/clock.js';
import { formatBanner } from './banner.js';
import { Startup } from './startup.js';

@Command({ name: 'serve', description: 'Starts the web server.' })
export class ServeCommand extends CommandRunner {
  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly startup: Startup,
  ) {
    super();
  }

  async run(): Promise<void> {
    const { host, port } = splitAddress(this.config.http);
    const fastify = this.adapterHost.httpAdapter.getInstance();
    let address: string;
    try {
      address = await fastify.listen({ host, port });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
        throw new StartError(`The address ${this.config.http} is in use.`, { cause: error });
      }
      throw new StartError(`Cannot listen on ${this.config.http}: ${(error as Error).message}`, { cause: error });
    }
    this.startup.serving = true;
    if (this.config.dev) {
      process.stderr.write('Development mode: logs hold sensitive data. Do not use --dev in production.\n');
    }
    process.stdout.write(formatBanner(address, this.clock.now()));
  }
}

function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host: host === '' ? '::' : host, port: Number(address.slice(colon + 1)) };
}
