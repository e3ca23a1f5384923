/** Milliseconds a statement waits for another process before the database counts as busy (SCALE-1). */
export const BUSY_TIMEOUT = 10_000;

const CACHE_KIB = 16_384;
const JOURNAL_SIZE_LIMIT = 64 * 1024 * 1024;

/**
 * The pragmas of a connection, in this one place for both drivers and for the child processes. No function is added:
 * LIKE, strftime, JSON and the mathematical functions that filters use are built into both.
 *
 * With `isApart` it is that of a child process, whose statements may sort all rows of a table: what has no room in its
 * cache goes to the disk (OPS-39).
 */
export function connectionPragmas(options: {
  readonly writes: boolean;
  readonly isApart?: boolean;
}): readonly string[] {
  const store = options.isApart ? 'FILE' : 'MEMORY';
  const pragmas = ['foreign_keys = ON', `cache_size = -${CACHE_KIB}`, `temp_store = ${store}`];
  if (!options.writes) return pragmas;
  // The journal mode comes first: it is the first statement to read the file, and so the one that finds it damaged.
  return ['journal_mode = WAL', 'synchronous = NORMAL', `journal_size_limit = ${JOURNAL_SIZE_LIMIT}`, ...pragmas];
}
