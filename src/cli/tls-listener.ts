import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { answerBrokenRequest } from '../http/adapter/broken-request.js';
import { SECURITY_HEADERS } from '../http/adapter/security-headers.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';

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
    this.onHangUp(reload);
  }

  /**
   * Ignores SIGHUP where there is no certificate to reload: it would end the process, and service managers send it on
   * reload.
   */
  ignoreReload(): void {
    // Not on a terminal, where SIGHUP means that it was closed.
    if (!process.stdout.isTTY) this.onHangUp(() => undefined);
  }

  /** Answers everything at an address with the way to the secure one. */
  async redirect(address: ListenOptions, secure: AddressInfo): Promise<void> {
    const lead = (request: IncomingMessage, response: ServerResponse) => {
      const location = secureAddress(request, secure);
      // The connection stays open, so that a client that sends a large body can read the answer.
      if (location === undefined) refuse(response);
      else response.writeHead(308, { ...SECURITY_HEADERS, location }).end();
    };
    const server = createServer({ requireHostHeader: false }, lead);
    server.on('checkExpectation', lead).on('clientError', answerBrokenRequest);
    this.redirecting = server;
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

  private onHangUp(work: () => void): void {
    process.on('SIGHUP', work);
    this.stopReloading = () => process.off('SIGHUP', work);
  }

  private async load(server: HttpsServer): Promise<void> {
    const [cert, key] = await Promise.all([readFile(this.config.tlsCert!), readFile(this.config.tlsKey!)]);
    server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  }
}

/** Where a request is to go instead; undefined when it names no host, or none that could be a host. */
function secureAddress({ url, headers }: IncomingMessage, { port }: AddressInfo): string | undefined {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isHost = /^(?:[\w.-]+|\[[0-9a-f:.]+\])$/i.test(host);
  return isHost && url?.startsWith('/') ? `https://${host}${port === 443 ? '' : `:${port}`}${url}` : undefined;
}

function refuse(response: ServerResponse): void {
  const failure = new BadRequestError('The request names no host to go to.');
  const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'content-type': 'application/json' };
  response.writeHead(failure.status, headers).end(JSON.stringify(failure.toBody()));
}
