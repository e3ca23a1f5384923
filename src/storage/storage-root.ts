import { realpathSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/**
 * Turns keys into paths below a directory, and makes sure that they are below it: a directory on the way that is a
 * link leading out is not followed (FS-41, FS-42). The directory itself may be a link or a mount.
 */
export class StorageRoot {
  /** The real path of the directory when it was last resolved. */
  private target = '';

  constructor(private readonly directory: string) {}

  /** The path of a key, its directories resolved; undefined when one of them is missing or leads out. */
  async find(key: string): Promise<string | undefined> {
    const [root, parent] = await Promise.all([real(this.directory), real(dirname(join(this.directory, key)))]);
    if (root === undefined || parent === undefined || !isWithin(root, parent)) return undefined;
    return join(parent, key.slice(key.lastIndexOf('/') + 1));
  }

  /** The path of a key, its directories resolved and made where missing. Throws when one of them leads out. */
  async makeDirectories(key: string): Promise<string> {
    const parts = key.split('/');
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const root = await realpath(this.directory);
    return join(await this.makeDirectory(root, parts.slice(0, -1)), parts.at(-1)!);
  }

  /** True when the directories of a key are there and none of them leads out. For a file that has just been opened. */
  contains(key: string): boolean {
    try {
      const parent = realpathSync.native(dirname(this.directory + sep + key));
      if (this.target !== '' && isWithin(this.target, parent)) return true;
      this.target = realpathSync.native(this.directory);
      return isWithin(this.target, parent);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Made one after the other: making them all at once would follow a link before it could be looked at. */
  private async makeDirectory(root: string, parts: readonly string[]): Promise<string> {
    if (parts.length === 0) return root;
    const present = await real(join(root, ...parts));
    if (present !== undefined) {
      if (!isWithin(root, present))
        throw new Error(`The storage directory ${parts.join('/')} leads out of the storage.`);
      return present;
    }
    const path = join(await this.makeDirectory(root, parts.slice(0, -1)), parts.at(-1)!);
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return path;
  }
}

async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG';
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
