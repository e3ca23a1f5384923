import type { FastifyReply } from 'fastify';
import { PresetHeaders } from './preset-headers.js';

const ON_FILES = {
  'x-content-type-options': 'nosniff',
  'x-xss-protection': '1; mode=block',
} as const;

/** What a response is sent with that is no file (OPS-33). */
export const SECURITY_HEADERS = { ...ON_FILES, 'x-frame-options': 'SAMEORIGIN' } as const;

/** No cache may answer with a failure once it is over (FS-56). */
const NO_STORE = { 'cache-control': 'no-store' } as const;
const NO_FILE = { ...NO_STORE, 'x-frame-options': SECURITY_HEADERS['x-frame-options'] } as const;

/** What of a request decides about the headers of its answer. */
interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly authorization?: string };
}

interface Presets {
  readonly onFiles: PresetHeaders;
  readonly onPrivate: PresetHeaders;
  readonly onAllElse: PresetHeaders;
}

const PLAIN = presetsWith({});
/** Browsers ask for a year over TLS only, as is said where certificates are served by Roost itself. */
const OVER_TLS = presetsWith({ 'strict-transport-security': 'max-age=31536000' });

/** Headers of an error beside those of its request. Frame options that a team has set are kept. */
export function errorHeaders(reply: FastifyReply): Readonly<Record<string, string>> {
  return reply.hasHeader('x-frame-options') ? NO_STORE : NO_FILE;
}

/**
 * What a response to this request is sent with (OPS-33, OPS-33a): no cache keeps what is for the sender of a token, or
 * what a POST gives, which may be a token. Files may be shown in frames of others, and say themselves who may keep
 * them; errors are no files.
 */
export function securityHeaders({ method, url, headers }: SentRequest, isSecure: boolean): PresetHeaders {
  const isFile = method !== 'POST' && url.startsWith('/api/files/');
  const isPrivate = method === 'POST' || headers.authorization !== undefined;
  const presets = isSecure ? OVER_TLS : PLAIN;
  return isFile ? presets.onFiles : isPrivate ? presets.onPrivate : presets.onAllElse;
}

function presetsWith(more: Readonly<Record<string, string>>): Presets {
  return {
    onFiles: new PresetHeaders({ ...ON_FILES, ...more }),
    onPrivate: new PresetHeaders({ ...SECURITY_HEADERS, ...NO_STORE, ...more }),
    onAllElse: new PresetHeaders({ ...SECURITY_HEADERS, ...more }),
  };
}
