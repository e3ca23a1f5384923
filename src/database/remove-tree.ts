import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../kernel/files/missing-file.js';

/** Entries of a directory that are removed at once. */
const AT_ONCE = 16;

/** How often something may come into a directory while it is being removed. */
const ATTEMPTS = 5;

/**
 * Removes a file, a link or a directory with everything in it, if it is there. As `rm` of Node, which keeps every entry
 * of the tree in memory: some kilobytes for each of the files that a storage may have by the hundred thousand.
 */
export async function removeTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats) await removeEntry(path, stats.isDirectory());
}

async function removeEntry(path: string, isDirectory: boolean): Promise<void> {
  if (!isDirectory) return unlink(path).catch(unlessMissing);
  for (let attempt = 1; ; attempt++) {
    await empty(path);
    try {
      return await rmdir(path).catch(unlessMissing);
    } catch (error) {
      const isFilled = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isFilled || attempt === ATTEMPTS) throw error;
    }
  }
}

async function empty(path: string): Promise<void> {
  let removals: Promise<void>[] = [];
  for await (const entry of (await opendir(path).catch(unlessMissing)) ?? []) {
    const removal = removeEntry(join(path, entry.name), entry.isDirectory());
    // A failure is thrown where all of them are waited for.
    removal.catch(() => undefined);
    removals.push(removal);
    if (removals.length < AT_ONCE) continue;
    await settled(removals);
    removals = [];
  }
  await settled(removals);
}

/** Nothing is still being removed when the first failure is thrown. */
async function settled(removals: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(removals)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
