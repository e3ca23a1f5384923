import { readFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';

/** Certificates for `--https`, read again on SIGHUP, and the plain listener that leads there. */
@Injectable()
export class TlsListener implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Tls');
  private redirecting: HttpServer | undefined;
  private stopReloading: (() => void) | undefined;

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** Gives the server its certificate, now and whenever SIGHUP says that it was renewed. Throws a StartError. */
  async secure(server: HttpsServer): Promise<void> {
    try {
      await this.load(server);
    } catch (error) {
      throw new StartError(`The certificate cannot be used: ${(error as Error).message}`, { cause: error });
    }
    const reload = () => {
      this.load(server).then(
        () => this.logger.log('The certificate was read again.'),
        (error: unknown) => this.logger.error(`The certificate stays as it is: ${String(error)}`),
      );
    };
    process.on('SIGHUP', reload);
    this.stopReloading = () => process.off('SIGHUP', reload);
  }

  /** Answers everything at an address with the way to the secure one. */
  async redirect(address: ListenOptions, secure: AddressInfo): Promise<void> {
    const port = secure.port === 443 ? '' : `:${secure.port}`;
    this.redirecting = createServer((request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      const isHost = /^(?:[\w.-]+|\[[0-9a-f:.]+\])$/i.test(host);
      if (!isHost || !request.url?.startsWith('/')) return void response.writeHead(400).end();
      response.writeHead(308, { location: `https://${host}${port}${request.url}`, connection: 'close' }).end();
    });
    const server = this.redirecting;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, resolve);
    });
  }

  beforeApplicationShutdown(): void {
    this.stopReloading?.();
    this.redirecting?.close();
    this.redirecting?.closeAllConnections();
  }

  private async load(server: HttpsServer): Promise<void> {
    const [cert, key] = await Promise.all([readFile(this.config.tlsCert!), readFile(this.config.tlsKey!)]);
    server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  }
}
