import { setFlagsFromString } from 'node:v8';
import { Inject, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Command, CommandRunner } from 'nest-commander';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { CronsService } from '../crons/crons.service.js';
import type { Clock } from '../kernel/clock.js';
import { formatBanner, formatInvitation } from './banner.js';
import { Startup } from './startup.js';
import { SetupService } from '../auth/superusers/setup.service.js';

@Command({ name: 'serve', description: 'Starts the web server.' })
export class ServeCommand extends CommandRunner {
  private readonly logger = new Logger('Serve');

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly startup: Startup,
    private readonly setup: SetupService,
    private readonly crons: CronsService,
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
    // Requests are served faster with a young generation that may grow; see main.ts.
    setFlagsFromString('--semi-space-growth-factor=2');
    if (this.config.dev) {
      process.stderr.write('Development mode: logs hold sensitive data. Do not use --dev in production.\n');
    }
    process.stdout.write(formatBanner(address, this.clock.now()));
    await this.invite(address);
    this.crons.mount();
  }

  /** As long as there is no superuser: how to create the first one. A failure here must not stop the server. */
  private async invite(address: string): Promise<void> {
    try {
      const token = await this.setup.invite();
      if (token !== undefined) process.stdout.write(formatInvitation(address, token));
    } catch (error) {
      this.logger.error(`The setup link could not be made: ${String(error)}`);
    }
  }
}

function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host: host === '' ? '::' : host, port: Number(address.slice(colon + 1)) };
}
