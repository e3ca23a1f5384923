import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many clients are served before other requests get their turn. */
const CHUNK_SIZE = 150;

/**
 * Passes the items to `work` in chunks of 150 and lets other code run between two of them. A chunk that waits for
 * something does not delay the next one; resolves when all are done.
 */
export async function inChunks<Item>(
  items: Iterable<Item>,
  work: (chunk: readonly Item[]) => void | Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = [];
  for (const chunk of chunksOf(items)) {
    if (running.length > 0) await nextTurn();
    running.push((async () => work(chunk))());
  }
  await Promise.all(running);
}

function* chunksOf<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < CHUNK_SIZE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
