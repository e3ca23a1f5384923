import { ConsoleLogger, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import type { RoostRequest } from '../http/roost-request.js';
import type { BrokenRequest } from '../http/unrouted-requests.js';
import { SettingsService } from '../settings/settings.service.js';
import { LOG_LEVELS } from './log-entry.js';
import { LogsService } from './logs.service.js';
import { RequestEntries } from './request-entries.js';
import { brokenRequestEntry } from './request-entry.js';

/** Nobody gets this status; logs of web servers have used it for long. */
const CLIENT_CLOSED_REQUEST = 499;

/** Paths of which only failures are worth an entry (OPS-86). */
const QUIET = /^\/(?:api\/(?:logs|oauth2-redirect|realtime)|_)(?:[/?]|$)/;
/** The stream itself is quiet; what a client subscribes to is not (RT-25). */
const STREAM = '/api/realtime';

/**
 * Writes one entry for each request (OPS-84). It hangs on the end of the response, because interceptors never see a
 * request that a guard refused, and so that no client waits for it.
 */
@Injectable()
export class RequestLog implements OnModuleInit {
  private readonly console: ConsoleLogger | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly logs: LogsService,
    private readonly entries: RequestEntries,
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.console = config.dev ? new ConsoleLogger('Request', { prefix: 'Roost' }) : undefined;
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.connections.onSent((request, reply) => this.add(request, reply));
    fastify.connections.onAbort((request, reply) => this.addAborted(request, reply));
    fastify.unrouted = {
      refused: (request, reply) => this.add(request, reply),
      broken: (request) => this.addBroken(request),
    };
  }

  /** The client went away: before the answer, or in the middle of it. */
  private addAborted(request: RoostRequest, reply: FastifyReply): void {
    if (!reply.raw.headersSent) {
      request.failure ??= new Error('The connection was closed before the request was answered.');
      void reply.code(CLIENT_CLOSED_REQUEST);
    }
    this.add(request, reply);
  }

  private addBroken(request: BrokenRequest): void {
    if (!this.logs.accepts(LOG_LEVELS.error) && !this.console) return;
    const entry = brokenRequestEntry(request, this.settings.get().logs);
    this.logs.add(entry);
    this.console?.error(`${entry.message} ${request.status}`);
  }

  private add(request: RoostRequest, reply: FastifyReply): void {
    const failed = reply.statusCode >= 400;
    const level = failed ? LOG_LEVELS.error : LOG_LEVELS.info;
    const isWanted = this.logs.accepts(level) && !(request.method === 'OPTIONS' || (!failed && isQuiet(request)));
    if (!isWanted && !this.console) return;
    const entry = this.entries.of(level, request, reply, this.settings.get().logs);
    if (this.console) {
      const line = `${entry.message} ${reply.statusCode} ${entry.execTime.toFixed(1)} ms`;
      if (failed) this.console.error(line);
      else this.console.log(line);
    }
    if (isWanted) this.logs.add(entry);
    else this.entries.giveBack(entry);
  }
}

function isQuiet({ method, originalUrl: url, isStatic }: RoostRequest): boolean {
  return isStatic || (QUIET.test(url) && (method !== 'POST' || !url.startsWith(STREAM)));
}
