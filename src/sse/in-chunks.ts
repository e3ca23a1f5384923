import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many clients are served before other requests get their turn. */
export const CHUNK_SIZE = 150;

/**
 * Hands the items to `work` in chunks of 150 and gives the event loop back between two of them, so that many clients
 * hold up nobody. A chunk that waits for something does not hold up the next one; resolves when all are done.
 */
export async function inChunks<Item>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => void | Promise<void>,
): Promise<void> {
  const running: (void | Promise<void>)[] = [];
  for (let start = 0; start < items.length; start += CHUNK_SIZE) {
    if (start > 0) await nextTurn();
    running.push(work(items.slice(start, start + CHUNK_SIZE)));
  }
  await Promise.all(running);
}
