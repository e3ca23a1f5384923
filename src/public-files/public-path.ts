import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What a path of a URL leads to. */
export type PublicTarget =
  | { readonly kind: 'file'; readonly root: string; readonly path: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'missing' }
  /** It may not be looked at, and nothing is shown in its place. */
  | { readonly kind: 'forbidden' };

const INDEX = 'index.html';

/** Directories of that name are never looked at, whatever they hold (OPS-150): these paths belong to the routes. */
const RESERVED: readonly (string | undefined)[] = ['api', '_'];

/**
 * Finds the file behind the path of a URL, still encoded (OPS-151, OPS-153). Directories have a slash at their end and
 * show their `index.html`; files have none. Nothing outside of the directory is reached, and no dot file.
 */
export async function findPublicFile(directory: string, pathname: string): Promise<PublicTarget> {
  const segments = decodedSegments(pathname);
  if (!segments || segments.some((segment) => segment.startsWith('.'))) return { kind: 'forbidden' };
  if (RESERVED.includes(segments[0])) return { kind: 'forbidden' };
  const root = await real(directory);
  const path = root && (await real(join(root, ...segments)));
  if (root === undefined || path === undefined) return { kind: 'missing' };
  if (path !== root && !path.startsWith(root + sep)) return { kind: 'forbidden' };
  const stats = await stat(path);
  const hasSlash = pathname.endsWith('/');
  if (stats.isDirectory()) {
    if (!hasSlash) return { kind: 'redirect', to: safeTarget(`${pathname}/`) };
    const index = await real(join(path, INDEX));
    if (index === undefined || !index.startsWith(root + sep)) return { kind: 'missing' };
    return { kind: 'file', root, path: index };
  }
  if (!stats.isFile()) return { kind: 'missing' };
  if (hasSlash) return { kind: 'redirect', to: safeTarget(pathname.replace(/\/+$/, '')) };
  if (segments.at(-1) === INDEX) return { kind: 'redirect', to: safeTarget(pathname.slice(0, -INDEX.length)) };
  return { kind: 'file', root, path };
}

/** Undefined when the encoding is broken, or a segment could mean anything but a name. */
function decodedSegments(pathname: string): string[] | undefined {
  try {
    const segments = pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
    return segments.every((segment) => !/[/\\\0]/.test(segment)) ? segments : undefined;
  } catch {
    return undefined;
  }
}

/** Two slashes at the beginning would name another host. */
function safeTarget(path: string): string {
  return path.replace(/^[/\\]+/, '/') || '/';
}

async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}
