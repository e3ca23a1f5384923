import type { FastifyReply } from 'fastify';
import { PresetHeaders } from './preset-headers.js';

const ON_FILES = {
  'x-content-type-options': 'nosniff',
  'x-xss-protection': '1; mode=block',
} as const;

/** What a response is sent with that is no file (OPS-33). */
export const SECURITY_HEADERS = { ...ON_FILES, 'x-frame-options': 'SAMEORIGIN' } as const;

const PRESET_ON_FILES = new PresetHeaders(ON_FILES);
const PRESET_ON_ALL_ELSE = new PresetHeaders(SECURITY_HEADERS);

/** No cache may answer with a failure once it is over (FS-56). */
const NO_STORE = { 'cache-control': 'no-store' } as const;
const NO_FILE = { ...NO_STORE, 'x-frame-options': SECURITY_HEADERS['x-frame-options'] } as const;

/** What an error is sent with besides what its request got. What a team says about frames, it says about errors too. */
export function errorHeaders(reply: FastifyReply): Readonly<Record<string, string>> {
  return reply.hasHeader('x-frame-options') ? NO_STORE : NO_FILE;
}

/** What a response to this request is sent with (OPS-33). Files may be shown in frames of others; errors are no files. */
export function securityHeaders(method: string, url: string): PresetHeaders {
  return method !== 'POST' && url.startsWith('/api/files/') ? PRESET_ON_FILES : PRESET_ON_ALL_ELSE;
}
