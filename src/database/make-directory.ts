import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory with those above it, if it is not there. As the recursive `mkdir` of Node, which never comes back
 * where a file system says that there is no such directory instead of that it takes none, as `/proc` does.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  try {
    await make(path, mode);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await makeDirectory(above, mode);
    await make(path, mode);
  }
}

async function make(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const isThere = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}
