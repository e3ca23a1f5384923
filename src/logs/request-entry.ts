import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { normalizeIp } from '../http/client-ip.js';
import type { RoostRequest } from '../http/roost-request.js';
import type { BrokenRequest } from '../http/unrouted-requests.js';
import { ApiError } from '../kernel/errors/api-error.js';
import type { Settings } from '../settings/settings.js';
import { LOG_LEVELS, type NewLogEntry } from './log-entry.js';
import { decoded, redactText, redactUrl, shortened } from './redact.js';

const MOST_URL = 3_000;
const MOST_TEXT = 2_000;

/** Characters of a text that may stay with an entry nobody uses. */
const MOST_KEPT = 200;

/**
 * The entry of one answered request (OPS-85). It takes from the request what it needs, so that the request itself is
 * free, and puts that into words only when somebody wants them: most of the work is done outside of the request.
 */
export class RequestEntry implements NewLogEntry {
  level: number = LOG_LEVELS.info;
  /** Milliseconds. */
  execTime = 0;
  private method = '';
  private rawUrl = '';
  private referer: string | undefined;
  private userAgent: string | undefined;
  private status = 0;
  private auth = '';
  private authId: string | undefined;
  private userIP: string | undefined;
  private remoteIP: string | undefined;
  private failure: Error | null = null;
  private meta: RoostRequest['logMeta'] = null;

  /** Becomes the entry of this request. */
  take(level: number, request: RoostRequest, reply: FastifyReply, { logIP, logAuthId }: Settings['logs']): void {
    const { headers, caller } = request;
    this.level = level;
    this.method = request.method;
    // Middleware that is bound to a path sees, and leaves, only the rest of the address.
    const url = request.originalUrl;
    const { referer, 'user-agent': userAgent } = headers;
    const userIP = logIP ? caller.ip : undefined;
    const remoteIP = logIP ? (request.socket as Socket | null)?.remoteAddress : undefined;
    // The same text is kept as it is: a new one would have to be moved about by the garbage collector.
    if (this.rawUrl !== url) this.rawUrl = url;
    if (this.referer !== referer) this.referer = referer;
    if (this.userAgent !== userAgent) this.userAgent = userAgent;
    if (this.userIP !== userIP) this.userIP = userIP;
    if (this.remoteIP !== remoteIP) this.remoteIP = remoteIP;
    this.status = reply.statusCode;
    this.execTime = performance.now() - request.startedAt;
    this.auth = caller.auth?.collection.name ?? '';
    this.authId = logAuthId ? caller.auth?.id : undefined;
    this.failure = request.failure;
    this.meta = request.logMeta;
  }

  /** Lets go of what may be large. Short texts stay: the next request may well have the same. */
  clear(): void {
    if (this.rawUrl.length > MOST_KEPT) this.rawUrl = '';
    if ((this.referer?.length ?? 0) > MOST_KEPT) this.referer = undefined;
    if ((this.userAgent?.length ?? 0) > MOST_KEPT) this.userAgent = undefined;
    this.failure = null;
    this.meta = null;
  }

  get message(): string {
    return shortened(`${this.method} ${decoded(redactUrl(this.rawUrl))}`, MOST_URL);
  }

  get data(): Record<string, unknown> {
    const data: Record<string, unknown> = {
      type: 'request',
      url: shortened(redactUrl(this.rawUrl), MOST_URL),
      method: this.method,
      status: this.status,
      execTime: this.execTime,
      referer: shortened(redactUrl(this.referer ?? ''), MOST_TEXT),
      userAgent: shortened(this.userAgent ?? '', MOST_TEXT),
      auth: this.auth,
    };
    if (this.authId !== undefined) data['authId'] = this.authId;
    if (this.userIP !== undefined) {
      const remoteIP = normalizeIp(this.remoteIP ?? '') ?? '';
      data['userIP'] = this.userIP || remoteIP;
      data['remoteIP'] = remoteIP;
    }
    if (this.failure && this.status >= 400) {
      data['error'] = redactText(shortened(this.failure.message, MOST_TEXT));
      data['details'] = this.failure instanceof ApiError ? this.failure.data : {};
    }
    if (this.meta) data['meta'] = this.meta;
    return data;
  }
}

/** The entry of something that never became a request: what could be read of it, in the same form. */
export function brokenRequestEntry(
  { method, url: rawUrl, failure, status, remoteAddress }: BrokenRequest,
  { logIP }: Settings['logs'],
): NewLogEntry {
  const url = redactUrl(rawUrl);
  const ip = normalizeIp(remoteAddress) ?? '';
  return {
    level: LOG_LEVELS.error,
    message: shortened(`${method} ${decoded(url)}`, MOST_URL),
    data: {
      type: 'request',
      url: shortened(url, MOST_URL),
      method,
      status,
      execTime: 0,
      referer: '',
      userAgent: '',
      auth: '',
      ...(logIP && { userIP: ip, remoteIP: ip }),
      error: failure.message,
      details: {},
    },
  };
}
