import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Inject, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { CronsService } from '../crons/crons.service.js';
import { BACKLOG } from '../http/adapter/connections.js';
import { StreamInterest } from '../events/stream-interest.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import type { Clock } from '../kernel/clock.js';
import { formatBanner, formatInvitation } from './banner.js';
import { Command, CommandRunner } from './commands.js';
import { limitHeapGrowth } from './heap-growth.js';
import { Opens } from './opens.decorator.js';
import { PeerCheck } from './peer-check.js';
import { ServingPreparation } from './serving-preparation.js';
import { Startup } from './startup.js';
import { TlsListener } from './tls-listener.js';
import { SetupService } from '../auth/superusers/setup.service.js';

@Command({ name: 'serve', description: 'Starts the web server.' })
@Opens('serving')
export class ServeCommand extends CommandRunner {
  private readonly logger = new Logger('Serve');

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly startup: Startup,
    private readonly preparation: ServingPreparation,
    private readonly setup: SetupService,
    private readonly crons: CronsService,
    private readonly tls: TlsListener,
    private readonly peers: PeerCheck,
    private readonly interest: StreamInterest,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {
    super();
  }

  async run(): Promise<void> {
    const isFirst = !(await this.peers.requireEqual()) && !this.link.isJoining;
    const address = await this.listen();
    this.startup.serving = true;
    limitHeapGrowth();
    if (this.config.dev && !this.link.isJoining) {
      process.stderr.write('Development mode: logs hold sensitive data. Do not use --dev in production.\n');
    }
    if (!this.link.isJoining) {
      await this.preparation.warnOfMissingMigrations();
      process.stdout.write(formatBanner(address, this.clock.now()));
      // A new link invalidates the one before.
      if (isFirst) await this.invite(address);
    }
    // Jobs run in one process; another one takes over when that ends.
    this.link.onLead(() => this.crons.mount());
    this.link.ready();
    await this.interest.learn();
  }

  private async listen(): Promise<string> {
    const { http, https } = this.config;
    const fastify = this.adapterHost.httpAdapter.getInstance();
    if (https === null) {
      this.tls.ignoreReload();
      return reachable(http, () => fastify.listen(listenOptions(http)));
    }
    await this.tls.secure(fastify.server as unknown as HttpsServer);
    const address = await reachable(https, () => fastify.listen(listenOptions(https)));
    const secure = fastify.server.address() as AddressInfo;
    await reachable(http, () => this.tls.redirect(listenOptions(http), secure));
    return address;
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

/** Listens, or throws a StartError that names the address. */
async function reachable<T>(address: string, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartError(`The address ${address} is in use.`, { cause: error });
    }
    throw new StartError(`Cannot listen on ${address}: ${(error as Error).message}`, { cause: error });
  }
}

function listenOptions(address: string): { host: string; port: number; backlog: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host: host === '' ? '::' : host, port: Number(address.slice(colon + 1)), backlog: BACKLOG };
}
