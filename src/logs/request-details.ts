import type { Socket } from 'node:net';
import { normalizeIp } from '../http/client-ip.js';
import type { RoostRequest } from '../http/roost-request.js';
import type { BrokenRequest } from '../http/unrouted-requests.js';
import { ApiError } from '../kernel/errors/api-error.js';
import type { Settings } from '../settings/settings.js';
import { toJson } from './log-json.js';
import { decoded, redactText, redactUrl, shortened } from './redact.js';

const MOST_URL = 3_000;
const MOST_TEXT = 2_000;

/** Decimals of the milliseconds a request took: more are noise, and take longer to write than the rest of an entry. */
const MICROSECONDS = 1_000;

type LogSettings = Pick<Settings['logs'], 'logIP' | 'logAuthId'>;

/** What the entry of a request says beside its address and its numbers. */
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
  readonly failure: Error | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/**
 * The details of requests that have all of them in common, which most of those in a row have: keeping and writing them
 * costs as much as for one.
 */
export class RequestDetails {
  private members: { readonly before: string; readonly after: string } | undefined;

  private constructor(private readonly details: Details) {}

  /** The last ones, which must be common, where they are this request's as well; otherwise new ones. */
  static of(request: RoostRequest, status: number, settings: LogSettings, last?: RequestDetails): RequestDetails {
    const { caller, method, headers } = request;
    const { auth } = caller;
    const { referer, 'user-agent': userAgent } = headers;
    const authName = auth === null ? '' : auth.collection.name;
    const authId = auth !== null && settings.logAuthId ? auth.id : undefined;
    const userIP = settings.logIP ? caller.ip : undefined;
    const remoteIP = settings.logIP ? (request.socket as Socket | null)?.remoteAddress : undefined;
    const failure = status >= 400 ? request.failure : null;
    const meta = request.logMeta;
    const known = last?.details;
    if (
      known !== undefined &&
      failure === null &&
      meta === null &&
      known.method === method &&
      known.userIP === userIP &&
      known.remoteIP === remoteIP &&
      known.authId === authId &&
      known.auth === authName &&
      known.userAgent === userAgent &&
      known.referer === referer
    ) {
      return last!;
    }
    return new RequestDetails({ method, referer, userAgent, auth: authName, authId, userIP, remoteIP, failure, meta });
  }

  /** Of something that never became a request: what could be read of it. */
  static ofBroken({ method, failure, remoteAddress }: BrokenRequest, { logIP }: LogSettings): RequestDetails {
    return new RequestDetails({ method, auth: '', remoteIP: logIP ? remoteAddress : undefined, failure, meta: null });
  }

  /** False for those that only one request can have. */
  get areCommon(): boolean {
    return this.details.failure === null && this.details.meta === null;
  }

  /** As in `GET /api/health`. */
  message(url: string): string {
    return shortened(`${this.details.method} ${decoded(redactUrl(url))}`, MOST_URL);
  }

  /** What is stored of a request with these details (OPS-84), as JSON. `execTime`: milliseconds. */
  data(url: string, status: number, execTime: number): string {
    this.members ??= this.toMembers();
    const { before, after } = this.members;
    const address = JSON.stringify(shortened(redactUrl(url), MOST_URL));
    const time = Math.round(execTime * MICROSECONDS) / MICROSECONDS;
    return `{${before},"url":${address},"status":${status},"execTime":${time},${after}}`;
  }

  private toMembers(): { before: string; after: string } {
    const { method, referer, userAgent, auth, authId, userIP, remoteIP, failure, meta } = this.details;
    const data: Record<string, unknown> = {
      referer: shortened(redactUrl(referer ?? ''), MOST_TEXT),
      userAgent: shortened(userAgent ?? '', MOST_TEXT),
      auth,
    };
    if (authId !== undefined) data['authId'] = authId;
    if (userIP !== undefined || remoteIP !== undefined) {
      const address = normalizeIp(remoteIP ?? '') ?? '';
      data['userIP'] = userIP || address;
      data['remoteIP'] = address;
    }
    if (failure) {
      data['error'] = redactText(shortened(failure.message, MOST_TEXT));
      data['details'] = failure instanceof ApiError ? failure.data : {};
    }
    if (meta) data['meta'] = meta;
    return { before: withoutBraces({ type: 'request', method }), after: withoutBraces(data) };
  }
}

function withoutBraces(data: Readonly<Record<string, unknown>>): string {
  return toJson(data).slice(1, -1);
}
