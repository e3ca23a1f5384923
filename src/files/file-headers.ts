import { hash } from 'node:crypto';
import { isInlineType, servedType } from '../kernel/files/served-type.js';
import type { ByteRange, StoredFile } from '../storage/file-storage.js';
import type { Validators } from './preconditions.js';

/** What the headers of a download depend on. */
export interface Presentation {
  /** The name it is saved under. */
  readonly name: string;
  /** Forces a download where the browser would show the file. */
  readonly download: boolean;
  readonly isPublic: boolean;
  /** True when something else is sent than the URL promises, for the time being. */
  readonly isSubstitute: boolean;
}

/** For files that everybody may read. Their names are random, so the content under a URL never changes. */
const PUBLIC_CACHE = 'max-age=2592000, stale-while-revalidate=86400';

/** The permission is checked anew for each request. */
const PRIVATE_CACHE = 'private, no-cache';

/** The entity tag of whatever is under a key; files are never changed, only replaced under another key. */
export function entityTag(key: string): string {
  return `"${hash('sha256', key, 'base64url').slice(0, 27)}"`;
}

/** The headers by which caches know and keep a file (FS-66, FS-69); those of a 304 too. */
export function cacheHeaders({ etag, modified }: Validators, presentation: Presentation): Record<string, string> {
  const { isPublic, isSubstitute } = presentation;
  return {
    etag,
    'last-modified': modified.toUTCString(),
    'cache-control': isPublic ? (isSubstitute ? 'no-cache' : PUBLIC_CACHE) : PRIVATE_CACHE,
  };
}

/** The headers that describe a file, or a part of it (FS-66 to FS-68, FS-71). */
export function contentHeaders(
  { contentType, size }: StoredFile,
  { name, download }: Presentation,
  range?: ByteRange,
): Record<string, string> {
  const disposition = download || !isInlineType(contentType) ? 'attachment' : 'inline';
  return {
    'content-type': servedType(contentType, name),
    'content-disposition': `${disposition}; filename=${quoted(name)}`,
    'content-security-policy': "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
    'accept-ranges': 'bytes',
    'content-length': String(range ? range.end - range.start + 1 : size),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
  };
}

function quoted(name: string): string {
  if (/^[\w.-]+$/.test(name)) return name;
  return `"${name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '\\$&')}"`;
}
