import { ConsoleLogger, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { normalizeIp } from '../http/client-ip.js';
import type { RoostRequest } from '../http/roost-request.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { SettingsService } from '../settings/settings.service.js';
import { LOG_LEVELS, type NewLogEntry } from './log-entry.js';
import { LogsService } from './logs.service.js';
import { decoded, redactText, redactUrl, shortened } from './redact.js';

const MOST_URL = 3_000;
const MOST_TEXT = 2_000;

/** Paths of which only failures are worth an entry (OPS-86). */
const QUIET = /^\/(?:api\/(?:logs|oauth2-redirect)|_)(?:[/?]|$)/;
/** The stream itself is quiet; what a client subscribes to is not (RT-25). */
const STREAM = /^\/api\/realtime(?:[/?]|$)/;

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
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.console = config.dev ? new ConsoleLogger('Request', { prefix: 'Roost' }) : undefined;
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.addHook('onResponse', (request, reply, done) => {
      this.add(request, reply);
      done();
    });
  }

  private add(request: RoostRequest, reply: FastifyReply): void {
    const failed = reply.statusCode >= 400;
    const level = failed ? LOG_LEVELS.error : LOG_LEVELS.info;
    const isWanted = this.logs.accepts(level) && !(request.method === 'OPTIONS' || (!failed && isQuiet(request)));
    if (!isWanted && !this.console) return;
    const entry = this.entry(request, reply, level);
    if (isWanted) this.logs.add(entry);
    const line = `${entry.message} ${reply.statusCode} ${reply.elapsedTime.toFixed(1)} ms`;
    if (failed) this.console?.error(line);
    else this.console?.log(line);
  }

  private entry(request: RoostRequest, reply: FastifyReply, level: number): NewLogEntry {
    const { logIP, logAuthId } = this.settings.get().logs;
    const { method, headers, caller, failure, logMeta } = request;
    const url = redactUrl(request.url);
    const { auth } = caller;
    const data: Record<string, unknown> = {
      type: 'request',
      url: shortened(url, MOST_URL),
      method,
      status: reply.statusCode,
      execTime: reply.elapsedTime,
      referer: shortened(redactUrl(headers.referer ?? ''), MOST_TEXT),
      userAgent: shortened(headers['user-agent'] ?? '', MOST_TEXT),
      auth: auth?.collection.name ?? '',
    };
    if (logAuthId && auth) data['authId'] = auth.id;
    if (logIP) {
      const remoteIP = normalizeIp(request.socket.remoteAddress ?? '') ?? '';
      data['userIP'] = caller.ip || remoteIP;
      data['remoteIP'] = remoteIP;
    }
    if (failure && reply.statusCode >= 400) {
      data['error'] = redactText(shortened(failure.message, MOST_TEXT));
      data['details'] = failure instanceof ApiError ? failure.data : {};
    }
    if (logMeta) data['meta'] = logMeta;
    return { level, message: shortened(`${method} ${decoded(url)}`, MOST_URL), data };
  }
}

function isQuiet({ method, url, isStatic }: RoostRequest): boolean {
  return isStatic || QUIET.test(url) || (method === 'GET' && STREAM.test(url));
}
