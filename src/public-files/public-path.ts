import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What a path of a URL leads to. */
export type PublicTarget =
  /**
   * `path` is relative to the directory and as in the URL: its extension decides about the type, not that of a link's
   * target.
   */
  | { readonly kind: 'file'; readonly path: string }
  /** Relative to the URL, which may have a prefix in front that a proxy has taken off. */
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'missing' }
  /** It belongs to the routes, and nothing is shown in its place. */
  | { readonly kind: 'reserved' };

const INDEX = 'index.html';

/** What is below is never looked at, also where the slash is encoded (OPS-150): these paths belong to the routes. */
const RESERVED = /^(?:api|_)(?:\/|$)/;

/** The one hidden directory that is served (RFC 8615), at the top level only. */
const WELL_KNOWN = '.well-known';

const MISSING: PublicTarget = { kind: 'missing' };

/** Errors of the file system for a path that does not exist. */
const NOTHING_THERE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EACCES',
  'EPERM',
]);

/**
 * Finds the file behind the path of a URL, still encoded (OPS-151, OPS-153). Directories have a slash at their end and
 * show their `index.html`; files have none. The URL names no dot file, but links inside of the directory may lead to
 * one. Nothing outside of the directory is reached.
 */
export async function findPublicFile(directory: string, pathname: string): Promise<PublicTarget> {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const names = segments.map(decoded);
  if (RESERVED.test(names[0] ?? '')) return { kind: 'reserved' };
  if (!names.every(canBeShown)) return MISSING;
  const path = join(...names);
  const kind = await kindOf(directory, path);
  const name = segments.at(-1);
  const slashes = /\/*$/.exec(pathname)?.[0].length ?? 0;
  if (kind === 'directory') {
    if (slashes === 0) return { kind: 'redirect', to: `./${name}/` };
    const index = join(path, INDEX);
    return (await kindOf(directory, index)) === 'file' ? { kind: 'file', path: index } : MISSING;
  }
  if (kind !== 'file') return MISSING;
  if (slashes > 0) return { kind: 'redirect', to: `${'../'.repeat(slashes)}${name}` };
  return names.at(-1) === INDEX ? { kind: 'redirect', to: './' } : { kind: 'file', path };
}

/** Undefined when the encoding is broken. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether a segment is the name of something that is shown, and nothing that a file system could read as a path. */
function canBeShown(name: string | undefined, position: number): name is string {
  if (name === undefined || /[/\\\0]/.test(name)) return false;
  return !name.startsWith('.') || (position === 0 && name === WELL_KNOWN);
}

async function kindOf(directory: string, path: string): Promise<'file' | 'directory' | undefined> {
  try {
    const root = await realpath(directory);
    const target = await realpath(join(root, path));
    if (target !== root && !target.startsWith(root + sep)) return undefined;
    const stats = await stat(target);
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() ? 'file' : undefined;
  } catch (error) {
    if (NOTHING_THERE.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
