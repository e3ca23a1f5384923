import type { Socket } from 'node:net';
import { normalizeIp } from '../http/request/client-ip.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import type { BrokenRequest } from '../http/adapter/unrouted-requests.js';
import { ApiError } from '../kernel/errors/api-error.js';
import type { Settings } from '../settings/settings.js';
import type { NewLogEntry } from './log-entry.js';
import { errorDetails } from './error-details.js';
import { decoded, detached, keptText, MOST_TEXT, redactText, redactUrl, shortened } from './redact.js';

const MOST_URL = 3_000;

type LogSettings = Pick<Settings['logs'], 'logIP' | 'logAuthId'>;

/** How a request ended. */
interface Outcome {
  readonly level: number;
  readonly url: string;
  readonly status: number;
  /** Milliseconds. */
  readonly execTime: number;
}

/**
 * What is kept of an error. The error itself has the frames of its stack as long as nobody asks for its text, and they
 * keep everything that was worked on, such as a body of 30 MB.
 */
interface Failure {
  readonly message: string;
  readonly details: object;
}

/** What is kept of a request until its entry is written, and nothing more of it. */
interface Details {
  readonly method: string;
  readonly referer?: string | undefined;
  readonly userAgent?: string | undefined;
  /** The name of the collection; '' for guests. */
  readonly auth: string;
  readonly authId?: string | undefined;
  /** Undefined when addresses are not wanted. */
  readonly userIP?: string | undefined;
  readonly remoteIP?: string | undefined;
  readonly failure: Failure | null;
  readonly meta?: Readonly<Record<string, unknown>> | null;
}

/** How an address is shown. */
interface ShownAddress {
  readonly url: string;
  /** Percent-decoded. */
  readonly text: string;
}

/**
 * The entry of a request (OPS-84). It is serialized when it is written, so that no client waits for it. But a long text
 * is cut at once: thousands of entries may wait, each with the whole head of its request (OPS-39).
 */
export class RequestEntry implements NewLogEntry {
  readonly level: number;
  private readonly url: string;
  /** Of a long address. */
  private readonly shown: ShownAddress | undefined;
  private readonly status: number;
  private readonly microseconds: number;
  private readonly method: string;
  private readonly referer: string | undefined;
  private readonly userAgent: string | undefined;
  private readonly auth: string;
  private readonly authId: string | undefined;
  private readonly userIP: string | undefined;
  private readonly remoteIP: string | undefined;
  private readonly failure: Failure | null;
  private readonly meta: Details['meta'];

  /** One object for each of the thousands that wait: as three, an entry cost 4 % of a view more. */
  private constructor({ level, url, status, execTime }: Outcome, details: Details) {
    const isLong = url.length > MOST_URL;
    this.level = level;
    this.url = isLong ? '' : url;
    this.shown = isLong ? detachedAddress(url) : undefined;
    this.status = status;
    this.microseconds = Math.round(execTime * 1_000);
    this.method = details.method;
    this.referer = details.referer;
    this.userAgent = details.userAgent;
    this.auth = details.auth;
    this.authId = details.authId;
    this.userIP = details.userIP;
    this.remoteIP = details.remoteIP;
    this.failure = details.failure;
    this.meta = details.meta;
  }

  static of(request: RoostRequest, outcome: Outcome, settings: LogSettings): RequestEntry {
    const { caller, method, headers } = request;
    const { auth } = caller;
    const { logIP, logAuthId } = settings;
    return new RequestEntry(outcome, {
      method,
      referer: longCut(headers.referer, cutReferer),
      userAgent: longCut(headers['user-agent'], cutText),
      auth: auth === null ? '' : auth.collection.name,
      authId: auth !== null && logAuthId ? auth.id : undefined,
      userIP: logIP ? caller.ip : undefined,
      remoteIP: logIP ? (request.socket as Socket | null)?.remoteAddress : undefined,
      // An error may have been thrown and then answered with success.
      failure: outcome.status >= 400 && request.failure ? failureOf(request.failure) : null,
      meta: request.logMeta,
    });
  }

  /** The entry of a request that could not be parsed. */
  static ofBroken(
    { method, url, status, failure, remoteAddress }: BrokenRequest,
    level: number,
    { logIP }: LogSettings,
  ): RequestEntry {
    const outcome = { level, url, status, execTime: 0 };
    return new RequestEntry(outcome, {
      method,
      auth: '',
      remoteIP: logIP ? remoteAddress : undefined,
      failure: failureOf(failure),
    });
  }

  /** As in `GET /api/health`. */
  get message(): string {
    return shortened(`${this.method} ${this.address.text}`, MOST_URL);
  }

  get data(): Readonly<Record<string, unknown>> {
    const { method, referer = '', userAgent = '', auth, authId, userIP, remoteIP, failure, meta } = this;
    const data: Record<string, unknown> = {
      type: 'request',
      method,
      url: this.address.url,
      status: this.status,
      execTime: this.microseconds / 1_000,
      referer: cutReferer(referer),
      userAgent: cutText(userAgent),
      auth,
    };
    if (authId !== undefined) data['authId'] = authId;
    if (userIP !== undefined || remoteIP !== undefined) {
      const address = normalizeIp(remoteIP ?? '') ?? '';
      data['userIP'] = userIP || address;
      data['remoteIP'] = address;
    }
    if (failure) {
      data['error'] = redactText(failure.message);
      data['details'] = failure.details;
    }
    if (meta) data['meta'] = meta;
    return data;
  }

  private get address(): ShownAddress {
    return this.shown ?? addressOf(this.url);
  }
}

function addressOf(url: string): ShownAddress {
  const redacted = redactUrl(url);
  return { url: shortened(redacted, MOST_URL), text: shortened(decoded(redacted), MOST_URL) };
}

function detachedAddress(long: string): ShownAddress {
  const { url, text } = addressOf(long);
  const kept = detached(url);
  return { url: kept, text: text === url ? kept : detached(text) };
}

function cutReferer(text: string): string {
  return cutText(redactUrl(text));
}

function cutText(text: string): string {
  return shortened(text, MOST_TEXT);
}

/** Cutting it again changes nothing. */
function longCut(text: string | undefined, cut: (text: string) => string): string | undefined {
  return text === undefined || text.length <= MOST_TEXT ? text : detached(cut(text));
}

function failureOf(error: Error): Failure {
  return { message: keptText(error.message), details: error instanceof ApiError ? errorDetails(error.data) : {} };
}
