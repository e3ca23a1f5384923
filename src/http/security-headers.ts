import { PresetHeaders } from './preset-headers.js';

const ON_FILES = {
  'x-content-type-options': 'nosniff',
  'x-xss-protection': '1; mode=block',
} as const;

const ON_ALL_ELSE = { ...ON_FILES, 'x-frame-options': 'SAMEORIGIN' } as const;

const PRESET_ON_FILES = new PresetHeaders(ON_FILES);
const PRESET_ON_ALL_ELSE = new PresetHeaders(ON_ALL_ELSE);

/** Besides what its request got, on every error: no cache may answer with a failure once it is over (FS-56). */
export const ERROR_HEADERS = { ...ON_ALL_ELSE, 'cache-control': 'no-store' } as const;

/** What a response to this request is sent with (OPS-33). Files may be shown in frames of others; errors are no files. */
export function securityHeaders(method: string, url: string): PresetHeaders {
  return method !== 'POST' && url.startsWith('/api/files/') ? PRESET_ON_FILES : PRESET_ON_ALL_ELSE;
}
