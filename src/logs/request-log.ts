import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { printableLine } from '../kernel/printable-text.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import type { BrokenRequest } from '../http/adapter/unrouted-requests.js';
import { SettingsService } from '../settings/settings.service.js';
import { LOG_LEVELS } from './log-entry.js';
import { LogWriter } from './log-writer.js';
import { LogsService } from './logs.service.js';
import { ProcessConsole } from './process-console.js';
import { RequestEntry } from './request-entry.js';

/** The usual status in logs of web servers for a client that disconnected; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** Paths of which only failures are worth an entry (OPS-86). */
const QUIET = /^\/(?:api\/(?:logs|oauth2-redirect|realtime)|_)(?:[/?]|$)/;
/** The stream itself is quiet; what a client subscribes to is not (RT-25). */
const STREAM = '/api/realtime';

/**
 * Logs each request (OPS-84). It listens for the end of the response, because interceptors never see a request that a
 * guard refused, and so that no client waits for it.
 */
@Injectable()
export class RequestLog implements OnModuleInit {
  private readonly console: ProcessConsole | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly logs: LogsService,
    private readonly writer: LogWriter,
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.console = config.dev ? new ProcessConsole({ dev: true, context: 'Request' }) : undefined;
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.connections.onSent((request, reply, end) => this.add(request, reply, end));
    fastify.connections.onAbort((request, reply, end) => this.addAborted(request, reply, end));
    fastify.unrouted = {
      refused: (request, reply) => this.add(request, reply, performance.now()),
      broken: (request) => this.addBroken(request),
    };
  }

  /** The client went away: before the answer, or in the middle of it. */
  private addAborted(request: RoostRequest, reply: FastifyReply, end: number): void {
    if (!reply.raw.headersSent) {
      request.failure ??= new Error('The connection was closed before the request was answered.');
      void reply.code(CLIENT_CLOSED_REQUEST);
    }
    this.add(request, reply, end);
  }

  private addBroken(request: BrokenRequest): void {
    const isWanted = this.logs.accepts(LOG_LEVELS.error);
    if (!isWanted && !this.console) return;
    const entry = RequestEntry.ofBroken(request, LOG_LEVELS.error, this.settings.get().logs);
    if (isWanted) this.writer.add(entry);
    this.console?.error(`${printableLine(entry.message)} ${request.status}`);
  }

  private add(request: RoostRequest, reply: FastifyReply, end: number): void {
    const { statusCode: status } = reply;
    const failed = status >= 400;
    const level = failed ? LOG_LEVELS.error : LOG_LEVELS.info;
    // `request.url` is changed by middleware that is bound to a path.
    const url = request.originalUrl;
    const isWanted = this.logs.accepts(level) && request.method !== 'OPTIONS' && (failed || !isQuiet(request, url));
    if (!isWanted && !this.console) return;
    const execTime = end - request.startedAt;
    const entry = RequestEntry.of(request, { level, url, status, execTime }, this.settings.get().logs);
    if (isWanted) this.writer.add(entry, end);
    if (this.console) {
      const line = `${printableLine(entry.message)} ${status} ${execTime.toFixed(1)} ms`;
      if (failed) this.console.error(line);
      else this.console.log(line);
    }
  }
}

function isQuiet({ method, isStatic }: RoostRequest, url: string): boolean {
  return isStatic || (QUIET.test(url) && (method !== 'POST' || !url.startsWith(STREAM)));
}
