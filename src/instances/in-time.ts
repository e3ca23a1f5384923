/** Waits for the answer of another server, and calls `giveUp` when it has not come after so many milliseconds. */
export async function inTime<T>(answer: Promise<T>, milliseconds: number, giveUp: () => void): Promise<T> {
  let look: NodeJS.Immediate | undefined;
  // When the process was stopped for a while, the answer may have arrived without having been read.
  const timer = setTimeout(() => (look = setImmediate(giveUp)), milliseconds);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    clearImmediate(look);
  }
}
